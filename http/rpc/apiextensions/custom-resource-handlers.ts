import type { GroupVersionResource } from '../../../manifests/kube.js'
import type { Call } from '../../call/call.js'
import { invalidFields } from '../../errors/failure.js'
import type { ObjectType, Place } from '../../objects/object-type.js'
import type { Objects } from '../../objects/objects.js'
import { dataOf, kindHandlers } from '../kind/kind-handlers.js'
import {
  type FilterFields,
  type KeyFields,
  type ListFields,
  objectKeyOf,
  placeOf,
  type WatchFields,
} from '../kind/request-fields.js'
import { watchKind } from '../kind/watch-kind.js'
import { readable, works } from '../propagation/work.js'
import { customResources } from './custom-resource.js'
import { customType } from './custom-type.js'
import { type PatchFields, patchCustomResource } from './patch-custom-resource.js'

type Key = KeyFields & GroupVersionResource
interface Typed extends GroupVersionResource {
  /** Empty for a caller who does not know it. */
  readonly kind: string
}
type List = ListFields & Typed

/**
 * The handlers of custom resources, of whichever type a request names. Those with a namespace and those without share them: a
 * request has a field for the namespace or has none, and must fit its type.
 */
export function customResourceHandlers(objects: Objects) {
  const typeOf = (request: GroupVersionResource, place: Place, call: Call) =>
    customType(objects, call, place, {
      group: request.group,
      version: request.version,
      resource: request.resource,
    })
  /** Of a request about one object. */
  const one = async (request: Omit<Key, 'name'>, call: Call) => {
    const type = await typeOf(request, placeOf(request), call)
    refuseUnfit(type, request)
    return { type, of: kindHandlers(objects, customResources(type)) }
  }
  /** Of a request that writes. A Work that was read lacks the values of its Secrets: written back, it would empty them in the members. */
  const written = async (request: Omit<Key, 'name'>, call: Call) => {
    const found = await one(request, call)
    if (isWork(found.type))
      throw wrong('resource', 'is works, which Karmada alone writes: they can be read and deleted')
    return found
  }
  /** Of a request about many: without a namespace it is about all. */
  const many = async (request: FilterFields & Typed, call: Call) => {
    const type = await typeOf(request, placeOf(request), call)
    if (request.namespace) refuseUnfit(type, request)
    if (request.kind && request.kind !== type.kind)
      throw wrong('kind', `is ${JSON.stringify(request.kind)}, but ${type.resource} are ${type.kind}`)
    return kindHandlers(objects, customResources(type))
  }
  return {
    list: async (request: List, call: Call) => (await many(request, call)).list(request, call),
    watch: async (request: WatchFields & Typed, call: Call) =>
      watchKind(await many(request, call), 'resource')(request, call),
    get: async (request: Key, call: Call) => (await one(request, call)).of.get(request, call),
    async json(request: Key, call: Call) {
      const { type } = await one(request, call)
      return dataOf(readable(await objects.get(call, placeOf(request), type, objectKeyOf(request))))
    },
    create: async (request: Omit<Key, 'name'> & { readonly data: string }, call: Call) =>
      (await written(request, call)).of.create(request, call),
    update: async (request: Key & { readonly data: string }, call: Call) =>
      (await written(request, call)).of.update(request, call),
    remove: async (request: Key, call: Call) => (await one(request, call)).of.remove(request, call),
    patch: async (request: Key & PatchFields, call: Call) => {
      const { type } = await written(request, call)
      return patchCustomResource(objects, call, placeOf(request), type, request)
    },
  }
}

/** @throws Failure INVALID_ARGUMENT for a namespace that the type has not, or for none where it has one */
function refuseUnfit({ namespaced, resource }: ObjectType, { namespace }: { readonly namespace?: string }) {
  if (namespaced && !namespace)
    throw wrong('namespace', `is required: ${resource} have one. Use the operation of namespaced resources`)
  if (!namespaced && namespace)
    throw wrong(
      'namespace',
      `must be absent: ${resource} have none. Use the operation of cluster-scoped resources`,
    )
}

const isWork = ({ group, resource }: ObjectType): boolean =>
  group === works.type.group && resource === works.type.resource

const wrong = (field: string, description: string) => invalidFields([{ field, description }])

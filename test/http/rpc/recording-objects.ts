import type { ListQuery } from '../../../http/objects/list-query.js'
import type { ObjectKey, ObjectType, Place } from '../../../http/objects/object-type.js'
import type {
  ObjectCall,
  ObjectEvent,
  Objects,
  Patch,
  RemoveOptions,
  WriteOptions,
} from '../../../http/objects/objects.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { bareStatus, StatusError } from '../../../manifests/status-error.js'

/** One request to an instance, in Kubernetes' words. */
export interface Recorded {
  readonly verb: string
  readonly resource: string
  readonly place: Place
  readonly key?: ObjectKey
  readonly object?: KubeObject
  readonly patch?: Patch
  readonly query?: ListQuery<never>
  readonly options?: RemoveOptions | WriteOptions
}

/** The refusal of an object that is not there. */
export const notFound = (): StatusError =>
  new StatusError({ ...bareStatus(404, 'not found'), reason: 'NotFound' })

/**
 * An instance with these objects, and what was requested of it. Nothing is stored.
 * @param stored by `resource name`, with the member in front where it is in one: `m1/configmaps shop`; undefined for none
 * @param lists by resource
 */
export function recordingObjects(
  stored: (id: string, type: ObjectType, key: ObjectKey) => object | undefined,
  lists: Readonly<Record<string, readonly object[]>> = {},
) {
  const recorded: Recorded[] = []
  const whole = ({ group, version, kind }: ObjectType, { namespace, name }: ObjectKey, object: object) => {
    const { metadata, ...rest } = object as Partial<KubeObject>
    return {
      ...{ apiVersion: group ? `${group}/${version}` : version, kind },
      ...rest,
      metadata: { name, ...(namespace && { namespace }), ...metadata },
    } as never
  }
  const objects: Objects = {
    typeOf: async () => Promise.reject(new Error('no discovery')),
    typeOfResource: async () => Promise.reject(new Error('no discovery')),
    get: async (_call: ObjectCall, place: Place, type: ObjectType, key: ObjectKey) => {
      recorded.push({ verb: 'get', resource: type.resource, place, key })
      const id = `${place.cluster === undefined ? '' : `${place.cluster}/`}${type.resource} ${key.name}`
      const found = stored(id, type, key)
      if (!found) throw notFound()
      return whole(type, key, found)
    },
    list: async (_call: ObjectCall, place: Place, type: ObjectType, query: ListQuery<never>) => {
      recorded.push({ verb: 'list', resource: type.resource, place, query })
      const { where = () => true } = query
      const items = (lists[type.resource] ?? [])
        .map(object => whole(type, { name: '' }, object))
        .filter(object => where(object))
      const pagination = { total: items.length, page: 1, pageSize: 0, pages: 1 }
      return { items, pagination, answered: { source: 'karmada', reason: 'Test' } } as never
    },
    listAcross: async () => undefined,
    create: async (_call, place, type, object, options = {}) => {
      recorded.push({ verb: 'create', resource: type.resource, place, object, options })
      return object
    },
    update: async (_call, place, type, object, options) => {
      recorded.push({ verb: 'update', resource: type.resource, place, object, ...(options && { options }) })
      return object
    },
    patch: async (_call: ObjectCall, place: Place, type: ObjectType, key: ObjectKey, patch: Patch) => {
      recorded.push({ verb: 'patch', resource: type.resource, place, key, patch })
      return whole(type, key, {})
    },
    remove: async (_call, place, type, key, options = {}) => {
      recorded.push({ verb: 'delete', resource: type.resource, place, key, options })
    },
    log: () => {
      throw new Error('no logs')
    },
    async *watch(_call: ObjectCall, place: Place, type: ObjectType, query: ListQuery<never>) {
      recorded.push({ verb: 'watch', resource: type.resource, place, query })
      yield { type: 'RESET', total: 0 } as ObjectEvent<never>
      yield { type: 'BOOKMARK', total: 0 } as ObjectEvent<never>
    },
    changes: () => {
      throw new Error('no changes')
    },
  }
  const writes = () => recorded.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb))
  return { objects, recorded, writes }
}

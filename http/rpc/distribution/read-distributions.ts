import { bindingName } from '../../../karmada/names.js'
import type { Cluster } from '../../../karmada/objects/cluster.js'
import type { Binding } from '../../../karmada/objects/resource-binding.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { StatusError } from '../../../manifests/status-error.js'
import type { ObjectType, Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { sideCall } from '../../objects/side-call.js'
import { CLUSTER, CLUSTER_RESOURCE_BINDING, RESOURCE_BINDING } from '../kind/object-types.js'
import { bindingOf, keyOfObject } from './binding-of.js'
import {
  type ClusterFacts,
  clusterFactsOf,
  type Distribution,
  distributionOf,
  UNKNOWN_DISTRIBUTION,
} from './distribution.js'

/** The distribution of an object; undefined for an object of a member, which is where it is. */
export type DistributionOf = (object: KubeObject) => Distribution | undefined

/**
 * Reads where the objects of a page went: one list of bindings and one of clusters, whatever the page holds, both as the
 * caller. What the caller may not read is unknown.
 */
export async function readDistributions(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  items: readonly KubeObject[],
): Promise<DistributionOf> {
  if (place.cluster !== undefined || items.length === 0) return () => undefined
  const namespaces = new Set(items.map(({ metadata }) => metadata.namespace ?? ''))
  const [namespace = ''] = namespaces
  const names = [...new Set(items.map(({ kind, metadata }) => bindingName(kind, metadata.name)))]
  return read(objects, call, place, namespace === '' ? CLUSTER_RESOURCE_BINDING : RESOURCE_BINDING, {
    names,
    ...(namespaces.size === 1 && { namespace }),
    // The instance finds one by its name; it has no other way to select by names.
    ...(names.length === 1 && { fieldSelector: `metadata.name=${names[0]}` }),
  })
}

/** Reads where all objects of a namespaced kind went, for lists that choose or sort by it. */
export const readAllDistributions = async (
  objects: Objects,
  call: ObjectCall,
  place: Place,
  { kind, namespace = '' }: { readonly kind: string; readonly namespace?: string },
): Promise<DistributionOf> =>
  place.cluster === undefined
    ? read(objects, call, place, RESOURCE_BINDING, {
        ...(namespace && { namespace }),
        where: ({ spec }) => spec.resource?.kind === kind,
      })
    : () => undefined

/** Which bindings are read. */
interface Wanted {
  readonly namespace?: string
  readonly names?: readonly string[]
  readonly fieldSelector?: string
  readonly where?: (binding: Binding) => boolean
}

async function read(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  type: ObjectType,
  wanted: Wanted,
): Promise<DistributionOf> {
  const all = { page: 1, pageSize: 0 }
  const [bindings, clusters] = await Promise.all([
    ifReadable(() => objects.list<Binding>(sideCall(call), place, type, { ...wanted, ...all })),
    ifReadable(() => objects.list<Cluster>(sideCall(call), place, CLUSTER, all)),
  ])
  if (!bindings) return () => UNKNOWN_DISTRIBUTION
  const facts: ReadonlyMap<string, ClusterFacts> | undefined =
    clusters && new Map(clusters.map(cluster => [cluster.metadata.name, clusterFactsOf(cluster)]))
  const byKey = new Map(bindings.map(binding => [keyOfObject(binding), binding]))
  return object => distributionOf(bindingOf(object, byKey), facts)
}

/** What a list that completes an answer shows; undefined where the caller may not read, or the type is not served. */
export async function ifReadable<T>(
  list: () => Promise<{ readonly items: readonly T[] }>,
): Promise<readonly T[] | undefined> {
  try {
    return (await list()).items
  } catch (error) {
    if (error instanceof StatusError && (error.code === 403 || error.code === 404)) return undefined
    throw error
  }
}

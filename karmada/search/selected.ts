import type { GroupVersionResource } from '../../manifests/kube.js'
import type { Cluster } from '../objects/cluster.js'
import type { RegisteredResource, ResourceRegistry } from '../objects/resource-registry.js'
import { matchesAffinity } from '../scheduling/cluster-affinity.js'
import { mergedNamespaces, type Namespaces, namespacesOf } from './namespaces.js'

/** A type as the control plane serves it: karmada-search looks kinds up there, not in the members. */
export interface CachedType extends GroupVersionResource {
  readonly kind: string
  readonly namespaced: boolean
}

/** Finds the type of a kind; undefined while the control plane does not serve it. */
export type TypeOf = (apiVersion: string, kind: string) => CachedType | undefined

/** One string for each group, version and resource. */
export const typeKey = ({ group, version, resource }: GroupVersionResource): string =>
  `${group}/${version}/${resource}`

/** A type that is cached, and of which namespaces. */
export interface CachedResource {
  readonly type: CachedType
  readonly namespaces: Namespaces
}

/** What karmada-search's proxy caches. */
export interface SelectedResources {
  /** The types of all registries, by `typeKey`, whether or not a cluster has them. */
  readonly registered: ReadonlyMap<string, CachedType>
  /** By the name of the cluster, then by `typeKey`. A cluster that a registry selects is there even without types. */
  readonly clusters: ReadonlyMap<string, ReadonlyMap<string, CachedResource>>
}

/** What the registries together select of the ready clusters (`reconcile` of karmada-search's proxy). */
export function selectedResources(
  registries: readonly ResourceRegistry[],
  clusters: readonly Cluster[],
  typeOf: TypeOf,
): SelectedResources {
  const registered = new Map<string, CachedType>()
  const byCluster = new Map<string, Map<string, CachedResource>>()
  for (const { spec } of registries) {
    const wanted = resourcesOf(spec?.resourceSelectors ?? [], typeOf)
    for (const [key, { type }] of wanted) registered.set(key, type)
    if (wanted.size === 0) continue
    for (const cluster of clusters) {
      if (!matchesAffinity(cluster, spec?.targetCluster ?? {}) || !isReady(cluster)) continue
      const known = byCluster.get(cluster.metadata.name) ?? new Map<string, CachedResource>()
      byCluster.set(cluster.metadata.name, known)
      for (const [key, resource] of wanted) {
        if (!mayServe(cluster, resource.type)) continue
        const before = known.get(key)
        known.set(key, before ? together(before, resource) : resource)
      }
    }
  }
  return { registered, clusters: byCluster }
}

const together = (one: CachedResource, other: CachedResource): CachedResource => ({
  type: one.type,
  namespaces: mergedNamespaces(one.namespaces, other.namespaces),
})

function resourcesOf(selectors: readonly RegisteredResource[], typeOf: TypeOf): Map<string, CachedResource> {
  const found = new Map<string, CachedResource>()
  for (const { apiVersion, kind, namespace } of selectors) {
    const type = typeOf(apiVersion, kind)
    if (!type) continue
    const resource = { type, namespaces: type.namespaced ? namespacesOf([namespace]) : ('all' as const) }
    const before = found.get(typeKey(type))
    found.set(typeKey(type), before ? together(before, resource) : resource)
  }
  return found
}

/** Whether the condition Ready of a cluster is True. */
export const isReady = ({ status }: Cluster): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false

/** False only where the complete list of what a cluster serves lacks the kind (`Cluster.APIEnablement` of Karmada). */
export function mayServe({ status }: Cluster, { group, version, kind }: CachedType): boolean {
  const wanted = group === '' ? version : `${group}/${version}`
  const isServed = status?.apiEnablements?.some(
    ({ groupVersion, resources = [] }) =>
      groupVersion === wanted && resources.some(resource => resource.kind === kind),
  )
  if (isServed) return true
  return !status?.conditions?.some(
    ({ type, status: value }) => type === 'CompleteAPIEnablements' && value === 'True',
  )
}

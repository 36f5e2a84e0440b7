import type { Cluster } from '../../../karmada/objects/cluster.js'
import type { ResourceRegistry } from '../../../karmada/objects/resource-registry.js'
import { matchesAffinity } from '../../../karmada/scheduling/cluster-affinity.js'
import { type CachedType, isReady, mayServe, type TypeOf, typeKey } from '../../../karmada/search/selected.js'
import type { GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { objectKey } from '../../../streams/object-store.js'
import { Mirror } from '../../client/mirror.js'

/** What is known of one cluster. */
interface ClusterState {
  /** The names of the registries that select it. */
  readonly registries: Set<string>
  /** The types, by `typeKey`, each with the registries that it is there for. */
  readonly resources: Map<string, { readonly type: CachedType; readonly registries: Set<string> }>
  readonly mirrors: Map<string, Mirror<KubeObject>>
  /** Whether it has a place for its objects; without one nothing of it is cached. */
  hasStore: boolean
}

/**
 * The caches that `search/cache/…` answers from: of each selected type all namespaces, whatever namespace a selector names. A type
 * stays until its registry goes or selects the cluster no more, even when the registry lists it no longer. Both are
 * karmada-search's ways. Owns the watches of the members.
 */
export class SearchCaches {
  readonly #clusters = new Map<string, ClusterState>()

  /** @param memberOf the API of a member, by the name of its Cluster */
  constructor(private readonly memberOf: (cluster: string) => KubeApi) {}

  /** Caches what the registries select of these clusters. */
  update(registries: readonly ResourceRegistry[], clusters: readonly Cluster[], typeOf: TypeOf): void {
    const names = new Set(clusters.map(({ metadata }) => metadata.name))
    for (const [name, state] of this.#clusters) {
      if (names.has(name)) continue
      stop(state)
      this.#clusters.delete(name)
    }
    for (const cluster of clusters) this.#updateOne(cluster, registries, typeOf)
  }

  /** The objects of a type with the cluster of each, clusters and objects in the order of their names. */
  *objects(
    resource: GroupVersionResource,
  ): IterableIterator<{ readonly cluster: string; readonly object: KubeObject }> {
    for (const cluster of [...this.#clusters.keys()].sort()) {
      const { store } = this.#clusters.get(cluster)?.mirrors.get(typeKey(resource)) ?? {}
      const sorted = [...(store?.values() ?? [])].map(object => ({ key: objectKey(object), object }))
      sorted.sort((one, other) => (one.key < other.key ? -1 : 1))
      for (const { object } of sorted) yield { cluster, object }
    }
  }

  close(): void {
    this.update([], [], () => undefined)
  }

  #updateOne(cluster: Cluster, registries: readonly ResourceRegistry[], typeOf: TypeOf): void {
    const { name, deletionTimestamp } = cluster.metadata
    const state = this.#clusters.get(name) ?? newState()
    this.#clusters.set(name, state)
    if (deletionTimestamp || !isReady(cluster)) {
      stop(state)
      return
    }
    const matching = registries.filter(({ spec }) => matchesAffinity(cluster, spec?.targetCluster ?? {}))
    note(state, matching, typeOf)
    if (state.registries.size === 0) {
      stop(state)
      return
    }
    // There is no OpenSearch to be reached: a cluster that would keep its objects there has no place for them.
    state.hasStore ||= !matching.some(({ spec }) => spec?.backendStore?.openSearch)
    if (state.hasStore) this.#mirror(cluster, state)
  }

  #mirror(cluster: Cluster, { resources, mirrors }: ClusterState): void {
    const { name } = cluster.metadata
    for (const [key, mirror] of mirrors) {
      const resource = resources.get(key)
      if (resource && mayServe(cluster, resource.type)) continue
      mirrors.delete(key)
      mirror.close()
    }
    for (const [key, { type }] of resources)
      if (!mirrors.has(key) && mayServe(cluster, type))
        mirrors.set(key, new Mirror<KubeObject>(this.memberOf(name), type, () => undefined))
  }
}

const newState = (): ClusterState => ({
  registries: new Set(),
  resources: new Map(),
  mirrors: new Map(),
  hasStore: false,
})

/** Notes which registries select the cluster, and what they list. */
function note(state: ClusterState, matching: readonly ResourceRegistry[], typeOf: TypeOf): void {
  const names = new Set(matching.map(({ metadata }) => metadata.name))
  for (const gone of [...state.registries].filter(name => !names.has(name))) {
    state.registries.delete(gone)
    for (const [key, { registries }] of state.resources) {
      registries.delete(gone)
      if (registries.size === 0) state.resources.delete(key)
    }
  }
  for (const { metadata, spec } of matching) {
    state.registries.add(metadata.name)
    for (const { apiVersion, kind } of spec?.resourceSelectors ?? []) {
      const type = typeOf(apiVersion, kind)
      if (!type) continue
      const known = state.resources.get(typeKey(type)) ?? { type, registries: new Set<string>() }
      state.resources.set(typeKey(type), known)
      known.registries.add(metadata.name)
    }
  }
}

function stop({ mirrors }: ClusterState): void {
  for (const mirror of mirrors.values()) mirror.close()
  mirrors.clear()
}

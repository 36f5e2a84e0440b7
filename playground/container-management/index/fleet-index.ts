import type { GroupVersionResource } from '../../../manifests/kube.js'
import type { ClusterTable } from './cluster-table.js'
import type { IndexedObject } from './indexed-object.js'
import { type IndexedType, ResourceIndex } from './resource-index.js'

const gvrKey = ({ group, version, resource }: GroupVersionResource): string =>
  `${group}/${version}/${resource}`

/** Everything indexed, of all clusters, by resource type. */
export class FleetIndex {
  readonly #types = new Map<string, ResourceIndex>()

  type(gvr: GroupVersionResource): ResourceIndex | undefined {
    return this.#types.get(gvrKey(gvr))
  }

  types(): IterableIterator<ResourceIndex> {
    return this.#types.values()
  }

  /** The table a reflector of this type and cluster writes to. */
  table(cluster: string, type: IndexedType): ClusterTable {
    const key = gvrKey(type)
    const index = this.#types.get(key) ?? new ResourceIndex(type)
    this.#types.set(key, index)
    return index.ensureTable(cluster)
  }

  /** Forgets one type of one cluster. */
  dropTable(cluster: string, gvr: GroupVersionResource): void {
    const index = this.type(gvr)
    index?.dropTable(cluster)
    if (index?.isEmpty) this.#types.delete(gvrKey(gvr))
  }

  /** Forgets a cluster. */
  dropCluster(cluster: string): void {
    for (const index of [...this.#types.values()]) this.dropTable(cluster, index.type)
  }

  /** uids of every object of a cluster that is controlled by one of `owners`. */
  ownedBy(cluster: string, owners: ReadonlySet<string>): Set<string> {
    const owned = new Set<string>()
    for (const object of this.#objectsOf(cluster)) if (owners.has(object.ownerUid)) owned.add(object.uid)
    return owned
  }

  *#objectsOf(cluster: string): Generator<IndexedObject> {
    for (const index of this.#types.values()) yield* index.table(cluster)?.values() ?? []
  }
}

import type { GroupVersionResource } from '../../../manifests/kube.js'
import type { OrderBy } from '../query/order.js'
import { ClusterTable } from './cluster-table.js'
import type { IndexedObject } from './indexed-object.js'
import type { SortedList } from './sorted-list.js'
import { type ViewFilter, Views } from './views.js'

/** What kind of objects a type holds, from discovery. */
export interface IndexedType extends GroupVersionResource {
  readonly kind: string
  readonly namespaced: boolean
}

/** One resource type across all clusters: a table per cluster, and sorted views that stay current while they are used. */
export class ResourceIndex {
  readonly type: IndexedType
  readonly #tables = new Map<string, ClusterTable>()
  readonly #ofAll = new Views(() => this.#objects())
  /** By cluster. */
  readonly #views = new Map<string, Views>()

  constructor(type: IndexedType) {
    this.type = type
  }

  get isEmpty(): boolean {
    return this.#tables.size === 0
  }
  get clusters(): IterableIterator<string> {
    return this.#tables.keys()
  }
  table(cluster: string): ClusterTable | undefined {
    return this.#tables.get(cluster)
  }

  /** The cluster's table, made if need be. */
  ensureTable(cluster: string): ClusterTable {
    const existing = this.#tables.get(cluster)
    if (existing) return existing
    const views = new Views(() => table.values())
    const table = new ClusterTable(cluster, (added, removed) => {
      views.change(added, removed)
      this.#ofAll.change(added, removed)
    })
    this.#tables.set(cluster, table)
    this.#views.set(cluster, views)
    return table
  }

  dropTable(cluster: string): void {
    const table = this.#tables.get(cluster)
    this.#tables.delete(cluster)
    this.#views.delete(cluster)
    table?.drop()
  }

  /** All objects of one cluster, or of all clusters (''), in an order. Stays current; read it at once. */
  sorted(cluster: string, order: readonly OrderBy[]): SortedList<IndexedObject> {
    return this.#of(cluster).sorted(order)
  }

  /** Those of them that a filter admits, from the second time on that they are requested. */
  filtered(
    cluster: string,
    order: readonly OrderBy[],
    filter: ViewFilter,
  ): SortedList<IndexedObject> | undefined {
    return this.#of(cluster).filtered(order, filter)
  }

  /** Of a cluster without a table there is nothing to view. */
  #of(cluster: string): Views {
    return cluster === '' ? this.#ofAll : (this.#views.get(cluster) ?? new Views(() => []))
  }

  *#objects(): Generator<IndexedObject> {
    for (const table of this.#tables.values()) yield* table.values()
  }
}

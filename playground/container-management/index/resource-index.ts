import type { GroupVersionResource } from '../../../manifests/kube.js'
import { comparator, type OrderBy, orderKey } from '../query/order.js'
import { ClusterTable } from './cluster-table.js'
import type { IndexedObject } from './indexed-object.js'
import { SortedList } from './sorted-list.js'

/** What kind of objects a type holds, as discovery told it. */
export interface IndexedType extends GroupVersionResource {
  readonly kind: string
  readonly namespaced: boolean
}

/** A sorted view of a type: of one cluster, or of all ('') . */
interface View {
  readonly cluster: string
  readonly list: SortedList<IndexedObject>
}

/** Views kept per type; the one unused for longest is dropped, and built again when it is asked for. */
const MAX_VIEWS = 16

/** One resource type across all clusters: a table per cluster, and sorted views that stay current while they are used. */
export class ResourceIndex {
  readonly type: IndexedType
  readonly #tables = new Map<string, ClusterTable>()
  /** In order of use, the longest unused first. */
  readonly #views = new Map<string, View>()

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
    const table = new ClusterTable(cluster, (added, removed) => this.#change(cluster, added, removed))
    this.#tables.set(cluster, table)
    return table
  }

  dropTable(cluster: string): void {
    const table = this.#tables.get(cluster)
    this.#tables.delete(cluster)
    table?.drop()
    for (const [key, view] of this.#views) if (view.cluster === cluster) this.#views.delete(key)
  }

  /** All objects of one cluster, or of all clusters (''), in an order. Stays current; read it at once. */
  sorted(cluster: string, order: readonly OrderBy[]): SortedList<IndexedObject> {
    const key = `${cluster}|${orderKey(order)}`
    const view = this.#views.get(key) ?? {
      cluster,
      list: new SortedList(comparator(order), this.#objects(cluster)),
    }
    this.#views.delete(key)
    this.#views.set(key, view)
    const [oldest] = this.#views.keys()
    if (this.#views.size > MAX_VIEWS && oldest !== undefined) this.#views.delete(oldest)
    return view.list
  }

  *#objects(cluster: string): Generator<IndexedObject> {
    for (const [name, table] of this.#tables) if (cluster === '' || name === cluster) yield* table.values()
  }

  #change(cluster: string, added: IndexedObject | undefined, removed: IndexedObject | undefined): void {
    for (const view of this.#views.values()) {
      if (view.cluster !== '' && view.cluster !== cluster) continue
      if (removed) view.list.delete(removed)
      if (added) view.list.add(added)
    }
  }
}

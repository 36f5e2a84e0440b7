import type { GroupVersionResource } from '../../../manifests/kube.js'
import { remember } from '../../objects/bounded-memory.js'
import { comparator, type OrderBy, orderKey } from '../query/order.js'
import { ClusterTable } from './cluster-table.js'
import type { IndexedObject } from './indexed-object.js'
import { SortedList } from './sorted-list.js'

/** What kind of objects a type holds, from discovery. */
export interface IndexedType extends GroupVersionResource {
  readonly kind: string
  readonly namespaced: boolean
}

/** Which objects a view is about. */
export interface ViewFilter {
  /** Names the filter: equal filters have equal keys. */
  readonly key: string
  /** May look at nothing but the object. */
  readonly admits: (object: IndexedObject) => boolean
}

/** A sorted view of a type: of one cluster, or of all (''). It is brought up to date by every change, so it is never stale. */
interface View {
  readonly cluster: string
  readonly admits: ViewFilter['admits'] | undefined
  readonly list: SortedList<IndexedObject>
}

/** Views kept per type, filtered ones apart; the one unused for longest is dropped, and built again when it is requested. */
const MAX_VIEWS = 16
/** Filters that were requested once are remembered, so many; the second request builds a view. */
const MAX_REQUESTED_ONCE = 64

/** One resource type across all clusters: a table per cluster, and sorted views that stay current while they are used. */
export class ResourceIndex {
  readonly type: IndexedType
  readonly #tables = new Map<string, ClusterTable>()
  /** In order of use, the longest unused first. */
  readonly #views = new Map<string, View>()
  readonly #filtered = new Map<string, View>()
  readonly #requested = new Set<string>()

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
    for (const views of [this.#views, this.#filtered])
      for (const [key, view] of views) if (view.cluster === cluster) views.delete(key)
  }

  /** All objects of one cluster, or of all clusters (''), in an order. Stays current; read it at once. */
  sorted(cluster: string, order: readonly OrderBy[]): SortedList<IndexedObject> {
    return this.#view(this.#views, `${cluster}|${orderKey(order)}`, cluster, order)
  }

  /**
   * Those that a filter admits, in an order, from the second time on that they are requested: a first page is found sooner by
   * looking through the sorted objects until it is full.
   */
  filtered(
    cluster: string,
    order: readonly OrderBy[],
    { key: filter, admits }: ViewFilter,
  ): SortedList<IndexedObject> | undefined {
    const key = `${cluster}|${orderKey(order)}|${filter}`
    if (!this.#requested.delete(key) && !this.#filtered.has(key)) {
      this.#requested.add(key)
      const [oldest] = this.#requested
      if (this.#requested.size > MAX_REQUESTED_ONCE && oldest !== undefined) this.#requested.delete(oldest)
      return undefined
    }
    return this.#view(this.#filtered, key, cluster, order, admits)
  }

  #view(
    views: Map<string, View>,
    key: string,
    cluster: string,
    order: readonly OrderBy[],
    admits?: ViewFilter['admits'],
  ): SortedList<IndexedObject> {
    const view = views.get(key) ?? {
      cluster,
      admits,
      list: new SortedList(comparator(order), this.#objects(cluster, admits)),
    }
    remember(views, key, view, MAX_VIEWS)
    return view.list
  }

  *#objects(cluster: string, admits: ViewFilter['admits'] = () => true): Generator<IndexedObject> {
    for (const [name, table] of this.#tables) {
      if (cluster !== '' && name !== cluster) continue
      for (const object of table.values()) if (admits(object)) yield object
    }
  }

  #change(cluster: string, added: IndexedObject | undefined, removed: IndexedObject | undefined): void {
    for (const views of [this.#views, this.#filtered]) {
      for (const { cluster: of, admits, list } of views.values()) {
        if (of !== '' && of !== cluster) continue
        // A view that did not admit it does not have it.
        if (removed) list.delete(removed)
        if (added && (!admits || admits(added))) list.add(added)
      }
    }
  }
}

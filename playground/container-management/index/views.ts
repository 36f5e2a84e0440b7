import { remember } from '../../objects/bounded-memory.js'
import { comparator, type OrderBy, orderKey } from '../query/order.js'
import type { IndexedObject } from './indexed-object.js'
import { SortedList } from './sorted-list.js'

/** Which objects a view is about. */
export interface ViewFilter {
  /** Names the filter: equal filters have equal keys. */
  readonly key: string
  /** May look at nothing but the object. */
  readonly admits: (object: IndexedObject) => boolean
}

/** A sorted view of some objects. It is brought up to date by every change, so it is never stale. */
interface View {
  readonly admits: ViewFilter['admits'] | undefined
  readonly list: SortedList<IndexedObject>
}

/** Views kept, filtered ones apart; the one unused for longest is dropped, and built again when it is requested. */
const MAX_VIEWS = 16
/** Filters that were requested once are remembered, so many; the second request builds a view. */
const MAX_REQUESTED_ONCE = 64

/** The sorted views of one type, of one cluster or of all: how the others are read drops none of them. */
export class Views {
  /** In order of use, the longest unused first. */
  readonly #sorted = new Map<string, View>()
  readonly #filtered = new Map<string, View>()
  readonly #requested = new Set<string>()
  readonly #objects: () => Iterable<IndexedObject>

  /** @param objects those that views are of, as they are now */
  constructor(objects: () => Iterable<IndexedObject>) {
    this.#objects = objects
  }

  /** All of them in an order. Stays current; read it at once. */
  sorted(order: readonly OrderBy[]): SortedList<IndexedObject> {
    return this.#view(this.#sorted, orderKey(order), order)
  }

  /**
   * Those that a filter admits, in an order, from the second time on that they are requested: a first page is found sooner by
   * looking through the sorted objects until it is full.
   */
  filtered(
    order: readonly OrderBy[],
    { key: filter, admits }: ViewFilter,
  ): SortedList<IndexedObject> | undefined {
    const key = `${orderKey(order)}|${filter}`
    if (!this.#requested.delete(key) && !this.#filtered.has(key)) {
      this.#requested.add(key)
      const [oldest] = this.#requested
      if (this.#requested.size > MAX_REQUESTED_ONCE && oldest !== undefined) this.#requested.delete(oldest)
      return undefined
    }
    return this.#view(this.#filtered, key, order, admits)
  }

  /** Brings all views up to date. */
  change(added: IndexedObject | undefined, removed: IndexedObject | undefined): void {
    for (const views of [this.#sorted, this.#filtered]) {
      for (const { admits, list } of views.values()) {
        // A view that did not admit it does not have it.
        if (removed) list.delete(removed)
        if (added && (!admits || admits(added))) list.add(added)
      }
    }
  }

  #view(
    views: Map<string, View>,
    key: string,
    order: readonly OrderBy[],
    admits?: ViewFilter['admits'],
  ): SortedList<IndexedObject> {
    const view = views.get(key) ?? {
      admits,
      list: new SortedList(comparator(order), admitted(this.#objects(), admits)),
    }
    remember(views, key, view, MAX_VIEWS)
    return view.list
  }
}

function* admitted(
  objects: Iterable<IndexedObject>,
  admits: ViewFilter['admits'] = () => true,
): Generator<IndexedObject> {
  for (const object of objects) if (admits(object)) yield object
}

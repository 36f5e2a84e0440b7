import type { KubeObject } from '../../../manifests/kube.js'
import { compareTexts } from '../../../ports/compare-texts.js'
import { SortBy, SortDir } from '../../../proto/gen/kairship/types_pb.js'
import type { Cursor, Order } from '../../objects/cursor.js'
import { BY_NAME, comparison } from '../../objects/list/select.js'
import type { AcrossOrder, Sort, SortColumn } from '../../objects/list-query.js'
import type { Place } from '../../objects/object-type.js'
import type { FleetItem } from './fleet-item.js'

/** An object as the API shows it, and what it is sorted by. */
export interface Located {
  readonly object: KubeObject
  readonly place: Place
  readonly item: FleetItem
}

/** An order of the objects of all places, and the order in which each place is asked for its own. */
export interface FleetOrder extends Order<Located> {
  /** A total order: no two objects have the same place, namespace and name. */
  readonly compare: (a: Located, b: Located) => number
  /** Objects of one place are in the same order by it as by `compare`. */
  readonly within: Sort
  /** The same order in the words of an index. */
  readonly across: AcrossOrder
  /** Where a cursor of the list lies in the list of one place; undefined before all its objects. */
  readonly cursorIn: (place: Place, cursor: Cursor) => Cursor | undefined
}

/**
 * The order that a request asks for. Of equal objects the instance, the cluster, the namespace and the name decide, ascending
 * whatever the direction. A key that objects of any type do not have is the name.
 */
export function fleetOrder(sortBy: SortBy, sortDir: SortDir): FleetOrder {
  if (sortBy === SortBy.cluster) {
    const sign = sortDir === SortDir.asc ? 1 : -1
    const within: Sort = { key: 'namespace', descending: false }
    const next = comparison(within)
    return {
      within,
      across: { key: 'cluster', descending: sign < 0 },
      keysOf: ({ place, object }) => [...placeKeys(place), ...objectKeys(object)],
      descending: sign < 0 ? 2 : 0,
      cursorIn(place, { after: [instance = '', cluster = '', namespace = '', name = ''] }) {
        const side = sign * comparePlaces(place, { instance, cluster })
        if (side > 0) return undefined
        return cursorAt(side < 0 ? [LAST] : [namespace, namespace, name])
      },
      compare: (a, b) => sign * comparePlaces(a.place, b.place) || next(a.object, b.object),
    }
  }
  const within = sortOf(sortBy, sortDir)
  const key = keyOnly(within)
  const next = comparison(within)
  return {
    within,
    across: within,
    keysOf: ({ place, object }) => [keyIn(within, object), ...placeKeys(place), ...objectKeys(object)],
    descending: within.descending ? 1 : 0,
    cursorIn(place, { after: [first = '', instance = '', cluster = '', namespace = '', name = ''] }) {
      const side = comparePlaces(place, { instance, cluster })
      return cursorAt([first, ...(side > 0 ? [] : side < 0 ? [LAST] : [namespace, name])])
    },
    compare: (a, b) => key(a.object, b.object) || comparePlaces(a.place, b.place) || next(a.object, b.object),
  }
}

/** By what an index can sort, too. */
interface ColumnSort extends Sort {
  readonly key: SortColumn
}

function sortOf(sortBy: SortBy, sortDir: SortDir): ColumnSort {
  if (sortBy === SortBy.SORT_BY_UNSPECIFIED) return BY_NAME
  const key = sortBy === SortBy.created_at ? 'createdAt' : sortBy === SortBy.namespace ? 'namespace' : 'name'
  return { key, descending: sortDir !== SortDir.asc }
}

/** The comparison by the key alone, without what breaks ties. */
function keyOnly({ key, descending }: ColumnSort): (a: KubeObject, b: KubeObject) => number {
  const sign = descending ? -1 : 1
  return (a, b) => sign * compareTexts(keyIn({ key }, a), keyIn({ key }, b))
}

function keyIn({ key }: Pick<ColumnSort, 'key'>, { metadata }: KubeObject): string {
  const { name, namespace = '', creationTimestamp = '' } = metadata
  return key === 'createdAt' ? creationTimestamp : key === 'namespace' ? namespace : name
}

/** Comes after every name. */
const LAST = '\uffff'
const placeKeys = ({ instance, cluster = '' }: Place): readonly string[] => [instance, cluster]
const objectKeys = ({ metadata: { namespace = '', name } }: KubeObject): readonly string[] => [
  namespace,
  name,
]
const cursorAt = (after: readonly string[]): Cursor => ({ after, offset: 0, sorted: 'here', before: [] })

/** By instance; the control plane before the members of its instance. */
export const comparePlaces = (a: Place, b: Place): number =>
  compareTexts(a.instance, b.instance) || compareTexts(a.cluster ?? '', b.cluster ?? '')

/** The first of sorted lists, of which one comes after another. It holds no more than it is to return. */
export class FirstOf<T> {
  #first: readonly T[] = []

  /** @param most how many are wanted */
  constructor(
    readonly most: number,
    readonly compare: (a: T, b: T) => number,
  ) {}

  get items(): readonly T[] {
    return this.#first
  }

  /** @param sorted in the order of `compare`; at least its first `most` */
  add(sorted: readonly T[]): void {
    const merged: T[] = []
    let [left, right] = [0, 0]
    while (merged.length < this.most) {
      const [a, b] = [this.#first[left], sorted[right]]
      if (a === undefined && b === undefined) break
      if (b === undefined || (a !== undefined && this.compare(a, b) <= 0)) {
        merged.push(a as T)
        left += 1
      } else {
        merged.push(b)
        right += 1
      }
    }
    this.#first = merged
  }
}

import type { IndexedObject } from '../index/indexed-object.js'
import type { Compare } from '../index/sorted-list.js'

/** One column of an `orderby`. */
export interface OrderBy {
  readonly column: OrderColumn
  readonly descending: boolean
}

type Compared = string | number

/** What can be sorted by: Clusterpedia's columns that mean something to a caller. Anything else is refused by name. */
const columns = {
  cluster: object => object.cluster,
  namespace: object => object.namespace,
  name: object => object.name,
  kind: object => object.kind,
  uid: object => object.uid,
  owner_uid: object => object.ownerUid,
  resource_version: object => Number(object.resourceVersion),
  created_at: object => object.createdAt,
  synced_at: object => object.syncedAt,
} as const satisfies Record<string, (object: IndexedObject) => Compared>

export type OrderColumn = keyof typeof columns

/** The columns an `orderby` may name. */
export const ORDER_COLUMNS = Object.keys(columns) as readonly OrderColumn[]

export const isOrderColumn = (name: string): name is OrderColumn => Object.hasOwn(columns, name)

const compared = (left: Compared, right: Compared): number => (left < right ? -1 : left > right ? 1 : 0)

/** As etcd sorts keys, which is the order of an API server's lists: `a-b/x` before `a/x`, because `-` is less than `/`. */
const byKey: Compare<IndexedObject> = (one, other) =>
  one.namespace === other.namespace
    ? compared(one.name, other.name)
    : compared(`${one.namespace}/`, `${other.namespace}/`)

/** What every order ends with, so that it is total and pages neither repeat nor lose an object. */
const TIE_BREAKERS: readonly Compare<IndexedObject>[] = [
  (one, other) => compared(one.cluster, other.cluster),
  byKey,
  (one, other) => compared(one.kind, other.kind),
  (one, other) => compared(one.uid, other.uid),
]

/** A total order; without columns by cluster, and then by key as in its etcd. */
export function comparator(order: readonly OrderBy[]): Compare<IndexedObject> {
  const steps: readonly Compare<IndexedObject>[] = [
    ...order.map(({ column, descending }): Compare<IndexedObject> => {
      const read: (object: IndexedObject) => Compared = columns[column]
      return (one, other) => (descending ? -1 : 1) * compared(read(one), read(other))
    }),
    ...TIE_BREAKERS,
  ]
  return (one, other) => {
    for (const step of steps) {
      const result = step(one, other)
      if (result !== 0) return result
    }
    return 0
  }
}

/** Names an order: equal orders have equal keys. */
export const orderKey = (order: readonly OrderBy[]): string =>
  order.map(({ column, descending }) => (descending ? `${column} desc` : column)).join(',')

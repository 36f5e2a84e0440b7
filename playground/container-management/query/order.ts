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

/** What every order ends with, so that it is total and pages neither repeat nor lose an object. */
const TIE_BREAKERS: readonly OrderBy[] = (['cluster', 'namespace', 'name', 'kind', 'uid'] as const).map(
  column => ({
    column,
    descending: false,
  }),
)

/** A total order; without columns by cluster, namespace and name. */
export function comparator(order: readonly OrderBy[]): Compare<IndexedObject> {
  const steps = [...order, ...TIE_BREAKERS].map(({ column, descending }) => {
    const read: (object: IndexedObject) => Compared = columns[column]
    return { read, sign: descending ? -1 : 1 }
  })
  return (one, other) => {
    for (const { read, sign } of steps) {
      const [left, right] = [read(one), read(other)]
      if (left < right) return -sign
      if (left > right) return sign
    }
    return 0
  }
}

/** Names an order: equal orders have equal keys. */
export const orderKey = (order: readonly OrderBy[]): string =>
  order.map(({ column, descending }) => (descending ? `${column} desc` : column)).join(',')

import { SortBy, SortDir } from '../../proto/gen/kairship/types_pb.js'

const keys = { name: SortBy.field_name, state: SortBy.state } as const

/** A column that the server can sort by. */
export type SortKey = keyof typeof keys

/** The sort of a table in an address: a key, after `-` where it is descending. */
export type Sort = SortKey | `-${SortKey}`

/** Whether a search parameter of an address, which anybody may have typed, is a sort. */
export const isSort = (value: unknown): value is Sort =>
  typeof value === 'string' && Object.hasOwn(keys, value.replace(/^-/, ''))

/** The sort as requests of Lists have it; empty for the server's own order. */
export const sortRequest = (sort: Sort | undefined) =>
  sort && {
    sortBy: keys[sort.replace('-', '') as SortKey],
    sortDir: sort.startsWith('-') ? SortDir.desc : SortDir.asc,
  }

/** How a column is sorted, as `aria-sort` has it. */
export const directionOf = (sort: Sort | undefined, key: SortKey): 'ascending' | 'descending' | 'none' =>
  sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : 'none'

/** The sort after a click on a column: ascending, then descending, then the server's own order. */
export const sortAfterClick = (sort: Sort | undefined, key: SortKey): Sort | undefined =>
  sort === key ? `-${key}` : sort === `-${key}` ? undefined : key

import type { KeptPage } from './pages.js'

/** What a screen shows of a list. */
export interface Page<T> {
  /** Those of the first page in sight. */
  readonly items: readonly T[]
  /** All that the browser has, by the number of their page. */
  readonly pages: ReadonlyMap<number, KeptPage<T>>
  /** Rows on each of them. */
  readonly pageSize: number
  readonly total: number
  /** When `total` was counted, milliseconds since 1970, where it is not counted on: of a list that is too long to be followed whole. */
  readonly countedAt?: number
  /** `live`: what is shown is what there is. `stale`: it was, at `since`. `read`: it was when it was read, as the list is too long to be followed. */
  readonly state: 'loading' | 'live' | 'stale' | 'read'
  /** When the state began, milliseconds since 1970; of `read` when the oldest page in sight was read. */
  readonly since: number
  /** Why it is not live. */
  readonly problem?: Error
  /** Says which rows a reader sees, or is about to see, counted from 0: their pages are read. */
  readonly look: (first: number, last: number) => void
  /** Reads what is in sight again, and tries again to follow it. */
  readonly readAgain: () => void
}

/** The row with a number, counted from 0; undefined while it is on its way. */
export const rowAt = <T>(
  { pages, pageSize }: Pick<Page<T>, 'pages' | 'pageSize'>,
  index: number,
): T | undefined => pages.get(Math.floor(index / pageSize) + 1)?.rows[index % pageSize]

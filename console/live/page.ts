import type { KeptPage } from './pages.js'

/** The state of a list that a screen shows. */
export interface Page<T> {
  /** Rows of the first visible page. */
  readonly items: readonly T[]
  /** All pages that the browser holds, by number. */
  readonly pages: ReadonlyMap<number, KeptPage<T>>
  /** Rows on each page. */
  readonly pageSize: number
  readonly total: number
  /** When `total` was counted, milliseconds since 1970. Only for a list that is too long to follow, whose total is not kept current. */
  readonly countedAt?: number
  /**
   * `live`: the page shows the current rows. `stale`: they were current at `since`; the stream is broken. `read`: they were current when they were
   * read; the list is too long to be followed.
   */
  readonly state: 'loading' | 'live' | 'stale' | 'read'
  /** When the state began, milliseconds since 1970; in state `read` when the oldest visible page was read. */
  readonly since: number
  /** Why the list is not live. */
  readonly problem?: Error
  /** Sets the rows that are visible or about to be, counted from 0. Their pages are read. */
  readonly showRows: (first: number, last: number) => void
  /** Reads the visible pages again, and tries again to follow the list. */
  readonly readAgain: () => void
}

/** The row at an index; undefined while its page is being read. */
export const rowAt = <T>(
  { pages, pageSize }: Pick<Page<T>, 'pages' | 'pageSize'>,
  index: number,
): T | undefined => pages.get(Math.floor(index / pageSize) + 1)?.rows[index % pageSize]

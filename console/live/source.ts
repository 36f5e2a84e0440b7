/** A change that a Watch sends. All lists of the management API share these types. */
export interface Change<T> {
  readonly type: 'RESET' | 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'LEFT'
  readonly item?: T
  /** The number of matching objects after this change. */
  readonly total: number
  readonly resumeToken: string
}

/** A message of the stream of changes of a list that is too long for a Watch. */
export type RowChange =
  /** The stream follows the list from now on; earlier changes may have been missed. */
  | { readonly type: 'START' }
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
      readonly key: string
      /** Kubernetes' resourceVersion. */
      readonly version: string
    }

/** A page of a list, as the requests of all Lists name it. */
export interface PageRequest {
  /** Counts from 1. */
  readonly page: number
  readonly pageSize: number
}

/** Reads and follows a list. */
export interface Source<T> {
  /** Reads one page. The server sorts and pages. */
  list(
    page: PageRequest,
    signal: AbortSignal,
  ): Promise<{ readonly items: readonly T[]; readonly total: number }>
  watch(resumeToken: string, signal: AbortSignal): AsyncIterable<Change<T>>
  /** Follows the changes of a list that is too long for `watch`. Absent: the pages of such a list are not updated after they were read. */
  changes?(signal: AbortSignal): AsyncIterable<RowChange>
  keyOf(item: T): string
  /** The Kubernetes resourceVersion of a row, where it has one. */
  versionOf?(item: T): string | undefined
  /** Rows keep their places when they change, as in a list sorted by name. */
  readonly isStable?: boolean
}

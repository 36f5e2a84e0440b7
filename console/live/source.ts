/** What a Watch sends, whatever it is of: the types that all lists of the management API share. */
export interface Change<T> {
  readonly type: 'RESET' | 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'LEFT'
  readonly item?: T
  /** How many match after this change. */
  readonly total: number
  readonly resumeToken: string
}

/** What the stream of changes sends of a list that is too long for a Watch. */
export type RowChange =
  /** It follows the list from now on; changes before may have been missed. */
  | { readonly type: 'START' }
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
      readonly key: string
      /** Kubernetes' resourceVersion. */
      readonly version: string
    }

/** Which page of a list is asked for, as the requests of all Lists say it. */
export interface PageRequest {
  /** Counts from 1. */
  readonly page: number
  readonly pageSize: number
}

/** Where the pages of a list come from. */
export interface Source<T> {
  /** One page, as the server sorts and pages them. */
  list(
    page: PageRequest,
    signal: AbortSignal,
  ): Promise<{ readonly items: readonly T[]; readonly total: number }>
  watch(resumeToken: string, signal: AbortSignal): AsyncIterable<Change<T>>
  /** Which rows change from now on, where the list is too long for `watch`. Absent: such a list is shown as it was read. */
  changes?(signal: AbortSignal): AsyncIterable<RowChange>
  keyOf(item: T): string
  /** Kubernetes' resourceVersion of a row, where it has one. */
  versionOf?(item: T): string | undefined
  /** Rows stay where they are when they change, as in a list that is sorted by names. */
  readonly isStable?: boolean
}

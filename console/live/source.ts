/** What a Watch sends, whatever it is of: the types that all lists of the management API share. */
export interface Change<T> {
  readonly type: 'RESET' | 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'LEFT'
  readonly item?: T
  /** How many match after this change. */
  readonly total: number
  readonly resumeToken: string
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
  keyOf(item: T): string
  /** Rows stay where they are when they change, as in a list that is sorted by names. */
  readonly isStable?: boolean
}

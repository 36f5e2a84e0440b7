/** The authenticated user behind a request. Nothing else of a request says who that is. */
export interface Caller {
  readonly user: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** Who is asking, once authenticated. Nothing else of a request says who it is from. */
export interface Caller {
  readonly user: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

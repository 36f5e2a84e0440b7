/** A ServiceAccount of the host, as the host names it in tokens and reviews. */
export interface AccountIdentity {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** The ServiceAccounts of the host, as this replica's watch last saw them. */
export interface ServiceAccounts {
  /** Whether the account of this uid was seen to be deleted. It stays so, unless a host that was restored from a backup has it again. */
  wasDeleted(uid: string): boolean
  /** Whether an account is there; undefined while the watch cannot say. One that was made a moment ago may not have been seen yet. */
  isThere(account: AccountIdentity): boolean | undefined
  /** Why they are not watched now, in words; undefined while they are, and before they were read for the first time. */
  readonly problem: string | undefined
}

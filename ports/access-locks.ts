import type { AccessLock } from '../manifests/access-lock.js'

/** The AccessLocks of the host, as this replica's watch last saw them. They stay in force while the host is silent. */
export interface AccessLocks {
  /** True once all have been read. */
  readonly synced: boolean
  /** Another one after each change. */
  readonly revision: number
  /** All that name somebody, those that are over too. */
  all(): readonly AccessLock[]
  /** Names of those that name nobody, and so are not applied. */
  ignored(): readonly string[]
  /** Calls back soon after changes, once for several. Returns what ends that. */
  onChange(listener: () => void): () => void
}

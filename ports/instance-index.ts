import type { Sender } from './kube-api.js'

/** What an index can do beyond answering lists, as its engine declares. Clusterpedia declares none of these. */
export interface IndexCapabilities {
  /** Objects come out as they went in. Clusterpedia takes managedFields and last-applied away, which breaks `apply`. */
  readonly lossless: boolean
  /**
   * Lists carry a resourceVersion of the instance, unless they are given tokens to read on with: they show each change of the
   * type up to it, and a watch can start there.
   */
  readonly listResourceVersion: boolean
  /** Watches are served. */
  readonly watch: boolean
}

/** How far behind the instance its index is, as measured by the canary and not as the index claims. */
export type IndexFreshness =
  /** No canary has been sent or read since contact was made. */
  | { readonly state: 'unknown' }
  /** The last canary was seen `lagMs` after it was written or found; `measuredAt` is RFC 3339 with milliseconds. */
  | {
      readonly state: 'current'
      readonly lagMs: number
      readonly measuredAt: string
      /**
       * That canary was written after this moment, so the index shows everything of its type before it; RFC 3339 with milliseconds. Absent where
       * another replica wrote it and when is not known.
       */
      readonly writtenAfter?: string
    }
  /** A canary has been waited for longer than the patience that is configured: out of service until it is seen. */
  | {
      readonly state: 'stalled'
      readonly lagMs: number
      readonly measuredAt: string
      readonly because: string
    }

/** A type in one of its versions. An index answers for the versions it syncs, and for no other. */
export interface IndexedType {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** An index that has several instances, and answers lists over them. */
export interface SharedIndex {
  /** What it calls this instance: the value of `clusters` in a query. */
  readonly cluster: string
  /** The annotation by which it says of each object which of them it is from; not part of the object. */
  readonly annotation: string
  /** Answers lists over its instances, and authorizes nothing. The same object for all instances of one index. */
  readonly upstream: Sender
}

/** One instance's part of Container Management's index: what the proxy may read instead of the instance itself. */
export interface InstanceIndex {
  readonly can: IndexCapabilities
  /**
   * Whether objects of a type can be read: not indexed at all, being read for the first time, complete and kept as they were
   * when the index lost contact with the instance, or there.
   */
  holds(type: IndexedType): 'no' | 'syncing' | 'paused' | 'synced'
  /** Why what it shows may be old, in its owner's words: the index says itself that it cannot reach the instance. */
  readonly trouble?: string
  readonly freshness: IndexFreshness
  /**
   * To be called for each request that this index could answer: while they come its lag is measured at the canary's interval,
   * and seldom otherwise.
   */
  noteRead(): void
  /** The rights that Kairship's own role bindings give in the instance: which ones, and for how long they have been these. */
  readonly rights: { readonly revision: string; readonly unchangedForMs: number }
  /** The annotation that the index adds to each object, as it stands in JSON; not part of the object. */
  readonly mark: string
  /**
   * Answers the instance's own Kubernetes paths from the index, as the index's own user: it authorizes nothing. The
   * sender has decided already that the caller may read this.
   */
  readonly upstream: Sender
  /** The index with all its instances. */
  readonly shared: SharedIndex
}

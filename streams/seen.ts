/**
 * What a watcher sees of one collection, in order:
 *
 * `restarted` (`listed`)* `synced`, then any of `applied`, `deleted`, `bookmarked`; an `interrupted` may come anywhere.
 * After an `interrupted` the sequence goes on where it was, or restarts with `restarted`.
 */
export type Seen<T> = Restarted | Listed<T> | Synced | Applied<T> | Deleted<T> | Bookmarked | Interrupted

/** A list begins. Until `synced`, absence means nothing; what earlier lists named may be gone. */
export interface Restarted {
  readonly type: 'restarted'
}

/** One page of the list. */
export interface Listed<T> {
  readonly type: 'listed'
  readonly objects: readonly T[]
}

/** The list is complete: whatever was not in it since `restarted` does not exist. */
export interface Synced {
  readonly type: 'synced'
  readonly cursor: string
}

/** The object was created or changed. */
export interface Applied<T> {
  readonly type: 'applied'
  readonly object: T
  readonly cursor: string
}

/** The object is gone, or no longer matches the selector; `object` is its last state. */
export interface Deleted<T> {
  readonly type: 'deleted'
  readonly object: T
  readonly cursor: string
}

/** Nothing changed up to here: a watch may resume at this cursor. */
export interface Bookmarked {
  readonly type: 'bookmarked'
  readonly cursor: string
}

/** A list or a watch failed, and the stream will try again by itself. The items seen so far stay the best information. */
export interface Interrupted {
  readonly type: 'interrupted'
  readonly error: Error
  /** How many failures in a row the back-off counts, this one included. It says nothing about contact. */
  readonly attempt: number
  /** Milliseconds since the server was last in contact: it sent something, or it had held a watch open until it broke now. */
  readonly silentMs: number
  /** Milliseconds until the next try. */
  readonly retryInMs: number
}

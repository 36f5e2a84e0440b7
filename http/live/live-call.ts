import type { Failure } from '../errors/failure.js'
import type { Action } from '../identity/authorize.js'
import type { Caller } from '../identity/caller.js'

/** A call under way, by REST, gRPC, proxy or console. What it says of itself is read later, and may be found out meanwhile. */
export interface LiveCall {
  readonly caller: Caller
  /** What it is about; absent for none, and for many. */
  readonly instance: string | undefined
  /** What was authorized for it as a whole; empty for what every caller may do. */
  readonly actions: readonly Action[]
  /** It goes on for as long as its caller likes. */
  readonly isLong: boolean
  /** Ends it within half a second, and says why in the words of its protocol. */
  end(failure: Failure): void
}

/** A call that is live. */
export interface Live {
  /** Before a right on one of many instances is decided for it. */
  note(instance: string): void
  /** It is over. */
  leave(): void
}

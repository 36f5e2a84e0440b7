import type { Log } from '../ports/log.js'
import type { Caller } from './identity/caller.js'

/** Which door a call came through. */
export type Wire = 'rest' | 'grpc'

/** What a handler knows of the call besides its request. */
export interface Call {
  readonly requestId: string
  readonly caller: Caller
  /** Aborts when the caller hangs up, the deadline passes or the server shuts down; the reason is a Failure. Pass it on. */
  readonly signal: AbortSignal
  readonly log: Log
  /**
   * Whether the caller may see the object of this name. Always true where the caller may see all; asked of the
   * authorizer, and remembered shortly, where the operation is `filtered`.
   */
  maySee(name: string): Promise<boolean>
}

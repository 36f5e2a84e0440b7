import type { Log } from '../ports/log.js'
import type { Caller } from './identity/caller.js'

/** The protocol by which a call came. */
export type Wire = 'rest' | 'grpc'

/** A call, as its handler sees it besides its request. */
export interface Call {
  readonly requestId: string
  readonly caller: Caller
  /** Aborts when the caller hangs up, the deadline passes or the server shuts down; the reason is a Failure. Pass it on. */
  readonly signal: AbortSignal
  readonly log: Log
  /**
   * Whether the caller may see the object of this name. Always true where the caller may see all; where the operation
   * is `filtered`, the authorizer decides, and its decision is remembered for seconds.
   */
  maySee(name: string): Promise<boolean>
}

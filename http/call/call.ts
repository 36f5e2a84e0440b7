import type { Log } from '../../ports/log.js'
import type { Caller } from '../identity/caller.js'
import type { AnswerAccount } from '../limits/answer-memory.js'
import type { AnsweredFrom } from './answered-from.js'
import type { AuditDetails } from './audit-details.js'

/** The protocol by which a call came. */
export type Wire = 'rest' | 'grpc'

/** A call, as its handler sees it besides its request. */
export interface Call {
  readonly requestId: string
  readonly caller: Caller
  /** A browser's session stands for the caller's credential: scripts of its page must not get one that they could carry off. */
  readonly bySession?: boolean
  /** Aborts when the caller hangs up, the deadline passes or the server shuts down; the reason is a Failure. Pass it on. */
  readonly signal: AbortSignal
  readonly log: Log
  /** What the call reads of instances and holds until its answer was sent. */
  readonly answers: AnswerAccount
  /**
   * Whether the caller may see the object of this name. Always true where the caller may see all, of a stream as long as the caller may;
   * where the operation is `filtered`, the authorizer decides, and its decision is remembered for seconds.
   */
  maySee(name: string): Promise<boolean>
  /** Whether no AccessLock closes the instance of this name to the caller. */
  isOpen(name: string): boolean
  /**
   * Says where the objects of the answer are from: the caller reads it in headers. What is said first counts, which is of the
   * requested objects, and not of what is read to complete them.
   */
  answered(from: AnsweredFrom): void
  /** Completes what the audit record says of the object, where the request's own fields do not: the name in a manifest. What is said last counts. */
  about(part: AboutObject): void
}

/** What a handler may find out for the audit record: parts of the object's key, and what that does not say. */
export interface AboutObject {
  readonly namespace?: string
  readonly name?: string
  /** Whom a lock names. */
  readonly details?: AuditDetails
}

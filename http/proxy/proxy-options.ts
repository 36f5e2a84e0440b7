import type { Log } from '../../ports/log.js'
import type { Audit } from '../audit/audit.js'
import type { Authenticator } from '../identity/authenticate.js'
import type { Authorizer } from '../identity/authorize.js'
import type { LockedCallers } from '../identity/locked-callers.js'
import type { InstanceReading } from '../instances/instance-reading.js'
import type { LiveCalls } from '../live/live-calls.js'
import type { RequestParts } from './request-parts.js'

/** What the proxy needs. */
export interface ProxyOptions extends RequestParts {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  /** Who may do nothing, whatever else says. */
  readonly locked: Pick<LockedCallers, 'refusal'>
  /** Ends requests under way whose caller loses the right to them. */
  readonly live: Pick<LiveCalls, 'add'>
  /** Who has just made an instance, or made it again, is not sent to what bore its name before. */
  readonly instances: Pick<InstanceReading, 'sameAsWritten'>
  readonly log: Log
  readonly audit: Audit
  /** Milliseconds a caller may leave an answer unread before it is cut off. */
  readonly patienceMs: number
}

import type { Fleet } from '../../ports/fleet.js'
import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import type { Authenticator } from '../identity/authenticate.js'
import type { Authorizer } from '../identity/authorize.js'
import type { Held } from '../limits.js'
import type { CatchUp } from '../read-your-writes/catch-up.js'
import type { WriteLedger } from '../read-your-writes/ledger.js'
import type { InstanceReading } from '../rpc/instance-reading.js'
import type { Circuits } from './circuit/circuits.js'
import type { InstanceAccess } from './index/access.js'
import type { AggregatedApis } from './index/aggregated-apis.js'

/** What the proxy needs. */
export interface ProxyOptions {
  readonly fleet: Fleet
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  /** Who has just made an instance, or made it again, is not sent to what bore its name before. */
  readonly instances: Pick<InstanceReading, 'sameAsWritten'>
  readonly log: Log
  readonly meter: Meter
  /** Requests under way for one instance. One that is slow must not take the sockets of the others. */
  readonly perInstance: Held
  /** The same of one caller. */
  readonly perCaller: Held
  /** Watches, followed logs and upgraded connections of one caller. */
  readonly longPerCaller: Held
  /** The same of all callers for one instance. */
  readonly longPerInstance: Held
  /** Whether instances can be reached at all. */
  readonly circuits: Circuits
  /** Milliseconds a caller may leave an answer unread before it is cut off. */
  readonly patienceMs: number
  readonly access: InstanceAccess
  readonly aggregatedApis: AggregatedApis
  readonly ledger: WriteLedger
  readonly catchUp: CatchUp
  readonly now: () => number
}

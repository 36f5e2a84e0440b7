import type { Fleet } from '../../ports/fleet.js'
import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import { Activity } from '../activity/activity.js'
import { Arrivals } from '../read-your-writes/arrivals.js'
import { CatchUp } from '../read-your-writes/catch-up.js'
import type { WriteLedger } from '../read-your-writes/ledger.js'
import { InstanceAccess } from './index/access.js'
import { AggregatedApis } from './index/aggregated-apis.js'
import { type InstanceLimits, limitsOf, type ProxyLimits } from './limits.js'
import type { Sources } from './proxy-request.js'

/** What every request to an instance passes, whether it came to the proxy or a handler of the management API makes it. */
export interface RequestParts extends Sources, InstanceLimits {
  readonly meter: Meter
  readonly now: () => number
  /** How long role bindings count after the host was last heard, milliseconds; their own default when absent. */
  readonly hostGraceMs?: number | undefined
}

/** What the parts are made of. */
export interface RequestPartsOptions {
  readonly fleet: Fleet
  readonly log: Log
  readonly meter: Meter
  readonly ledger: WriteLedger
  readonly now: () => number
  readonly limits?: Partial<ProxyLimits> | undefined
  /** Whether callers are shown what they wrote before they came to this replica: through another, or one that ended. */
  readonly checkNewcomers?: boolean | undefined
  /** How long what an instance said of its callers' rights counts while it cannot be reached, milliseconds. */
  readonly rightsGraceMs?: number | undefined
  /** How long role bindings count after the host was last heard, milliseconds. */
  readonly hostGraceMs?: number | undefined
}

/** The parts of one process. They are made once: circuits and limits count what all requests do. */
export function requestParts(options: RequestPartsOptions): RequestParts & Pick<ProxyLimits, 'patienceMs'> {
  const { fleet, meter, ledger, now, checkNewcomers, rightsGraceMs, hostGraceMs } = options
  return {
    fleet,
    meter,
    ledger,
    now,
    hostGraceMs,
    ...limitsOf(options.limits ?? {}, options),
    activity: new Activity(),
    access: new InstanceAccess(now, { graceMs: rightsGraceMs }),
    aggregatedApis: new AggregatedApis(now),
    catchUp: new CatchUp(ledger, checkNewcomers ? new Arrivals(now) : undefined),
  }
}

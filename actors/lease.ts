import type { Observable } from 'rxjs'
import { createActor } from 'xstate'
import { DEFAULT_DURATIONS, type LeaseDurations, leaseMachine, wakeAt } from '../machines/lease.js'
import type { KubeApi } from '../ports/kube-api.js'
import type { Log } from '../ports/log.js'
import type { Meter } from '../ports/meter.js'
import { type Leadership, LeadershipView } from './leadership.js'
import { Alarm, type LeaseClock, systemClock } from './lease-clock.js'
import { leaseEffects } from './lease-effects.js'

export interface LeaseOptions {
  readonly api: KubeApi
  readonly namespace: string
  readonly name: string
  /** Unique among running replicas. A restarted one may come back under its old name, and then need not wait. */
  readonly identity: string
  /** False: only follow who holds it. */
  readonly contend: boolean
  readonly durations?: LeaseDurations
  readonly clock?: LeaseClock
  /**
   * Resolves when all effects of the ended term have stopped. Awaited before the lease is given back, so that the next
   * holder acts alone; if it takes longer than the term would have lasted, the lease is left to expire.
   */
  readonly drain?: () => Promise<void>
  readonly log: Log
  readonly meter: Meter
}

export interface LeaseHandle {
  /** The present leadership, then every change. Never errors; completes after `release`. */
  readonly leadership$: Observable<Leadership>
  /** The present leadership, checked against the clock: a process that slept does not lead, even before it was told. */
  current(): Leadership
  /** Stops acting at once, waits for `drain`, gives the lease back. Resolves when done, also when that failed. Idempotent. */
  release(): Promise<void>
}

/**
 * Takes part in the election over one Lease and says who leads. The rules and their arithmetic are in `machines/lease.ts`;
 * here they meet the API: a conflict is an answer, anything else that goes wrong is silence.
 * @throws RangeError when the durations do not leave the guarantee standing
 */
export function startLease(options: LeaseOptions): LeaseHandle {
  const settings = {
    durations: DEFAULT_DURATIONS,
    clock: systemClock,
    drain: () => Promise.resolve(),
    ...options,
  }
  const { identity, contend, durations, clock } = settings
  checkDurations(durations)
  const log = options.log.child({ lease: `${options.namespace}/${options.name}`, identity })
  const actor = createActor(leaseMachine.provide({ actors: leaseEffects({ ...settings, log }) }), {
    input: { identity, contend, durations, now: clock.now() },
  })
  const leadership = new LeadershipView(log, options.meter)
  const alarm = new Alarm(clock, event => actor.send(event))
  const ended = new Promise<void>(resolve => {
    actor.subscribe({
      next(snapshot) {
        alarm.set(snapshot.status === 'active' ? wakeAt(snapshot) : undefined)
        leadership.at(snapshot, clock.now())
      },
      complete() {
        leadership.end()
        resolve()
      },
      error(error) {
        // The chart has no failing actions; if it fails all the same, not acting is the safe side.
        log.error({ err: error }, 'leader election failed')
        alarm.set(undefined)
        leadership.end()
        resolve()
      },
    })
  })
  actor.start()
  return {
    leadership$: leadership.changes$,
    current: () => leadership.at(actor.getSnapshot(), clock.now()),
    release() {
      if (actor.getSnapshot().status === 'active') actor.send({ type: 'lease.release', now: clock.now() })
      return ended
    },
  }
}

/** @throws RangeError */
function checkDurations({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: LeaseDurations): void {
  if (!(retryPeriodMs > 0 && renewDeadlineMs > 1.2 * retryPeriodMs))
    throw new RangeError(
      `renewDeadlineMs (${renewDeadlineMs}) must be more than 1.2 × retryPeriodMs (${retryPeriodMs})`,
    )
  if (!(leaseDurationMs > renewDeadlineMs))
    throw new RangeError(
      `leaseDurationMs (${leaseDurationMs}) must be more than renewDeadlineMs (${renewDeadlineMs})`,
    )
}

import { randomBytes } from 'node:crypto'
import type { Observable } from 'rxjs'
import { createActor } from 'xstate'
import { leaseMachine, wakeAt } from '../../machines/lease.js'
import { DEFAULT_DURATIONS, type LeaseDurations } from '../../machines/lease-terms.js'
import { type Leadership, LeadershipView } from './leadership.js'
import { Alarm, Moments, systemClock } from './lease-clock.js'
import { leaseEffects } from './lease-effects.js'
import type { LeaseOptions } from './lease-options.js'

/** One replica in the election. */
export interface LeaseHandle {
  /** What the Lease calls this replica while it holds it: its name and a random part, another one for each `startLease`. */
  readonly identity: string
  /** The present leadership, then every change. Never errors; completes after `release`. */
  readonly leadership$: Observable<Leadership>
  /** The present leadership, checked against the clocks: a process that was frozen or asleep past its term does not lead, even before a timer fires. */
  current(): Leadership
  /** Stops acting at once, waits for `drain`, gives the lease back. Resolves when done, also when that failed. Idempotent. */
  release(): Promise<void>
}

/**
 * Takes part in the election over one Lease. The rules and their arithmetic are in `machines/lease.ts`; here the API is
 * called: a conflict is an answer, any other error counts as no answer.
 * @throws RangeError when the durations do not leave the guarantee standing
 */
export function startLease(options: LeaseOptions): LeaseHandle {
  const settings = {
    durations: DEFAULT_DURATIONS,
    clock: systemClock,
    drain: () => Promise.resolve(),
    ...options,
  }
  const { contend, durations, clock } = settings
  checkDurations(durations)
  const identity = `${options.identity}_${randomBytes(4).toString('hex')}`
  const log = options.log.child({ lease: `${options.namespace}/${options.name}`, identity })
  const moments = new Moments(clock)
  const effects = leaseEffects({ ...settings, identity, moments, log })
  const actor = createActor(leaseMachine.provide({ actors: effects }), {
    input: { identity, contend, durations, ...moments.read() },
  })
  const leadership = new LeadershipView(log, options.meter)
  const alarm = new Alarm(clock, () => actor.send({ type: 'time.passed', ...moments.read() }))
  const ended = new Promise<void>(resolve => {
    actor.subscribe({
      next(snapshot) {
        alarm.set(snapshot.status === 'active' ? wakeAt(snapshot) : undefined)
        leadership.at(snapshot, moments.read())
      },
      complete() {
        leadership.end()
        resolve()
      },
      error(error) {
        // The chart has no failing actions. If one fails all the same, this replica stops acting first.
        log.error({ err: error }, 'leader election failed')
        alarm.set(undefined)
        leadership.end()
        resolve()
        options.failed(error)
      },
    })
  })
  actor.start()
  return {
    identity,
    leadership$: leadership.changes$,
    current: () => leadership.at(actor.getSnapshot(), moments.read()),
    release() {
      if (actor.getSnapshot().status === 'active') actor.send({ type: 'lease.release', ...moments.read() })
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

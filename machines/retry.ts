import { type Failure, paceOf } from './failure.js'

/**
 * How long to rest after the given number of failed tries in a row, in milliseconds, before jitter. `soon` doubles from
 * 0.25 s to 4 s, `calm` from 1 s to 60 s: a thousand broken instances then ask about 17 times a second in total. Where the
 * server asked for a pause, `jittered` makes it last so long at least, and up to twice as long, so that not all come back at once.
 */
export function restMs(failure: Failure, attempts: number): number {
  const [first, most] = paceOf(failure) === 'soon' ? [250, 4_000] : [1_000, 60_000]
  const asked = 2 * (failure.retryAfterMs ?? 0)
  return Math.max(asked, Math.min(most, first * 2 ** Math.min(attempts - 1, 16)))
}

/**
 * How long a write may stay unseen by our own watch before it is checked again. A healthy watch reports within
 * milliseconds; ten seconds of silence means that the object was removed in between or the watch is being resumed.
 */
export const CONFIRM_WITHIN_MS = 10_000

/**
 * The least time between two writes of one instance's status. Coming up, an instance observes some twenty facts within a few
 * seconds; written one by one they were most of all requests to the host (22 PATCHes each, measured with ten instances).
 * What follows within seconds of being ready (role bindings, figures, the measured lag) is one write too.
 */
export const STATUS_PAUSE_MS = 3_000

/** The same until it is ready, which is written without a pause: in between few changes are urgent for a person. */
export const STATUS_PAUSE_COMING_UP_MS = 5_000

/**
 * The same for role bindings: Global Management writes an instance's bindings one after the other, and each reconciliation
 * first reads what is there.
 */
export const ROLE_BINDINGS_PAUSE_MS = 1_000

/**
 * How long the first status of a new Instance waits for it to become ready, and the first look at its RBAC for role bindings. In
 * a fleet of 1,000 an instance is ready 0.7 s after its turn came; a person may have to wait so long for a sign of life.
 */
export const GATHER_MS = 2_000

/** Full jitter over the upper half: never less than half the rest, never more than all of it. `random` is in [0, 1). */
export const jittered = (ms: number, random: number): number => Math.round(ms / 2 + (ms / 2) * random)

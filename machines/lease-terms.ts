import type { Lease } from '../manifests/lease.js'

/** Milliseconds. Kubernetes' own components use 15 s, 10 s and 2 s. */
export interface LeaseDurations {
  /** How long others wait after they last saw the lease change. */
  readonly leaseDurationMs: number
  /** How long a holder goes on after its last successful write began. */
  readonly renewDeadlineMs: number
  /** Between renewals, and between tries. */
  readonly retryPeriodMs: number
}

export const DEFAULT_DURATIONS: LeaseDurations = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
}

/** One reading of both clocks, milliseconds. */
export interface Moment {
  /** The monotonic clock: at least so much time has passed between two readings. */
  readonly now: number
  /** By how much the wall clock has outrun the monotonic one in total. At most so much time has passed between two readings of `now + slept`. */
  readonly slept: number
}

/** Facts, with the moment of their observation; and the one command. */
export type LeaseEvent = Moment & LeaseFact

type LeaseFact =
  /** The watch saw the lease. */
  | { readonly type: 'lease.seen'; readonly lease: Lease | 'absent' }
  /** Our read was answered. */
  | { readonly type: 'lease.read'; readonly lease: Lease | 'absent' }
  /** Our write was executed. */
  | { readonly type: 'lease.written'; readonly lease: Lease }
  /** Our write was refused: the lease was written in between. */
  | { readonly type: 'lease.contested' }
  /** No answer: our read or write may have been executed or not. */
  | { readonly type: 'lease.unanswered'; readonly error: Error }
  /** The lease was given back, or could not be and will expire. */
  | { readonly type: 'lease.returned' }
  | { readonly type: 'time.passed' }
  | { readonly type: 'lease.release' }

export interface LeaseInput extends Moment {
  /** Unique per process. */
  readonly identity: string
  /** False: only follow who holds it. */
  readonly contend: boolean
  readonly durations: LeaseDurations
}

export interface LeaseContext extends LeaseInput {
  /** The lease as last seen: by the watch, a read or a write. */
  readonly seen?: Lease | 'absent'
  /** From when on this replica may take the lease, as last seen; never before it was seen. Monotonic clock. */
  readonly freeAt: number
  /** When the request under way, or else the last one, began. */
  readonly requestedAt: Moment
  /** Leading ends here unless a renewal succeeds; compared with `latest`. */
  readonly actUntil: number
  /** End of the present rest. Monotonic clock. */
  readonly restUntil: number
  readonly leaving: boolean
}

/** The latest time that it may be at this moment: what a holder measures its term by. */
export const latest = ({ now, slept }: Moment): number => now + slept

/** Before anything happened. */
export const never: Moment = { now: Number.NEGATIVE_INFINITY, slept: 0 }

/** What a write needs to know. */
export interface LeaseWrite {
  readonly lease: Lease | 'absent'
}

/** The holder of a lease as last seen; undefined when it has none. */
export const holderOf = (seen: Lease | 'absent' | undefined): string | undefined =>
  (seen !== undefined && seen !== 'absent' && seen.spec?.holderIdentity) || undefined

/**
 * From when on this replica may take a lease that was seen. Without a holder or held by this replica: now. Held by another: when
 * it has not changed for its duration, counted from when it was first seen so. Deleted while another held it: the same.
 */
export function freeFrom(context: LeaseContext, lease: Lease | 'absent', now: number): number {
  const { seen, freeAt, identity, durations } = context
  if (lease === 'absent') {
    if (seen === 'absent') return freeAt
    const vanished = seen !== undefined && ![undefined, identity].includes(holderOf(seen))
    return vanished ? now + durationOf(seen, durations) : now
  }
  const holder = holderOf(lease)
  if (holder === undefined || holder === identity) return now
  // Any write counts as a sign of life, also a label: the times in the lease were written by another clock.
  const unchanged = seen !== undefined && seen !== 'absent' && versionOf(seen) === versionOf(lease)
  return unchanged ? freeAt : now + durationOf(lease, durations)
}

const versionOf = ({ metadata }: Lease): string | undefined => metadata.resourceVersion

/** The duration that the holder wrote counts, so that replicas may be configured differently. */
function durationOf({ spec }: Lease, { leaseDurationMs }: LeaseDurations): number {
  const seconds = spec?.leaseDurationSeconds ?? 0
  return seconds > 0 ? seconds * 1000 : leaseDurationMs
}

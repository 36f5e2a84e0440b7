import { assign, type SnapshotFrom, setup } from 'xstate'
import type { Lease } from '../manifests/lease.js'
import { observer } from './effect.js'

/**
 * Who acts: one replica's part in leader election over a Lease.
 *
 * **Guarantee.** No two replicas lead at the same moment. A holder leads from the answer to its write until
 * `renewDeadline` after that write *began*. Another takes over only after it has seen the lease unchanged for
 * `leaseDuration` on its own clock, which began no earlier than the holder's last write was *executed*, and only if
 * its own write finds the resourceVersion it saw. So with clocks that run at most ρ too fast or too slow it holds that
 *
 *     renewDeadline · (1 + ρ) + effects' stopping time  <  leaseDuration · (1 − ρ)
 *
 * With the defaults (10 s, 15 s) and clocks that are wrong by a tenth, which none is, 2.5 s are left for effects to stop.
 *
 * **Assumptions.** Clocks need not agree, jump or drift with each other: only differences on one monotonic clock
 * count, and times written in the Lease are never read. The API server executes a write at most once per resourceVersion.
 * Identities are unique per process start. Nobody deletes the Lease while it is held *and* starts a new replica within
 * `renewDeadline`: to a replica that never saw it, an absent lease is free.
 *
 * **Caveat.** A request that an effect sent before its signal aborted may still be executed. Effects are idempotent and
 * carry preconditions for that reason.
 *
 * **Time** comes as the `now` of each event, milliseconds of a monotonic clock. `wakeAt` says when the chart next wants
 * to be told the time.
 */

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

/** Facts, with the moment they were learned; and the one command. */
export type LeaseEvent =
  /** The watch saw the lease. */
  | { readonly type: 'lease.seen'; readonly lease: Lease | 'absent'; readonly now: number }
  /** Our read was answered. */
  | { readonly type: 'lease.read'; readonly lease: Lease | 'absent'; readonly now: number }
  /** Our write was executed. */
  | { readonly type: 'lease.written'; readonly lease: Lease; readonly now: number }
  /** Our write was refused: somebody wrote in between. */
  | { readonly type: 'lease.contested'; readonly now: number }
  /** No answer: our read or write may have been executed or not. */
  | { readonly type: 'lease.unanswered'; readonly error: Error; readonly now: number }
  /** What we gave back is given back, or could not be and will expire. */
  | { readonly type: 'lease.returned'; readonly now: number }
  | { readonly type: 'time.passed'; readonly now: number }
  /** The wall clock moved on while the monotonic one stood still: this machine slept, and others did not. */
  | { readonly type: 'clock.jumped'; readonly now: number }
  | { readonly type: 'lease.release'; readonly now: number }

export interface LeaseInput {
  readonly identity: string
  /** False: only follow who holds it. */
  readonly contend: boolean
  readonly durations: LeaseDurations
  readonly now: number
}

export interface LeaseContext extends LeaseInput {
  /** The lease as last seen by anyone of us: watch, read or write. */
  readonly seen?: Lease | 'absent'
  /** From when on it is ours to take, as far as we have seen. */
  readonly freeAt: number
  /** When the request under way, or else the last one, began. */
  readonly askedAt: number
  /** Leading ends here unless a renewal succeeds. */
  readonly actUntil: number
  /** End of the present rest. */
  readonly restUntil: number
  readonly leaving: boolean
}

/** What a write needs to know. */
export interface LeaseWrite {
  readonly lease: Lease | 'absent'
}

export const leaseMachine = setup({
  types: {} as { context: LeaseContext; events: LeaseEvent; input: LeaseInput },
  actors: {
    'follow the lease': observer<undefined, LeaseEvent>(),
    'read the lease': observer<undefined, LeaseEvent>(),
    'write the lease': observer<LeaseWrite, LeaseEvent>(),
    'give the lease back': observer<{ readonly actUntil: number }, LeaseEvent>(),
  },
  guards: {
    'is leaving': ({ context }) => context.leaving,
    'may take it': ({ context: { contend, seen, freeAt, now } }) =>
      contend && seen !== undefined && now >= freeAt,
    'may no longer act': ({ context: { now, actUntil } }) => now >= actUntil,
    'has rested': ({ context: { now, restUntil } }) => now >= restUntil,
    'has rested and may still act': ({ context: { now, restUntil, actUntil } }) =>
      now >= restUntil && now < actUntil,
    'is still ours': ({ context: { seen, identity } }) => holderOf(seen) === identity,
  },
  actions: {
    'note the time': assign(({ event }) => ({ now: event.now })),
    'note what was seen': assign(({ context, event }) =>
      'lease' in event ? { seen: event.lease, freeAt: freeFrom(context, event.lease, event.now) } : {},
    ),
    'note that a request begins': assign(({ context }) => ({ askedAt: context.now })),
    'act on from that write': assign(({ context: { askedAt, durations } }) => ({
      actUntil: askedAt + durations.renewDeadlineMs,
    })),
    // Counted from when the request began: after one that was slow to fail there is no time to lose.
    'rest until the next try': assign(({ context: { askedAt, durations } }) => ({
      restUntil: askedAt + durations.retryPeriodMs,
    })),
    'trust no deadline': assign({
      askedAt: Number.NEGATIVE_INFINITY,
      actUntil: Number.NEGATIVE_INFINITY,
    }),
    'note the wish to leave': assign({ leaving: true }),
  },
}).createMachine({
  id: 'lease',
  context: ({ input }) => ({
    ...input,
    freeAt: Number.POSITIVE_INFINITY,
    askedAt: Number.NEGATIVE_INFINITY,
    actUntil: Number.NEGATIVE_INFINITY,
    restUntil: Number.NEGATIVE_INFINITY,
    leaving: false,
  }),
  invoke: { src: 'follow the lease' },
  on: {
    'time.passed': { actions: 'note the time' },
    'lease.release': { actions: ['note the time', 'note the wish to leave'] },
    'clock.jumped': { actions: ['note the time', 'trust no deadline'] },
  },
  initial: 'standby',
  states: {
    /** Somebody else may be leading. We do not act. */
    standby: {
      // Not while leading: there our own answers are newer than any watch.
      on: { 'lease.seen': { actions: ['note the time', 'note what was seen'] } },
      initial: 'looking',
      states: {
        /** What we saw is the latest we know. */
        waiting: {
          always: [
            { guard: 'is leaving', target: '#lease.released' },
            { guard: 'may take it', target: '#lease.acquiring' },
          ],
        },
        /** What we saw is out of date: we look again. */
        looking: {
          always: { guard: 'is leaving', target: '#lease.released' },
          entry: 'note that a request begins',
          invoke: { src: 'read the lease' },
          on: {
            'lease.read': { actions: ['note the time', 'note what was seen'], target: 'waiting' },
            'lease.unanswered': { actions: ['note the time', 'rest until the next try'], target: 'resting' },
          },
        },
        /** The API server does not answer: we let it breathe. */
        resting: {
          always: [
            { guard: 'is leaving', target: '#lease.released' },
            { guard: 'has rested', target: 'looking' },
          ],
        },
      },
    },
    /** It is free as far as we saw, and our write is under way. We do not act yet. */
    acquiring: {
      entry: 'note that a request begins',
      invoke: { src: 'write the lease', input: ({ context }) => ({ lease: context.seen ?? 'absent' }) },
      on: {
        'lease.seen': { actions: ['note the time', 'note what was seen'] },
        'lease.written': {
          actions: [
            'note the time',
            'note what was seen',
            'act on from that write',
            'rest until the next try',
          ],
          target: 'leading',
        },
        'lease.contested': {
          actions: ['note the time', 'rest until the next try'],
          target: 'standby.resting',
        },
        'lease.unanswered': [
          // It may have been executed, and then others would wait for nothing.
          { guard: 'is leaving', actions: 'note the time', target: 'releasing' },
          { actions: ['note the time', 'rest until the next try'], target: 'standby.resting' },
        ],
      },
    },
    /** It is ours until `actUntil`. We act. */
    leading: {
      always: [
        { guard: 'is leaving', target: 'releasing' },
        { guard: 'may no longer act', target: 'standby.looking' },
      ],
      initial: 'resting',
      states: {
        resting: {
          always: { guard: 'has rested and may still act', target: 'renewing' },
        },
        renewing: {
          entry: 'note that a request begins',
          invoke: { src: 'write the lease', input: ({ context }) => ({ lease: context.seen ?? 'absent' }) },
          on: {
            'lease.written': {
              actions: [
                'note the time',
                'note what was seen',
                'act on from that write',
                'rest until the next try',
              ],
              target: 'resting',
            },
            'lease.contested': [
              {
                guard: 'has rested',
                actions: ['note the time', 'rest until the next try'],
                target: 'looking',
              },
              // Twice in a row: somebody writes faster than we do.
              { actions: 'note the time', target: 'resting' },
            ],
            'lease.unanswered': { actions: ['note the time', 'rest until the next try'], target: 'resting' },
          },
        },
        /** Somebody wrote: ourselves, by a renewal whose answer was lost; a person, some label; or a new holder. */
        looking: {
          entry: 'note that a request begins',
          invoke: { src: 'read the lease' },
          on: {
            'lease.read': { actions: ['note the time', 'note what was seen'], target: 'judging' },
            'lease.unanswered': { actions: ['note the time', 'rest until the next try'], target: 'resting' },
          },
        },
        judging: {
          always: [{ guard: 'is still ours', target: 'renewing' }, { target: '#lease.standby.waiting' }],
        },
      },
    },
    /** We have stopped acting and give it back. */
    releasing: {
      invoke: { src: 'give the lease back', input: ({ context }) => ({ actUntil: context.actUntil }) },
      on: { 'lease.returned': { actions: 'note the time', target: 'released' } },
    },
    released: { type: 'final' },
  },
})

type LeaseSnapshot = SnapshotFrom<typeof leaseMachine>

/** Whether this replica may act at this moment. The time is asked for because a process may wake up late. */
export const isLeading = (snapshot: LeaseSnapshot, now: number): boolean =>
  snapshot.matches('leading') && now < snapshot.context.actUntil

/** Who holds the lease as far as we know; undefined when nobody does. */
export const holderOf = (seen: Lease | 'absent' | undefined): string | undefined =>
  (seen !== undefined && seen !== 'absent' && seen.spec?.holderIdentity) || undefined

/** When the chart next wants to hear `time.passed`; undefined while it only waits for facts. */
export function wakeAt(snapshot: LeaseSnapshot): number | undefined {
  const { contend, seen, freeAt, restUntil, actUntil } = snapshot.context
  if (snapshot.matches('leading'))
    return snapshot.matches({ leading: 'resting' }) ? Math.min(restUntil, actUntil) : actUntil
  if (snapshot.matches({ standby: 'resting' })) return restUntil
  return snapshot.matches({ standby: 'waiting' }) && contend && seen !== undefined ? freeAt : undefined
}

/**
 * From when on a lease that was seen is ours to take. Ours and nobody's: now. Another's: when it has not changed for its
 * duration, counted from when we first saw it so. One that vanished while another held it: as if it were still there.
 */
function freeFrom(context: LeaseContext, lease: Lease | 'absent', now: number): number {
  const { seen, freeAt, identity, durations } = context
  if (lease === 'absent') {
    if (seen === 'absent') return freeAt
    const vanished = seen !== undefined && ![undefined, identity].includes(holderOf(seen))
    return vanished ? now + durationOf(seen, durations) : now
  }
  const holder = holderOf(lease)
  if (holder === undefined || holder === identity) return now
  // Any write counts as a sign of life, also somebody's label: what is inside was written by another's clock.
  const unchanged = seen !== undefined && seen !== 'absent' && versionOf(seen) === versionOf(lease)
  return unchanged ? freeAt : now + durationOf(lease, durations)
}

const versionOf = ({ metadata }: Lease): string | undefined => metadata.resourceVersion

/** The holder's own word on how long it goes on counts, so that replicas may be configured differently. */
function durationOf({ spec }: Lease, { leaseDurationMs }: LeaseDurations): number {
  const seconds = spec?.leaseDurationSeconds ?? 0
  return seconds > 0 ? seconds * 1000 : leaseDurationMs
}

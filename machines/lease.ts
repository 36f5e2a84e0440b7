import { assign, type SnapshotFrom, setup } from 'xstate'
import { observer } from './effect.js'
import {
  freeFrom,
  holderOf,
  type LeaseContext,
  type LeaseEvent,
  type LeaseInput,
  type LeaseWrite,
  latest,
  type Moment,
  never,
} from './lease-terms.js'

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
 * **Time** comes with each event as a `Moment`, read from two clocks that are wrong in different ways. The monotonic clock
 * stands still while a machine sleeps (Linux: CLOCK_MONOTONIC), and the wall clock can be set. So each side of the arithmetic
 * uses the reading that is safe for it: a follower waits for the lease to expire by the monotonic clock, which never shows
 * too much; a holder stops by whichever clock shows that more time has passed. `wakeAt` says when the chart next needs a
 * `time.passed`.
 *
 * **Assumptions.** Clocks of different machines need not agree, and times written in the Lease are never read. The API
 * server executes a write at most once per resourceVersion. Identities are unique per process. The Lease is never deleted
 * while it is held *and* starts a new replica within `renewDeadline`: to a replica that never saw it, an absent lease is
 * free. No machine sleeps and has its wall clock set back by as much between two readings, which are at most a
 * `retryPeriod` apart while it leads.
 *
 * **Caveat.** A request that was sent before the term ended may still be executed. Effects are idempotent and carry
 * preconditions for that reason.
 */

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
    'may take it': ({ context: { contend, freeAt, now } }) => contend && now >= freeAt,
    'may no longer act': ({ context }) => latest(context) >= context.actUntil,
    'has rested': ({ context: { now, restUntil } }) => now >= restUntil,
    'has rested and may still act': ({ context }) =>
      context.now >= context.restUntil && latest(context) < context.actUntil,
    'is still ours': ({ context: { seen, identity } }) => holderOf(seen) === identity,
  },
  actions: {
    'record the moment': assign(({ event: { now, slept } }) => ({ now, slept })),
    'record the lease': assign(({ context, event }) =>
      'lease' in event ? { seen: event.lease, freeAt: freeFrom(context, event.lease, event.now) } : {},
    ),
    'record the start of a request': assign(({ context: { now, slept } }) => ({
      requestedAt: { now, slept },
    })),
    'extend the term': assign(({ context: { requestedAt, durations } }) => ({
      actUntil: latest(requestedAt) + durations.renewDeadlineMs,
    })),
    // Counted from when the request began: after one that was slow to fail there is no time to lose.
    'rest until the next try': assign(({ context: { requestedAt, durations } }) => ({
      restUntil: requestedAt.now + durations.retryPeriodMs,
    })),
    'record the wish to leave': assign({ leaving: true }),
  },
}).createMachine({
  id: 'lease',
  context: ({ input }) => ({
    ...input,
    freeAt: Number.POSITIVE_INFINITY,
    requestedAt: never,
    actUntil: Number.NEGATIVE_INFINITY,
    restUntil: Number.NEGATIVE_INFINITY,
    leaving: false,
  }),
  invoke: { src: 'follow the lease' },
  on: {
    'time.passed': { actions: 'record the moment' },
    'lease.release': { actions: 'record the wish to leave' },
  },
  initial: 'standby',
  states: {
    /** Another replica may be leading. This one does not act. */
    standby: {
      // Not while leading: then the answers to our own requests are newer than any watch.
      on: { 'lease.seen': { actions: ['record the moment', 'record the lease'] } },
      initial: 'looking',
      states: {
        /** The lease as last seen decides. */
        waiting: {
          always: [
            { guard: 'is leaving', target: '#lease.released' },
            { guard: 'may take it', target: '#lease.acquiring' },
          ],
        },
        /** The lease as last seen is out of date: it is read again. */
        looking: {
          always: { guard: 'is leaving', target: '#lease.released' },
          entry: 'record the start of a request',
          invoke: { src: 'read the lease' },
          on: {
            'lease.read': { actions: ['record the moment', 'record the lease'], target: 'waiting' },
            'lease.unanswered': {
              actions: ['record the moment', 'rest until the next try'],
              target: 'resting',
            },
          },
        },
        /** The API server did not answer: a rest before the next try. */
        resting: {
          always: [
            { guard: 'is leaving', target: '#lease.released' },
            { guard: 'has rested', target: 'looking' },
          ],
        },
      },
    },
    /** The lease is free as last seen, and our write is under way. This replica does not act yet. */
    acquiring: {
      entry: 'record the start of a request',
      invoke: { src: 'write the lease', input: ({ context }) => ({ lease: context.seen ?? 'absent' }) },
      on: {
        'lease.seen': { actions: ['record the moment', 'record the lease'] },
        'lease.written': {
          actions: ['record the moment', 'record the lease', 'extend the term', 'rest until the next try'],
          target: 'leading',
        },
        'lease.contested': {
          actions: ['record the moment', 'rest until the next try'],
          target: 'standby.resting',
        },
        'lease.unanswered': [
          // The write may have been executed; others would wait for the lease to expire without need.
          { guard: 'is leaving', target: 'releasing' },
          { actions: ['record the moment', 'rest until the next try'], target: 'standby.resting' },
        ],
      },
    },
    /** The lease is ours until `actUntil`. This replica acts. */
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
          entry: 'record the start of a request',
          invoke: { src: 'write the lease', input: ({ context }) => ({ lease: context.seen ?? 'absent' }) },
          on: {
            'lease.written': {
              actions: [
                'record the moment',
                'record the lease',
                'extend the term',
                'rest until the next try',
              ],
              target: 'resting',
            },
            'lease.contested': [
              {
                guard: 'has rested',
                actions: ['record the moment', 'rest until the next try'],
                target: 'looking',
              },
              // Twice in a row: another client writes faster than this replica.
              { actions: 'record the moment', target: 'resting' },
            ],
            'lease.unanswered': {
              actions: ['record the moment', 'rest until the next try'],
              target: 'resting',
            },
          },
        },
        /** The lease was written: by a renewal of ours whose answer was lost, by a person who set a label, or by a new holder. */
        looking: {
          entry: 'record the start of a request',
          invoke: { src: 'read the lease' },
          on: {
            'lease.read': { actions: ['record the moment', 'record the lease'], target: 'judging' },
            'lease.unanswered': {
              actions: ['record the moment', 'rest until the next try'],
              target: 'resting',
            },
          },
        },
        judging: {
          always: [{ guard: 'is still ours', target: 'renewing' }, { target: '#lease.standby.waiting' }],
        },
      },
    },
    /** This replica has stopped acting and gives the lease back. */
    releasing: {
      invoke: { src: 'give the lease back', input: ({ context }) => ({ actUntil: context.actUntil }) },
      on: { 'lease.returned': 'released' },
    },
    released: { type: 'final' },
  },
})

type LeaseSnapshot = SnapshotFrom<typeof leaseMachine>

/** Whether this replica may act at this moment. The chart alone does not know: the process may have been frozen since its last event. */
export const isLeading = (snapshot: LeaseSnapshot, moment: Moment): boolean =>
  snapshot.matches('leading') && latest(moment) < snapshot.context.actUntil

/** When the chart next needs a `time.passed`, by the monotonic clock; undefined while it only waits for facts. */
export function wakeAt(snapshot: LeaseSnapshot): number | undefined {
  const { contend, freeAt, restUntil, actUntil, slept } = snapshot.context
  const termEnds = actUntil - slept
  if (snapshot.matches('leading'))
    return snapshot.matches({ leading: 'resting' }) ? Math.min(restUntil, termEnds) : termEnds
  if (snapshot.matches({ standby: 'resting' })) return restUntil
  return snapshot.matches({ standby: 'waiting' }) && contend ? freeAt : undefined
}

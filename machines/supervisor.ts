import { assign, setup } from 'xstate'
import type { Instance } from '../manifests/instance.js'

/**
 * The supervisor of all instance actors: it starts one for each Instance, announces leadership to them, and decides when an
 * actor that crashed is restarted.
 *
 * Expected flow: the first list of Instances starts their actors; from then on each observation is sent to its actor. All
 * actors are notified when the lease is gained, and again when it is lost.
 *
 * Guarantees: no decision about one instance depends on another. An actor that crashes is restarted after a pause, and
 * parked when it keeps crashing: a defect that the data of one instance triggers never becomes a hot loop, and never
 * affects another instance.
 *
 * Assumptions: actions do not throw; to start an actor and to send to it are idempotent. `lease.gained` comes after
 * `instances.listed`, because the winner of the lease lists the Instances first. Time comes with the events.
 */

/** Facts, and the one command `supervisor.stop`. */
export type SupervisorEvent =
  /** Every Instance that exists has been observed once. */
  | { readonly type: 'instances.listed' }
  | { readonly type: 'instance.observed'; readonly instance: Instance }
  | { readonly type: 'instance.removed'; readonly instance: Instance }
  | {
      readonly type: 'instance.crashed'
      readonly name: string
      readonly error: string
      /** Milliseconds of a monotonic clock. */
      readonly now: number
    }
  /** The pause after a crash is over. */
  | { readonly type: 'restart.due'; readonly name: string }
  | { readonly type: 'lease.gained' }
  | { readonly type: 'lease.lost' }
  | { readonly type: 'supervisor.stop' }

/** The restart policy: so many crashes within the window are followed by a restart after growing pauses, one more parks the instance. */
export const RESTARTS = {
  /** A fault that comes back at once will come back for ever; three tries distinguish a passing fault from a lasting one. */
  most: 3,
  withinMs: 60_000,
  /** 1, 4, 16 seconds. */
  pauseMs: (crashes: number): number => 1_000 * 4 ** (crashes - 1),
  /** Then it is restarted: the object that triggered the defect may have changed. */
  parkedMs: 300_000,
} as const

/** What to do about an actor that crashed at these times (the last one is now). Milliseconds. */
export function afterCrash(times: readonly number[]): { readonly parked: boolean; readonly pauseMs: number } {
  const now = times.at(-1) ?? 0
  const recent = times.filter(time => now - time < RESTARTS.withinMs).length
  if (recent > RESTARTS.most) return { parked: true, pauseMs: RESTARTS.parkedMs }
  return { parked: false, pauseMs: RESTARTS.pauseMs(recent) }
}

interface SupervisorContext {
  /** When each actor crashed lately; only actors that did have an entry. */
  readonly crashes: Readonly<Record<string, readonly number[]>>
}

const without = (crashes: SupervisorContext['crashes'], name: string): SupervisorContext['crashes'] => {
  const { [name]: _, ...others } = crashes
  return others
}

/** The chart of the supervisor; `actors/fleet/supervisor.ts` provides its actions. */
export const supervisorMachine = setup({
  types: { context: {} as SupervisorContext, events: {} as SupervisorEvent, tags: {} as 'warm' | 'leading' },
  actions: {
    'start or update': (_, _params: { instance: Instance }) => undefined,
    remove: (_, _params: { instance: Instance }) => undefined,
    'restart later': (_, _params: { name: string; pauseMs: number; parked: boolean; error: string }) =>
      undefined,
    restart: (_, _params: { name: string }) => undefined,
    'announce leadership': (_, _params: { leading: boolean }) => undefined,
    'stop all': () => undefined,
    'record the crash': assign(({ context }, { name, now }: { name: string; now: number }) => {
      const recent = (context.crashes[name] ?? []).filter(time => now - time < RESTARTS.withinMs)
      return { crashes: { ...context.crashes, [name]: [...recent, now] } }
    }),
    'forget the crashes': assign(({ context }, { name }: { name: string }) => ({
      crashes: name in context.crashes ? without(context.crashes, name) : context.crashes,
    })),
  },
}).createMachine({
  id: 'supervisor',
  context: { crashes: {} },
  options: { maxIterations: 1_000 },
  on: {
    'instance.observed': {
      actions: { type: 'start or update', params: ({ event: { instance } }) => ({ instance }) },
    },
    'instance.removed': {
      actions: [
        { type: 'remove', params: ({ event: { instance } }) => ({ instance }) },
        { type: 'forget the crashes', params: ({ event }) => ({ name: event.instance.metadata.name }) },
      ],
    },
    'instance.crashed': {
      // Plain actions in order: each sees the context that the one before left. `enqueueActions` would run its `assign` while
      // the event is being processed, which XState warns about when the event was sent from within another machine's action
      // (an actor that fails as it starts).
      actions: [
        { type: 'record the crash', params: ({ event: { name, now } }) => ({ name, now }) },
        {
          type: 'restart later',
          params: ({ context, event: { name, error } }) => ({
            name,
            error,
            ...afterCrash(context.crashes[name] ?? []),
          }),
        },
      ],
    },
    'restart.due': { actions: { type: 'restart', params: ({ event: { name } }) => ({ name }) } },
    'supervisor.stop': { target: '.stopped' },
  },
  initial: 'warming',
  states: {
    /** The first list of Instances is not complete: an Instance that is not known yet may exist. No actor acts. */
    warming: { on: { 'instances.listed': 'following' } },
    /** All actors run and observe; another replica acts, or none does. */
    following: { tags: 'warm', on: { 'lease.gained': 'leading' } },
    /** This replica acts. */
    leading: {
      tags: ['warm', 'leading'],
      entry: { type: 'announce leadership', params: { leading: true } },
      exit: { type: 'announce leadership', params: { leading: false } },
      on: { 'lease.lost': 'following' },
    },
    /** All actors are stopped, their effects aborted, their connections closed. */
    stopped: { type: 'final', entry: 'stop all' },
  },
})

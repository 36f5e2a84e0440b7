import { assign, setup } from 'xstate'
import type { Instance } from '../manifests/instance.js'

/**
 * The supervisor of all instance actors: it starts one for each Instance, tells them who leads, and decides what becomes of
 * one that crashed.
 *
 * Expected flow: the first list of Instances starts their actors; from then on each observation is told to its actor. When
 * the lease is gained all are told, and again when it is lost.
 *
 * Guarantees: no decision about one instance depends on another. An actor that crashes is started anew calmly, and parked
 * when it keeps crashing: a defect that one instance's data sets off never becomes a hot loop, and never another's trouble.
 *
 * Assumptions: actions do not throw; actors are started and told idempotently. Time comes with the events.
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

/** How crashes are met: so many within the window are restarted after growing pauses, then the instance is parked. */
export const RESTARTS = {
  /** A fault that is met again at once will be met forever; three tries tell the two apart. */
  most: 3,
  withinMs: 60_000,
  /** 1, 4, 16 seconds. */
  pauseMs: (crashes: number): number => 1_000 * 4 ** (crashes - 1),
  /** Then it is tried again: the object that set it off may have changed, or the program. */
  parkedMs: 300_000,
} as const

/** What to do about an actor that crashed at these times (the last one is now). */
export function afterCrash(times: readonly number[]): { readonly parked: boolean; readonly pauseMs: number } {
  const now = times.at(-1) ?? 0
  const recent = times.filter(time => now - time < RESTARTS.withinMs).length
  if (recent > RESTARTS.most) return { parked: true, pauseMs: RESTARTS.parkedMs }
  return { parked: false, pauseMs: RESTARTS.pauseMs(recent) }
}

interface SupervisorContext {
  /** When each actor crashed lately; only those that did have an entry. */
  readonly crashes: Readonly<Record<string, readonly number[]>>
}

const without = (crashes: SupervisorContext['crashes'], name: string): SupervisorContext['crashes'] => {
  const { [name]: _, ...others } = crashes
  return others
}

/** A chart of the supervisor; `actors/supervisor.ts` provides its actions. */
export const supervisorMachine = setup({
  types: { context: {} as SupervisorContext, events: {} as SupervisorEvent, tags: {} as 'warm' | 'leading' },
  actions: {
    'start or tell': (_, _params: { instance: Instance }) => undefined,
    'tell that it is gone': (_, _params: { instance: Instance }) => undefined,
    'restart later': (_, _params: { name: string; pauseMs: number; parked: boolean; error: string }) =>
      undefined,
    restart: (_, _params: { name: string }) => undefined,
    'tell all who leads': (_, _params: { leading: boolean }) => undefined,
    'stop all': () => undefined,
    'note its crash': assign(({ context }, { name, now }: { name: string; now: number }) => {
      const recent = (context.crashes[name] ?? []).filter(time => now - time < RESTARTS.withinMs)
      return { crashes: { ...context.crashes, [name]: [...recent, now] } }
    }),
    'forget its crashes': assign(({ context }, { name }: { name: string }) => ({
      crashes: name in context.crashes ? without(context.crashes, name) : context.crashes,
    })),
  },
}).createMachine({
  id: 'supervisor',
  context: { crashes: {} },
  options: { maxIterations: 1_000 },
  on: {
    'instance.observed': {
      actions: { type: 'start or tell', params: ({ event: { instance } }) => ({ instance }) },
    },
    'instance.removed': {
      actions: [
        { type: 'tell that it is gone', params: ({ event: { instance } }) => ({ instance }) },
        { type: 'forget its crashes', params: ({ event }) => ({ name: event.instance.metadata.name }) },
      ],
    },
    'instance.crashed': {
      // Plain actions in order, each sees what the one before noted. `enqueueActions` would make its `assign` while the event
      // is taken, and an event sent from within another machine's action (an actor that fails as it starts) must not do that.
      actions: [
        { type: 'note its crash', params: ({ event: { name, now } }) => ({ name, now }) },
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
    /** Not every Instance has been seen: what is not known yet may exist. Nobody acts, whoever holds the lease. */
    warming: { on: { 'instances.listed': 'following', 'lease.gained': 'warmingToLead' } },
    /** The same, and the lease is ours already. */
    warmingToLead: { on: { 'instances.listed': 'leading', 'lease.lost': 'warming' } },
    /** All actors run and observe; another replica acts, or none. */
    following: { tags: 'warm', on: { 'lease.gained': 'leading' } },
    /** This replica acts. */
    leading: {
      tags: ['warm', 'leading'],
      entry: { type: 'tell all who leads', params: { leading: true } },
      exit: { type: 'tell all who leads', params: { leading: false } },
      on: { 'lease.lost': 'following' },
    },
    /** All actors are stopped, their effects aborted, their connections closed. */
    stopped: { type: 'final', entry: 'stop all' },
  },
})

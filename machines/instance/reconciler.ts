import { and, not } from 'xstate'
import type { InstanceState } from '../../ports/fleet.js'
import { CONFIRM_WITHIN_MS } from '../retry.js'
import { fail, succeed } from './outcome.js'
import { restAfterFailure } from './rest-after-failure.js'
import { instance } from './setup.js'
import type { Reconciler } from './task.js'

const effects = {
  finalizer: 'add the finalizer',
  installation: 'install the control plane',
  virtualCluster: 'ensure the virtual cluster',
  registration: 'publish the registration',
  roleBindings: 'materialize the role bindings',
  status: 'write the status',
} as const satisfies Record<Reconciler, string>

/** How one reconciler differs from others. */
export interface ReconcilerOptions {
  /** The least time between two successful makings, in milliseconds; what is wanted meanwhile is made once, at its end. */
  readonly pauseMs?: number
  /** The same while the instance is on its way up; `pauseMs` unless given. */
  readonly pauseComingUpMs?: number
  /** How long the first making may wait for more to be observed (`mayGather`), in milliseconds; not at all unless given. */
  readonly gatherMs?: number
}

const isComingUp = (phase: InstanceState): boolean =>
  phase === 'registering' || phase === 'virtualClusterSynced'

/**
 * A region that keeps one thing outside reconciled for as long as its parent state lasts. It acts when what is wanted was
 * not made, or when our watch shows something else than the last success left. Whatever happens meanwhile (leadership
 * lost, nothing wanted any more, object deleted) is answered by a guard and not by an event, so nothing can be missed.
 */
export const reconciler = (
  task: Reconciler,
  { pauseMs = 0, pauseComingUpMs = pauseMs, gatherMs = 0 }: ReconcilerOptions = {},
) => {
  /** Where it is when something was made and seen. */
  const made = pauseMs > 0 ? 'pausing' : 'settled'
  return instance.createStateConfig({
    initial: 'settled',
    states: {
      /** What is wanted, if anything, is there: our own watch shows it. */
      settled: {
        always: [
          ...(gatherMs > 0
            ? [
                {
                  guard: and([
                    { type: 'is due', params: task },
                    { type: 'may gather', params: task },
                  ]),
                  target: 'gathering',
                } as const,
              ]
            : []),
          { guard: { type: 'is due', params: task }, target: 'standby' },
        ],
      },
      /** The first making waits a moment, because more is about to be observed. */
      gathering: {
        always: [
          { guard: not({ type: 'is due', params: task }), target: 'settled' },
          { guard: not({ type: 'may gather', params: task }), target: 'standby' },
          { guard: { type: 'has rested', params: task }, target: 'standby' },
        ],
        invoke: {
          id: `${task}.gathering`,
          src: 'rest',
          input: () => ({ task, ms: gatherMs, announce: false }),
        },
      },
      /**
       * There is something to do; passed through by the replica that leads. It is a step of its own, because the same event may move
       * the phase on, and what is wanted of a passing phase must not be made.
       */
      standby: {
        always: [
          { guard: not({ type: 'is due', params: task }), target: 'settled' },
          { guard: 'leading', target: 'acting' },
        ],
      },
      /** The effect runs. Leaving this state aborts it. */
      acting: {
        tags: 'acting',
        entry: { type: 'begin', params: task },
        always: [
          { guard: not('leading'), target: 'standby' },
          { guard: not({ type: 'is wanted', params: task }), target: 'settled' },
        ],
        invoke: {
          id: `${task}.effect`,
          src: effects[task],
          input: ({ context: { name, instance, facts, wanted } }) => ({
            name,
            instance,
            facts,
            wanted: wanted[task] ?? '',
          }),
          onDone: [
            { guard: { type: 'is seen already', params: task }, target: made, actions: succeed(task) },
            { target: 'confirming', actions: succeed(task) },
          ],
          onError: {
            target: 'resting',
            actions: fail(task),
          },
        },
      },
      /**
       * It was made; our watch must still show it. Until then nothing else is made, because it would be made on top of what
       * is not seen yet. If the watch stays silent, it is looked at again.
       */
      confirming: {
        always: [
          { guard: { type: 'is confirmed', params: task }, target: made },
          { guard: not('leading'), target: 'standby' },
          { guard: { type: 'has rested', params: task }, target: 'acting' },
        ],
        invoke: {
          id: `${task}.confirmation`,
          src: 'rest',
          input: () => ({ task, ms: CONFIRM_WITHIN_MS, announce: false }),
        },
      },
      /**
       * It was made and seen. Changes wait until the pause is over, so that many small ones make one write; only that an
       * instance has become ready is written at once.
       */
      pausing: {
        always: [
          { guard: not('leading'), target: 'settled' },
          { guard: { type: 'is ready but not yet reported', params: task }, target: 'settled' },
          { guard: { type: 'has rested', params: task }, target: 'settled' },
        ],
        invoke: {
          id: `${task}.pause`,
          src: 'rest',
          input: ({ context: { phase } }) => ({
            task,
            ms: isComingUp(phase) ? pauseComingUpMs : pauseMs,
            announce: false,
          }),
        },
      },
      /** It failed. It is tried again after a rest, or as soon as something else is wanted. */
      resting: {
        always: [
          { guard: not({ type: 'is due', params: task }), target: 'settled' },
          { guard: not('leading'), target: 'standby' },
          { guard: { type: 'wants something else by now', params: task }, target: 'acting' },
          { guard: { type: 'has rested', params: task }, target: 'acting' },
        ],
        invoke: restAfterFailure(task),
      },
    },
  })
}

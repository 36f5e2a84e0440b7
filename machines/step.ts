import { type DoneActorEvent, type ErrorActorEvent, not } from 'xstate'
import { restMs } from './retry.js'
import { type Step, untried } from './task.js'
import { instance } from './vocabulary.js'

const effects = {
  unpublishing: 'withdraw the registration',
  removingRoleBindings: 'remove the role bindings',
  deletingVirtualCluster: 'delete the virtual cluster',
  uninstalling: 'uninstall the control plane',
  releasing: 'remove the finalizer',
} as const satisfies Record<Step, string>

/**
 * One step of taking an instance down. Its effect succeeds only when the thing is really gone, so the next step never
 * starts early; and it may run again on another replica, where it finds nothing left to do.
 * @param next where to go when it is done
 * @param givingUp whether an out-of-reach control plane may be left as it is after some attempts
 */
export const step = (task: Step, next: string, { givingUp = false } = {}) =>
  instance.createStateConfig({
    initial: 'standby',
    states: {
      /** Another replica takes the instance down; passed through at once by the one that leads. */
      standby: { always: { guard: 'leading', target: 'acting' } },
      /** The effect runs. Leaving this state aborts it. */
      acting: {
        tags: 'acting',
        entry: { type: 'begin', params: task },
        always: { guard: not('leading'), target: 'standby' },
        invoke: {
          id: `${task}.effect`,
          src: effects[task],
          input: ({ context: { name, instance, facts } }) => ({ name, instance, facts, wanted: '' }),
          onDone: {
            target: `#instance.deleting.teardown.${next}`,
            actions: {
              type: 'succeed',
              params: ({ event }: { event: DoneActorEvent<string> }) => ({ task, outcome: event.output }),
            },
          },
          onError: {
            target: 'resting',
            actions: {
              type: 'fail',
              params: ({ event }: { event: ErrorActorEvent }) => ({ task, error: event.error }),
            },
          },
        },
      },
      /** It failed, or the thing is not gone yet. */
      resting: {
        tags: 'resting',
        always: [
          { guard: not('leading'), target: 'standby' },
          ...(givingUp
            ? [
                {
                  guard: { type: 'is given up' as const, params: task },
                  target: `#instance.deleting.teardown.${next}`,
                },
              ]
            : []),
          { guard: { type: 'has rested', params: task }, target: 'acting' },
        ],
        invoke: {
          id: `${task}.rest`,
          src: 'rest',
          input: ({ context: { work } }) => {
            const { failure, attempts, until } = work[task] ?? untried
            return { task, ms: failure ? restMs(failure, attempts) : 0, until, told: true }
          },
        },
      },
    },
  })

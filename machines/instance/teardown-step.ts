import { not } from 'xstate'
import { leftBehindOf } from './left-behind.js'
import { fail, succeed } from './outcome.js'
import { restAfterFailure } from './rest-after-failure.js'
import { instance } from './setup.js'
import type { TeardownStep } from './task.js'

const effects = {
  unpublishing: 'withdraw the registration',
  removingRoleBindings: 'remove the role bindings',
  deletingVirtualCluster: 'delete the virtual cluster',
  uninstalling: 'uninstall the control plane',
  releasing: 'remove the finalizer',
} as const satisfies Record<TeardownStep, string>

/**
 * One step of taking an instance down. Its effect succeeds only when the object is really gone, so the next step never
 * starts early; it may run again on another replica, where it finds nothing left to do.
 * @param next where to go when it is done or given up
 */
export const teardownStep = (task: TeardownStep, next: string) =>
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
          input: ({ context }) => ({
            name: context.name,
            instance: context.instance,
            facts: context.facts,
            wanted: '',
            leftBehind: leftBehindOf(context),
          }),
          onDone: {
            target: `#instance.deleting.teardown.${next}`,
            actions: succeed(task),
          },
          onError: {
            target: 'resting',
            actions: fail(task),
          },
        },
      },
      /** It failed, or the thing is not gone yet. */
      resting: {
        always: [
          { guard: not('leading'), target: 'standby' },
          { guard: { type: 'is given up', params: task }, target: `#instance.deleting.teardown.${next}` },
          { guard: { type: 'has rested', params: task }, target: 'acting' },
        ],
        invoke: restAfterFailure(task),
      },
    },
  })

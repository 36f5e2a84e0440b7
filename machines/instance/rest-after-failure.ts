import { CONFIRM_WITHIN_MS, restMs } from '../retry.js'
import type { InstanceContext } from './context.js'
import type { RestInput } from './setup.js'
import { type Task, untried } from './task.js'

/** What the state `resting` of each task invokes: the rest after a failure, longer after each further one. */
export const restAfterFailure = (task: Task) => ({
  id: `${task}.rest`,
  src: 'rest' as const,
  input: ({ context: { work } }: { context: InstanceContext }): RestInput => {
    const { failure, attempts } = work[task] ?? untried
    return { task, ms: failure ? restMs(failure, attempts) : CONFIRM_WITHIN_MS, announce: true }
  },
})

import type { DoneActorEvent, ErrorActorEvent } from 'xstate'
import type { Task } from './task.js'

/** Records that the effect of a task has succeeded, and with what outcome. */
export const succeed = <T extends Task>(task: T) => ({
  type: 'succeed' as const,
  params: ({ event }: { event: DoneActorEvent<string> }) => ({ task, outcome: event.output }),
})

/** Records that the effect of a task has failed, and why. */
export const fail = <T extends Task>(task: T) => ({
  type: 'fail' as const,
  params: ({ event }: { event: ErrorActorEvent }) => ({ task, error: event.error }),
})

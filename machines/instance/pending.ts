import { configurationOf } from './history.js'
import type { InstanceSnapshot } from './invariants.js'
import { missingOf } from './requirements.js'
import { doing, isTask } from './task.js'

/**
 * Pure: what the actor waits for or does right now, in sentences for the person on call. It waits for the root cause; what
 * does not hold because of that is in the conditions.
 */
export function pendingOf(snapshot: InstanceSnapshot): readonly string[] {
  const { context } = snapshot
  const waits =
    context.phase === 'deleting'
      ? []
      : missingOf(context)
          .slice(0, 1)
          .map(({ name, reason, message }) => `waits for ${name}: ${reason}: ${message}`)
  const works = configurationOf(snapshot).flatMap(path => {
    const [mode, task] = path.split('.').reverse()
    if (!isTask(task)) return []
    const { failure, attempts = 0, until } = context.work[task] ?? {}
    const when = until === undefined ? 'soon' : `at ${new Date(until).toISOString()}`
    if (mode === 'acting') return [`is ${doing[task]}`]
    if (mode === 'standby') return [`leaves ${doing[task]} to the replica that leads`]
    if (mode === 'confirming') return [`waits to see the result of ${doing[task]}`]
    if (mode === 'resting' && failure)
      return [
        `tries ${doing[task]} again ${when}, after ${attempts} failed ${attempts === 1 ? 'try' : 'tries'}: ${failure.message}`,
      ]
    return []
  })
  return [...waits, ...works]
}

import type { InstanceSnapshot } from '../machines/invariants.js'
import type { InstanceLogic } from './instance.js'

/** Told about every event that an actor has taken, with the moments before and after. */
export type Recorder = (
  actor: string,
  before: InstanceSnapshot,
  event: { type: string },
  after: InstanceSnapshot,
) => void

/**
 * The same logic, and somebody who hears of each step. XState's own `inspect` halves an actor's throughput, and says more
 * than a history needs; this costs one call per event.
 */
export function recorded(logic: InstanceLogic, record: Recorder): InstanceLogic {
  const observed = Object.create(logic) as InstanceLogic
  observed.transition = (snapshot, event, scope) => {
    const next = logic.transition(snapshot, event, scope)
    record(scope.self.id, snapshot, event, next)
    return next
  }
  return observed
}

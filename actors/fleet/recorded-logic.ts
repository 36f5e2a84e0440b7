import type { InstanceSnapshot } from '../../machines/instance/invariants.js'
import type { InstanceLogic } from '../instance/instance-logic.js'

/** Called for every event that an actor has processed, with the snapshots before and after. */
export type Recorder = (
  actor: string,
  before: InstanceSnapshot,
  event: { type: string },
  after: InstanceSnapshot,
) => void

/**
 * The same logic, which calls the recorder for each event. XState's own `inspect` halves an actor's throughput and reports
 * more than a history needs; this costs one call per event.
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

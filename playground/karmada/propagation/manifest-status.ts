import type { InterpreterChain } from '../../../karmada/interpreter/interpreter-chain.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import type { ManifestStatus, Work } from '../../../karmada/objects/work.js'
import { manifestStatus } from '../../../karmada/propagation/report.js'
import type { WorkEvents } from './work-events.js'

/**
 * What a Work says of its object in the member. An interpreter that cannot say whether the object is healthy leaves that unknown.
 * @param object as the member has it
 * @throws what the interpreter throws that cannot report a status
 */
export async function interpretedStatus(
  interpreters: InterpreterChain,
  events: WorkEvents,
  work: Work,
  object: Resource,
): Promise<ManifestStatus> {
  try {
    const status = await interpreters.reflect(object)
    const health = await interpreters.health(object).catch((error: unknown) => {
      events.notInterpreted(work, object, error)
      return 'Unknown' as const
    })
    return manifestStatus(object, { status, health })
  } catch (error) {
    events.notReflected(work, object, error)
    throw error
  }
}

import type { InstanceContext } from './context.js'
import { isWhole } from './requirements.js'

/**
 * Pure: whether an instance still comes up by itself. It does not once it is ready, once it is being deleted, when it waits for
 * karmada-operator or for an older instance, and when anything on its way has failed: what follows then is paced by rests.
 */
export function isComingUp(context: InstanceContext): boolean {
  const { phase, facts, work, instance } = context
  if (phase === 'deleting' || facts.duplicate?.first !== undefined || isWhole(context)) return false
  const { credentials, controlPlane, aggregatedApi } = facts
  if ([credentials, controlPlane, aggregatedApi].some(answer => answer?.ok === false)) return false
  if (instance.spec?.install !== undefined && !credentials?.ok) return false
  return !Object.values(work).some(task => task.failure !== undefined)
}

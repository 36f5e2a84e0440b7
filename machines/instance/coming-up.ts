import type { InstanceContext } from './context.js'
import { mayHaveRoleBindings, specProblem } from './facts.js'
import { isWhole } from './requirements.js'
import type { Reconciler } from './task.js'

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

/**
 * Pure: whether the first making may wait for what is about to be observed, so that one is enough:
 * - the first status of a new Instance, which is ready within a second where all goes well. A failure is written at once.
 * - role bindings while there are none: Global Management writes them when it sees the registration. Not where an earlier
 *   process may have materialized some: rights that were withdrawn meanwhile are taken away at once.
 */
export function mayGather(context: InstanceContext, reconciler: Reconciler): boolean {
  const { facts, instance, work } = context
  if (work[reconciler]?.tried !== undefined) return false
  switch (reconciler) {
    case 'status':
      return instance.status?.phase === undefined && !specProblem(instance) && isComingUp(context)
    case 'roleBindings':
      return facts.roleBindings?.count === 0 && !mayHaveRoleBindings(instance)
    default:
      return false
  }
}

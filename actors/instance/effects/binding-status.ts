import { stamped } from '../../../machines/instance/conditions.js'
import type { Judgement } from '../../../machines/instance/requirements.js'
import { INSTANCE_ROLE_BINDINGS, type InstanceRoleBinding } from '../../../manifests/instance-role-binding.js'
import type { Condition, GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import { isConflict, isNotFound } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { find, patchStatus } from '../../kube/apply.js'

/** Other writers of the same status are few; who loses so often in a row leaves it to the next run. */
const TRIES = 3

/** Of a binding whose instance does not exist. */
export const INSTANCE_NOT_FOUND: Judgement = {
  status: 'False',
  reason: 'InstanceNotFound',
  message: 'there is no Instance of this name; nothing is in effect',
}

/** Of a binding whose end has come. What it gave is gone from the instance when this is written. */
export const EXPIRED: Judgement = {
  status: 'False',
  reason: 'Expired',
  message: 'its end has come; nothing is in effect',
}

/**
 * Writes the condition `Materialized` of one InstanceRoleBinding.
 * @throws as `reportCondition`
 */
export const reportMaterialized = (
  api: KubeApi,
  binding: InstanceRoleBinding,
  materialized: Judgement,
  signal: AbortSignal,
): Promise<void> =>
  reportCondition(api, INSTANCE_ROLE_BINDINGS, binding, { type: 'Materialized', ...materialized }, signal)

/** A role binding of either kind, as far as its status goes. */
interface Reported extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] }
}

/**
 * Writes one condition of a role binding, and no other: conditions of other controllers stay. Writes nothing that the status says
 * already. A binding that was deleted, replaced or changed since it was read is left to the run that follows.
 * @throws StatusError, UnreachableError as `KubeApi.request`; a conflict is answered by reading again first
 */
export async function reportCondition<T extends Reported>(
  api: KubeApi,
  resource: GroupVersionResource,
  binding: T,
  condition: Judgement & { readonly type: string },
  signal: AbortSignal,
): Promise<void> {
  const { name, uid, generation } = binding.metadata
  let seen = binding
  for (let tries = 1; ; tries++) {
    const conditions = withCondition(seen, condition)
    if (!conditions) return
    try {
      await patchStatus(api, resource, seen, { conditions }, signal)
      return
    } catch (error) {
      if (isNotFound(error)) return
      if (!isConflict(error) || tries === TRIES) throw error
    }
    const live = await find<T>(api, resource, { name }, signal)
    if (!live || live.metadata.uid !== uid || live.metadata.generation !== generation) return
    seen = live
  }
}

/** All conditions of a binding with one replaced; undefined when it stands there already. */
function withCondition(
  { metadata: { generation }, status }: Reported,
  condition: Judgement & { readonly type: string },
): readonly Condition[] | undefined {
  const before = status?.conditions ?? []
  const { type } = condition
  const last = before.find(condition => condition.type === type)
  const same =
    last?.status === condition.status &&
    last.reason === condition.reason &&
    last.message === condition.message &&
    last.observedGeneration === generation
  if (same) return undefined
  const now = new Date().toISOString()
  return [
    ...before.filter(condition => condition.type !== type),
    ...stamped([condition], { before, now, generation }),
  ]
}

import { stamped } from '../../../machines/instance/conditions.js'
import type { Judgement } from '../../../machines/instance/requirements.js'
import { INSTANCE_ROLE_BINDINGS, type InstanceRoleBinding } from '../../../manifests/instance-role-binding.js'
import type { Condition } from '../../../manifests/kube.js'
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
 * Writes the condition `Materialized` of one InstanceRoleBinding, and no other: conditions of other controllers stay. Writes
 * nothing that the status says already. A binding that was deleted, replaced or changed since it was read is left to the
 * run that follows.
 * @throws StatusError, UnreachableError as `KubeApi.request`; a conflict is answered by reading again first
 */
export async function reportMaterialized(
  api: KubeApi,
  binding: InstanceRoleBinding,
  materialized: Judgement,
  signal: AbortSignal,
): Promise<void> {
  const { name, uid, generation } = binding.metadata
  let seen = binding
  for (let tries = 1; ; tries++) {
    const conditions = withMaterialized(seen, materialized)
    if (!conditions) return
    try {
      await patchStatus(api, INSTANCE_ROLE_BINDINGS, seen, { conditions }, signal)
      return
    } catch (error) {
      if (isNotFound(error)) return
      if (!isConflict(error) || tries === TRIES) throw error
    }
    const live = await find<InstanceRoleBinding>(api, INSTANCE_ROLE_BINDINGS, { name }, signal)
    if (!live || live.metadata.uid !== uid || live.metadata.generation !== generation) return
    seen = live
  }
}

/** All conditions of a binding with ours replaced; undefined when ours stands there already. */
function withMaterialized(
  { metadata: { generation }, status }: InstanceRoleBinding,
  materialized: Judgement,
): readonly Condition[] | undefined {
  const before = status?.conditions ?? []
  const type = 'Materialized'
  const last = before.find(condition => condition.type === type)
  const same =
    last?.status === materialized.status &&
    last.reason === materialized.reason &&
    last.message === materialized.message &&
    last.observedGeneration === generation
  if (same) return undefined
  const now = new Date().toISOString()
  return [
    ...before.filter(condition => condition.type !== type),
    ...stamped([{ type, ...materialized }], { before, now, generation }),
  ]
}

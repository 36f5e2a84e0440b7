import type { KubeObject } from '../../../manifests/kube.js'
import type { Call } from '../../call/call.js'
import { failedPrecondition } from '../../errors/failure.js'
import type { Objects } from '../../objects/objects.js'
import type { Kind } from '../kind/kind-handlers.js'
import { mergePatched } from '../kind/merge-patched.js'
import { type KeyFields, objectKeyOf, placeOf } from '../kind/request-fields.js'

/** By which `kubectl rollout restart` makes the pod template another one. */
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt'

/** What keeps a workload from replacing its pods when their template changes. */
interface Rollout extends KubeObject {
  readonly spec?: { readonly paused?: boolean; readonly updateStrategy?: { readonly type?: string } }
}

/**
 * Makes a workload replace all its pods, as `kubectl rollout restart` does, and returns its message.
 * @throws Failure FAILED_PRECONDITION, reason `Paused` or `OnDelete`, for one whose pods would stay
 */
export async function restart<T extends KubeObject, M, E>(
  objects: Objects,
  kind: Kind<T, M, E>,
  request: KeyFields,
  call: Call,
): Promise<M> {
  const { spec } = await objects.get<Rollout>(call, placeOf(request), kind.type, objectKeyOf(request))
  const subject = `${kind.type.kind} ${request.namespace}/${request.name} of ${request.instance}`
  if (spec?.paused)
    throw failedPrecondition(`${subject} is paused, so its pods would not be replaced: resume it first`, {
      reason: 'Paused',
    })
  if (spec?.updateStrategy?.type === 'OnDelete')
    throw failedPrecondition(
      `${subject} has the update strategy OnDelete, so its pods are only replaced when they are deleted`,
      { reason: 'OnDelete' },
    )
  const annotations = { [RESTARTED_AT]: new Date().toISOString() }
  return mergePatched(objects, kind, request, call, { spec: { template: { metadata: { annotations } } } })
}

import type { KubeObject } from '../../../manifests/kube.js'
import type { Call } from '../../call/call.js'
import { invalidFields } from '../../errors/failure.js'
import type { Objects } from '../../objects/objects.js'
import type { Kind } from '../kind/kind-handlers.js'
import { mergePatched } from '../kind/merge-patched.js'
import type { KeyFields } from '../kind/request-fields.js'

/**
 * Sets the replicas that a template asks for, and returns its message.
 * @throws Failure INVALID_ARGUMENT for a request without replicas, which must not stop the workload, and for fewer than none
 */
export async function scale<T extends KubeObject, M, E>(
  objects: Objects,
  kind: Kind<T, M, E>,
  { replicas, ...request }: KeyFields & { readonly replicas?: number | undefined },
  call: Call,
): Promise<M> {
  if (replicas === undefined) throw invalidFields([{ field: 'replicas', description: 'is required' }])
  if (replicas < 0)
    throw invalidFields([{ field: 'replicas', description: `is ${replicas}, but must be at least 0` }])
  return mergePatched(objects, kind, request, call, { spec: { replicas } })
}

import { readPolicy } from '../../../karmada/objects/policy-shape.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { invalidFields } from '../../errors/failure.js'

/**
 * The policy that a manifest describes, ready for decisions.
 * @throws Failure INVALID_ARGUMENT that names the fields of a type which Karmada would not store
 */
export function policyOf<T extends KubeObject>(manifest: KubeObject): T {
  const { policy, wrong } = readPolicy<T>(manifest)
  if (wrong.length === 0) return policy
  throw invalidFields(
    wrong.map(({ path, message, isMissing }) => ({
      field: `data.${path}`,
      description: isMissing ? 'is required' : message,
    })),
  )
}

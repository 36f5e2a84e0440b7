import type { KubeObject } from '../../manifests/kube.js'
import type { PropagationPolicy } from '../objects/propagation-policy.js'
import { CLAIMS } from './policies.js'

/**
 * Whether a policy takes a template over from the policy that claimed it (Karmada's detector with the feature gate
 * PropagationPolicyPreemption): a PropagationPolicy from one of lower priority and from any ClusterPropagationPolicy, a
 * ClusterPropagationPolicy from one of lower priority. Only a policy that names the template takes over.
 * @param find a policy by kind, and `namespace/name` or name
 */
export function preempts(
  policy: PropagationPolicy,
  template: KubeObject,
  find: (kind: string, key: string) => PropagationPolicy | undefined,
): boolean {
  if (policy.spec.preemption !== 'Always' || template.metadata.deletionTimestamp) return false
  if (!isNamedBy(template, policy)) return false
  const { annotations = {} } = template.metadata
  const { policy: marks, clusterPolicy } = CLAIMS
  const claimedBy = annotations[clusterPolicy.name]
  if (policy.kind !== 'PropagationPolicy')
    return (
      claimedBy !== undefined &&
      claimedBy !== policy.metadata.name &&
      outranks(policy, find('ClusterPropagationPolicy', claimedBy))
    )
  const [namespace, name] = [annotations[marks.namespace], annotations[marks.name]]
  if (namespace && name) {
    const isItself = namespace === policy.metadata.namespace && name === policy.metadata.name
    if (!isItself && outranks(policy, find('PropagationPolicy', `${namespace}/${name}`))) return true
  }
  return claimedBy !== undefined
}

const isNamedBy = ({ apiVersion, kind, metadata }: KubeObject, { spec }: PropagationPolicy): boolean =>
  spec.resourceSelectors.some(
    one =>
      one.apiVersion === apiVersion &&
      one.kind === kind &&
      one.name === metadata.name &&
      (one.namespace ?? '') === (metadata.namespace ?? ''),
  )

const outranks = ({ spec }: PropagationPolicy, other: PropagationPolicy | undefined): boolean =>
  other !== undefined && (spec.priority ?? 0) > (other.spec.priority ?? 0)

/** The policies that may take templates over from one whose priority has become lower. */
export function roused(
  before: PropagationPolicy,
  after: PropagationPolicy,
  policies: readonly PropagationPolicy[],
): readonly PropagationPolicy[] {
  const [from, to] = [before.spec.priority ?? 0, after.spec.priority ?? 0]
  return policies.filter(
    ({ kind, metadata, spec }) =>
      kind === after.kind &&
      metadata.namespace === after.metadata.namespace &&
      spec.preemption === 'Always' &&
      (spec.priority ?? 0) > to &&
      (spec.priority ?? 0) < from,
  )
}

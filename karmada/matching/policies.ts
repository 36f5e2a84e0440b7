import type { KubeObject } from '../../manifests/kube.js'
import type { PropagationPolicy } from '../objects/propagation-policy.js'
import { bestPrecision, Precision } from './resource-selector.js'

/** Labels and annotations by which a template, its binding and its works say whose they are. */
export const CLAIMS = {
  policy: {
    id: 'propagationpolicy.karmada.io/permanent-id',
    namespace: 'propagationpolicy.karmada.io/namespace',
    name: 'propagationpolicy.karmada.io/name',
  },
  clusterPolicy: {
    id: 'clusterpropagationpolicy.karmada.io/permanent-id',
    name: 'clusterpropagationpolicy.karmada.io/name',
  },
} as const

/** The policy that holds a template. */
export interface Claim {
  readonly kind: 'PropagationPolicy' | 'ClusterPropagationPolicy'
  readonly namespace?: string
  readonly name: string
  /** The policy's permanent id: a new policy of the same name is another one. */
  readonly id: string
}

/** Whose a template is; undefined while no policy has claimed it. Of two claims, that of a PropagationPolicy counts. */
export function claimOf({ metadata: { labels = {}, annotations = {} } }: KubeObject): Claim | undefined {
  const { policy, clusterPolicy } = CLAIMS
  const [id, namespace, name] = [labels[policy.id], annotations[policy.namespace], annotations[policy.name]]
  if (id && namespace && name) return { kind: 'PropagationPolicy', namespace, name, id }
  const [clusterId, clusterName] = [labels[clusterPolicy.id], annotations[clusterPolicy.name]]
  return clusterId && clusterName
    ? { kind: 'ClusterPropagationPolicy', name: clusterName, id: clusterId }
    : undefined
}

/**
 * The policy that an unclaimed template goes to (`detector.propagateResource` of Karmada): the best one of its namespace, and
 * only where there is none, the best one of the whole control plane.
 */
export function policyFor(
  template: KubeObject,
  policies: readonly PropagationPolicy[],
  clusterPolicies: readonly PropagationPolicy[],
): PropagationPolicy | undefined {
  const { namespace } = template.metadata
  const here = namespace ? policies.filter(({ metadata }) => metadata.namespace === namespace) : []
  return bestPolicy(template, here) ?? bestPolicy(template, clusterPolicies)
}

/** The matching policy of the highest priority, then with the most precise selector, then with the first name. */
export function bestPolicy(
  template: KubeObject,
  policies: readonly PropagationPolicy[],
): PropagationPolicy | undefined {
  const matching = policies
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(policy => ({ policy, precision: bestPrecision(template, policy.spec.resourceSelectors) }))
    .filter(({ precision }) => precision > Precision.none)
  matching.sort(
    (a, b) =>
      (b.policy.spec.priority ?? 0) - (a.policy.spec.priority ?? 0) ||
      b.precision - a.precision ||
      (a.policy.metadata.name < b.policy.metadata.name ? -1 : 1),
  )
  return matching[0]?.policy
}

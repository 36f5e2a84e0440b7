import type { Condition, KubeObject } from '../../manifests/kube.js'
import type { Cluster, Taint } from '../objects/cluster.js'
import type { ClusterAffinity } from '../objects/placement.js'
import { matchesAffinity } from '../scheduling/cluster-affinity.js'

/** policy.karmada.io/v1alpha1 ClusterTaintPolicy. */
export interface ClusterTaintPolicy extends KubeObject {
  readonly spec: {
    /** Absent: every cluster. */
    readonly targetClusters?: ClusterAffinity
    readonly addOnConditions?: readonly MatchCondition[]
    readonly removeOnConditions?: readonly MatchCondition[]
    readonly taints: readonly Omit<Taint, 'timeAdded'>[]
  }
}

interface MatchCondition {
  readonly conditionType: string
  readonly operator: string
  readonly statusValues: readonly string[]
}

/**
 * The taints of a cluster after all ClusterTaintPolicies looked at its conditions, the oldest policy first (Karmada's cluster
 * taint policy controller). The same array when nothing changes.
 * @param now RFC 3339, the time of new taints
 */
export function taintsByPolicies(
  cluster: Cluster,
  policies: readonly ClusterTaintPolicy[],
  now: string,
): readonly Taint[] {
  const { conditions = [] } = cluster.status ?? {}
  let taints = cluster.spec.taints ?? []
  for (const { spec } of [...policies].sort(byAge)) {
    if (!targets(spec, cluster)) continue
    if (areMet(spec.addOnConditions, conditions)) taints = withTaints(taints, spec.taints, now)
    if (areMet(spec.removeOnConditions, conditions)) taints = withoutTaints(taints, spec.taints)
  }
  return taints
}

/** Whether a policy is for a cluster. */
export const targets = ({ targetClusters }: ClusterTaintPolicy['spec'], cluster: Cluster): boolean =>
  !targetClusters || matchesAffinity(cluster, targetClusters)

const byAge = (a: KubeObject, b: KubeObject): number => {
  const [one = '', other = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp]
  if (one !== other) return one < other ? -1 : 1
  return a.metadata.name < b.metadata.name ? -1 : 1
}

/** All must hold, and there must be some. A cluster without a condition of the type meets neither `In` nor `NotIn`. */
const areMet = (wanted: readonly MatchCondition[] = [], conditions: readonly Condition[]): boolean =>
  wanted.length > 0 &&
  wanted.every(({ conditionType, operator, statusValues }) => {
    const found = conditions.find(({ type }) => type === conditionType)
    if (!found) return false
    if (operator === 'In') return statusValues.includes(found.status)
    return operator === 'NotIn' && !statusValues.includes(found.status)
  })

type Named = Pick<Taint, 'key' | 'effect'>

const isSame = (a: Named, b: Named): boolean => a.key === b.key && a.effect === b.effect

function withTaints(taints: readonly Taint[], added: readonly Taint[], now: string): readonly Taint[] {
  const missing = added.filter(one => !taints.some(taint => isSame(taint, one)))
  if (missing.length === 0) return taints
  return [...taints, ...missing.map(one => ({ ...one, timeAdded: now }))]
}

function withoutTaints(taints: readonly Taint[], removed: readonly Named[]): readonly Taint[] {
  const kept = taints.filter(taint => !removed.some(one => isSame(taint, one)))
  return kept.length === taints.length ? taints : kept
}

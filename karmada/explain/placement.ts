import type { BindingSpec, BindingStatus } from '../objects/binding.js'
import type { Cluster } from '../objects/cluster.js'
import type { GroupedBinding } from '../scheduling/affinity-groups.js'
import type { Refusal } from '../scheduling/filters.js'
import { type Decision, type ScheduleFailure, schedule, type Verdict } from '../scheduling/schedule.js'
import { missingClusters } from './missing-clusters.js'

/** One cluster in an explanation: why it gets what it gets. */
export interface ClusterPlacement {
  readonly cluster: string
  /** Every filter that refuses it, or NotJoined; none where it may be chosen. */
  readonly refusals: readonly Refusal[]
  /** What it was compared by; absent where it is refused. */
  readonly candidate?: NonNullable<Verdict['candidate']>
  /** Whether the spread constraints chose it. */
  readonly selected: boolean
  /** Replicas that it runs by the present result; 0 for a template without replicas. Absent: it is no target now. */
  readonly before?: number
  /** The same of the decision. */
  readonly after?: number
}

/** Said of a cluster that a placement or its result names, and that the control plane does not have. */
const NOT_JOINED: readonly Refusal[] = [{ filter: 'NotJoined', reason: 'no cluster of this name is joined' }]

/** A decision of the scheduler with its reasons. */
export interface PlacementExplanation {
  /** The affinity group that the decision is about, where the placement has groups. */
  readonly affinityName?: string
  readonly failure?: ScheduleFailure
  /** Of all clusters of the control plane, and of those that the placement or its result names without their being there; by name. */
  readonly clusters: readonly ClusterPlacement[]
  /** The affinity groups that were tried before, with their failures. */
  readonly tried: readonly Pick<Decision, 'affinityName' | 'failure'>[]
}

/**
 * Schedules a binding as karmada-scheduler would now, and says for each cluster why. Nothing is changed.
 * @param bindings those of the binding's namespace, where it has affinity groups
 */
export function explainPlacement(
  spec: BindingSpec,
  status: BindingStatus,
  clusters: readonly Cluster[],
  bindings: readonly GroupedBinding[] = [],
): PlacementExplanation {
  const decided = schedule(spec, status, clusters, { bindings: () => bindings })
  const { affinityName, failure, verdicts, clusters: targets, tried } = decided
  // Where there is no result, Karmada keeps the one of before, unless no cluster fits at all.
  const kept = failure && failure.reason !== 'NoClusterFit' ? (spec.clusters ?? []) : targets
  const names = new Set([
    ...verdicts.map(({ cluster }) => cluster),
    ...(spec.clusters ?? []).map(({ name }) => name),
    ...missingClusters(spec.placement, clusters),
  ])
  const joined = new Set(clusters.map(({ metadata }) => metadata.name))
  const replicasIn = (list: typeof targets, name: string) => {
    const target = list.find(one => one.name === name)
    return target && (target.replicas ?? 0)
  }
  return {
    ...(affinityName !== undefined && { affinityName }),
    ...(failure && { failure }),
    clusters: [...names].sort().map(cluster => {
      const verdict = verdicts.find(one => one.cluster === cluster)
      const before = replicasIn(spec.clusters ?? [], cluster)
      const after = replicasIn(kept, cluster)
      return {
        cluster,
        refusals: verdict?.refusals ?? (joined.has(cluster) ? [] : NOT_JOINED),
        ...(verdict?.candidate && { candidate: verdict.candidate }),
        selected: verdict?.selected ?? false,
        ...(before !== undefined && { before }),
        ...(after !== undefined && { after }),
      }
    }),
    tried: tried.map(({ affinityName, failure }) => ({
      ...(affinityName !== undefined && { affinityName }),
      ...(failure && { failure }),
    })),
  }
}

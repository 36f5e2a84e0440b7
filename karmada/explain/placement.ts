import type { BindingSpec, BindingStatus } from '../objects/binding.js'
import type { Cluster } from '../objects/cluster.js'
import type { NamespaceQuotas } from '../quota/namespace-quotas.js'
import type { GroupedBinding } from '../scheduling/affinity-groups.js'
import type { Refusal } from '../scheduling/filters.js'
import { keepsResult } from '../scheduling/outcome.js'
import { type Decision, type ScheduleFailure, schedule, type Verdict } from '../scheduling/schedule.js'
import { missingClusters } from './missing-clusters.js'
import { federatedRefusal, quotasInForce, quotaWords } from './quota-limits.js'

/** One cluster in an explanation: why it gets what it gets. */
export interface ClusterPlacement {
  readonly cluster: string
  /** Every filter that refuses it, or NotJoined; none where it may be chosen. */
  readonly refusals: readonly Refusal[]
  /** What it was compared by; absent where it is refused. */
  readonly candidate?: NonNullable<Verdict['candidate']>
  /** In words how a ResourceQuota of the cluster limits it; absent where none does. */
  readonly quotaLimit?: string
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
  /** What it assumes of the control plane and cannot know, and what it leaves out; one sentence for each. */
  readonly assumptions: readonly string[]
}

/**
 * Schedules a binding as karmada-scheduler would now, and says for each cluster why. Nothing is changed.
 * @param bindings those of the binding's namespace, where it has affinity groups
 * @param quotas those of the binding's namespace; without them nothing is limited by quotas
 */
export function explainPlacement(
  spec: BindingSpec,
  status: BindingStatus,
  clusters: readonly Cluster[],
  bindings: readonly GroupedBinding[] = [],
  quotas?: NamespaceQuotas,
): PlacementExplanation {
  const names = clusters.map(({ metadata }) => metadata.name)
  const { quotasOf, assumptions } = quotas ? quotasInForce(quotas, names) : { assumptions: [] }
  const decided = schedule(spec, status, clusters, {
    bindings: () => bindings,
    ...(quotasOf && { quotasOf }),
  })
  const { affinityName, verdicts, clusters: targets, tried } = decided
  const isWritten = quotas && !keepsResult(decided.failure)
  const refused = isWritten ? federatedRefusal(spec, targets, quotas) : undefined
  const failure = refused?.failure ?? decided.failure
  const kept = keepsResult(failure) ? (spec.clusters ?? []) : targets
  const shown = new Set([
    ...verdicts.map(({ cluster }) => cluster),
    ...(spec.clusters ?? []).map(({ name }) => name),
    ...missingClusters(spec.placement, clusters),
  ])
  const joined = new Set(names)
  const replicasIn = (list: typeof targets, name: string) => {
    const target = list.find(one => one.name === name)
    return target && (target.replicas ?? 0)
  }
  return {
    ...(affinityName !== undefined && { affinityName }),
    ...(failure && { failure }),
    clusters: [...shown].sort().map(cluster => {
      const verdict = verdicts.find(one => one.cluster === cluster)
      const before = replicasIn(spec.clusters ?? [], cluster)
      const after = replicasIn(kept, cluster)
      const quotaLimit = verdict?.candidate && quotaWords(verdict.candidate, spec)
      return {
        cluster,
        refusals: verdict?.refusals ?? (joined.has(cluster) ? [] : NOT_JOINED),
        ...(verdict?.candidate && { candidate: verdict.candidate }),
        ...(quotaLimit !== undefined && { quotaLimit }),
        selected: verdict?.selected ?? false,
        ...(before !== undefined && { before }),
        ...(after !== undefined && { after }),
      }
    }),
    tried: tried.map(({ affinityName, failure }) => ({
      ...(affinityName !== undefined && { affinityName }),
      ...(failure && { failure }),
    })),
    assumptions: [...assumptions, ...(refused?.assumptions ?? [])],
  }
}

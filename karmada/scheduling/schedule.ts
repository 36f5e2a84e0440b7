import type { BindingSpec, BindingStatus, TargetCluster } from '../objects/binding.js'
import type { Cluster } from '../objects/cluster.js'
import { type GroupedBinding, groupMembersOf } from './affinity-groups.js'
import { type Candidate, candidatesOf } from './candidate.js'
import { divide } from './divide.js'
import { type Refusal, refusalsOf } from './filters.js'
import { during, type FailureReason, Unplaceable } from './outcome.js'
import type { QuotasOfMember } from './quota-room.js'
import { selectClusters } from './select-clusters.js'

/** Why a template could not be scheduled, as the binding's Scheduled condition says it. */
export interface ScheduleFailure {
  readonly reason: FailureReason
  /** Karmada's own message. */
  readonly message: string
}

/** What scheduling found out about one cluster. */
export interface Verdict {
  readonly cluster: string
  /** Every filter that refuses it; none when it is feasible. */
  readonly refusals: readonly Refusal[]
  /** Absent where it is refused. */
  readonly candidate?: Omit<Candidate, 'cluster' | 'name'>
  /** Whether the spread constraints chose it. */
  readonly selected: boolean
}

/** A decision: where a template goes, or why nowhere; and of each cluster, why. */
export interface Decision {
  /** The affinity group that the decision is about, where the placement has groups. */
  readonly affinityName?: string
  /** By name; empty with a failure. */
  readonly clusters: readonly TargetCluster[]
  readonly failure?: ScheduleFailure
  /** In the order of the clusters that were given; clusters that are being deleted are left out. */
  readonly verdicts: readonly Verdict[]
}

/** The decision for a template, and those for the affinity groups that were tried before it. */
export interface Scheduling extends Decision {
  readonly tried: readonly Decision[]
}

/** What a decision depends on beside the binding and the clusters. */
export interface SchedulingContext {
  /** Without it, no quotas limit the replicas. */
  readonly quotasOf?: QuotasOfMember
  /** Those of the binding's namespace; they are looked at only for a binding with affinity groups. Without it, there are no others. */
  readonly bindings?: () => readonly GroupedBinding[]
}

/**
 * Decides where a template goes and with how many replicas, as karmada-scheduler does: pure, without a clock.
 *
 * Affinity groups are tried in order, beginning with the one that was chosen last; when none can take the template, the
 * failure is that of the first.
 */
export function schedule(
  spec: BindingSpec,
  status: BindingStatus,
  clusters: readonly Cluster[],
  context: SchedulingContext = {},
): Scheduling {
  const { clusterAffinities } = spec.placement
  if (!clusterAffinities) return { ...decide(spec, status, clusters, context), tried: [] }
  const observed = status.schedulerObservingAffinityName
  const names = clusterAffinities.map(({ affinityName }) => affinityName)
  const tried: Decision[] = []
  for (const name of names.slice(Math.max(0, names.indexOf(observed ?? '')))) {
    const observing = { ...status, schedulerObservingAffinityName: name }
    const decision = decide(spec, observing, clusters, context)
    if (!decision.failure) return { ...decision, affinityName: name, tried }
    tried.push({ ...decision, affinityName: name })
  }
  const [first, ...others] = tried
  return { ...(first ?? NOWHERE), tried: others }
}

const NOWHERE: Decision = { clusters: [], verdicts: [] }

/** Decides for one affinity group, the one that the status names. */
function decide(
  spec: BindingSpec,
  status: BindingStatus,
  clusters: readonly Cluster[],
  { quotasOf, bindings = () => [] }: SchedulingContext,
): Decision {
  const staying = clusters.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const members = groupMembersOf(spec, bindings)
  const refusals = new Map(staying.map(one => [one.metadata.name, refusalsOf(one, spec, status, members)]))
  const feasible = staying.filter(({ metadata }) => refusals.get(metadata.name)?.length === 0)
  const candidates = candidatesOf(feasible, spec, status, quotasOf)
  let selected: readonly Candidate[] = []
  const verdicts = (): readonly Verdict[] =>
    staying.map(({ metadata: { name } }) => {
      const { cluster: _, name: __, ...found } = candidates.find(one => one.name === name) ?? NO_CANDIDATE
      const isCandidate = 'score' in found
      return {
        cluster: name,
        refusals: refusals.get(name) ?? [],
        ...(isCandidate && { candidate: found }),
        selected: selected.some(one => one.name === name),
      }
    })
  try {
    if (feasible.length === 0) throw noFit(clusters.length, refusals)
    selected = during('select clusters', () => selectClusters(candidates, spec))
    const divided = during('assign replicas', () => divide(selected, spec, status))
    return { clusters: [...divided].sort(byName), verdicts: verdicts() }
  } catch (error) {
    if (!(error instanceof Unplaceable)) throw error
    return { clusters: [], failure: { reason: error.reason, message: error.message }, verdicts: verdicts() }
  }
}

const NO_CANDIDATE: { readonly cluster?: never; readonly name?: never } = {}

const byName = (a: TargetCluster, b: TargetCluster): number => (a.name < b.name ? -1 : 1)

/** Counts the first reason of each cluster, as Karmada's FitError does. */
function noFit(all: number, refusals: ReadonlyMap<string, readonly Refusal[]>): Unplaceable {
  const counts = new Map<string, number>()
  for (const [first] of refusals.values())
    if (first) counts.set(first.reason, (counts.get(first.reason) ?? 0) + 1)
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).sort()
  const why = reasons.length > 0 ? reasons.join(', ') : 'no cluster exists'
  return new Unplaceable(`0/${all} clusters are available: ${why}.`, 'NoClusterFit')
}

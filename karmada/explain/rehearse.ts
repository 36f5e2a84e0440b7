import { ResourceSum } from '../../manifests/quantity.js'
import { type EvictionOptions, evicted } from '../eviction/evict.js'
import { appliedPlacement, noExecuteTaints, toleranceOf } from '../eviction/no-execute.js'
import type { ReplicaRequirements, TargetCluster } from '../objects/binding.js'
import type { Cluster, Taint } from '../objects/cluster.js'
import type { Binding, PlacedBinding } from '../objects/resource-binding.js'
import type { NamespaceQuotas } from '../quota/namespace-quotas.js'
import { schedulingTrigger } from '../scheduling/triggers.js'
import { explainPlacement, type PlacementExplanation } from './placement.js'

/** A taint that a cluster has in thought alone. */
export interface ThoughtTaint {
  readonly cluster: string
  readonly taint: Omit<Taint, 'timeAdded'>
}

/** A cluster that a template would leave. */
export interface Leaving {
  readonly cluster: string
  /** 0 for a template without replicas. */
  readonly replicas: number
  /** How long its policy tolerates the taints, seconds; 0: it leaves at once. */
  readonly afterSeconds: number
}

/** What becomes of a template that leaves clusters. */
export type RehearsedOutcome =
  /** As many replicas, or copies, run as before. */
  | 'Moves'
  /** Fewer do. */
  | 'Shrinks'
  /** It runs nowhere any more. */
  | 'Nowhere'

/** What taints would do to one template. */
export interface Rehearsal {
  readonly outcome: RehearsedOutcome
  readonly leaving: readonly Leaving[]
  /** The decision after it has left: `before` is where it runs now. */
  readonly placement: PlacementExplanation
  /** Why no new cluster is looked for, or another scheduler may decide otherwise. */
  readonly note?: string
  /** Where it gains replicas or a copy. */
  readonly gains: readonly TargetCluster[]
}

/** Clusters with taints that they have in thought: each takes the place of one with the same key and effect. @param now milliseconds */
export function withTaints(
  clusters: readonly Cluster[],
  thought: readonly ThoughtTaint[],
  now: number,
): readonly Cluster[] {
  const timeAdded = new Date(now).toISOString()
  return clusters.map(cluster => {
    const added = thought.filter(one => one.cluster === cluster.metadata.name).map(({ taint }) => taint)
    if (added.length === 0) return cluster
    const isReplaced = ({ key, effect }: Taint) =>
      added.some(taint => taint.key === key && taint.effect === effect)
    const kept = (cluster.spec.taints ?? []).filter(taint => !isReplaced(taint))
    const taints = [...kept, ...added.map(taint => ({ ...taint, timeAdded }))]
    return { ...cluster, spec: { ...cluster.spec, taints } }
  })
}

/**
 * What Karmada's taint manager and scheduler would do with a binding whose clusters are tainted; nothing is changed.
 * Undefined where it stays: it runs in none of them, or tolerates their taints for ever.
 * @param clusters as `withTaints` gives them, and with what moved there before
 * @param names the clusters that are tainted in thought
 * @param bindings those of the binding's namespace, where it has affinity groups
 */
export function rehearse(
  binding: PlacedBinding,
  clusters: readonly Cluster[],
  {
    names,
    now,
    bindings = [],
    quotas,
  }: {
    readonly names: ReadonlySet<string>
    readonly now: number
    readonly bindings?: readonly Binding[]
    readonly quotas?: NamespaceQuotas
  },
): Rehearsal | undefined {
  const leaving = leavingOf(binding, clusters, names, now)
  if (leaving.length === 0) return undefined
  const left = leaving.reduce((rest, { cluster }) => evicted(rest, cluster, EVICTION), binding)
  const isSuspended = left.spec.suspension?.scheduling === true
  const decided = explainPlacement(left.spec, left.status ?? {}, clusters, bindings, quotas)
  const isDecided = !isSuspended && schedulingTrigger(left, clusters) !== undefined
  const placement = withBefore(isDecided ? decided : keeping(decided, left), binding)
  const after = placement.clusters.flatMap(({ cluster, after }) =>
    after === undefined ? [] : [{ name: cluster, replicas: after }],
  )
  const note = noteOf(left)
  return {
    outcome: outcomeOf(binding.spec.clusters ?? [], after),
    leaving,
    placement,
    ...(note !== undefined && { note }),
    gains: after.flatMap(({ name, replicas }) => {
      const before = binding.spec.clusters?.find(one => one.name === name)
      const more = replicas - (before?.replicas ?? 0)
      return !before || more > 0 ? [{ name, replicas: more }] : []
    }),
  }
}

/** Clusters with what has moved there: the next decision finds so much less room. */
export function occupied(
  clusters: readonly Cluster[],
  gains: readonly TargetCluster[],
  requirements: ReplicaRequirements | undefined,
): readonly Cluster[] {
  const request = { ...requirements?.resourceRequest, pods: 1 }
  return clusters.map(cluster => {
    const gained = gains.find(({ name }) => name === cluster.metadata.name)?.replicas ?? 0
    const summary = cluster.status?.resourceSummary
    if (gained <= 0 || !summary) return cluster
    const one = new ResourceSum().add(request)
    const sum = new ResourceSum().add(summary.allocating ?? {})
    for (const name of Object.keys(request)) {
      const { nano, format } = one.get(name)
      sum.addQuantity(name, { nano: nano * BigInt(gained), format })
    }
    const resourceSummary = { ...summary, allocating: sum.toResourceList() }
    return { ...cluster, status: { ...cluster.status, resourceSummary } }
  })
}

function leavingOf(
  binding: PlacedBinding,
  clusters: readonly Cluster[],
  names: ReadonlySet<string>,
  now: number,
): readonly Leaving[] {
  const placement = appliedPlacement(binding)
  if (!placement) return []
  return (binding.spec.clusters ?? []).flatMap(({ name, replicas = 0 }) => {
    const cluster = names.has(name) ? clusters.find(({ metadata }) => metadata.name === name) : undefined
    if (!cluster) return []
    const tolerance = toleranceOf(noExecuteTaints(cluster), placement.clusterTolerations ?? [], now)
    if (tolerance === 'forever') return []
    return [{ cluster: name, replicas, afterSeconds: tolerance === 'none' ? 0 : tolerance.forMs / 1_000 }]
  })
}

/** How it leaves, and what is kept of its state, decides nothing about where it goes. */
const EVICTION: EvictionOptions = { reason: 'TaintUntolerated', producer: 'TaintManager' }

/** Where nothing is scheduled, what stays is the result. */
const keeping = (placement: PlacementExplanation, { spec: { clusters = [] } }: Binding) => {
  const { failure: _, ...rest } = placement
  return {
    ...rest,
    clusters: placement.clusters.map(({ after: __, ...one }) => {
      const kept = clusters.find(({ name }) => name === one.cluster)
      return { ...one, ...(kept && { after: kept.replicas ?? 0 }) }
    }),
  }
}

/** `before` is what runs now, and not what is left when it has gone. */
const withBefore = (
  placement: PlacementExplanation,
  { spec: { clusters = [] } }: Binding,
): PlacementExplanation => ({
  ...placement,
  clusters: placement.clusters.map(({ before: _, ...one }) => {
    const target = clusters.find(({ name }) => name === one.cluster)
    return { ...one, ...(target && { before: target.replicas ?? 0 }) }
  }),
})

function outcomeOf(before: readonly TargetCluster[], after: readonly TargetCluster[]): RehearsedOutcome {
  if (after.length === 0) return 'Nowhere'
  const replicasIn = (list: readonly TargetCluster[]) =>
    list.reduce((sum, { replicas = 0 }) => sum + replicas, 0)
  const [had, has] =
    replicasIn(before) > 0 ? [replicasIn(before), replicasIn(after)] : [before.length, after.length]
  return has < had ? 'Shrinks' : 'Moves'
}

const DEFAULT_SCHEDULER = 'default-scheduler'

function noteOf({ spec: { suspension, schedulerName = DEFAULT_SCHEDULER } }: Binding): string | undefined {
  if (suspension?.scheduling) return 'its scheduling is suspended: no other cluster is chosen'
  if (schedulerName !== DEFAULT_SCHEDULER)
    return `the scheduler ${schedulerName} decides where it goes, and may decide otherwise`
  return undefined
}

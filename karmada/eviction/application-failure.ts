import { knowsHealth } from '../interpreter/health.js'
import { type Binding, bindingScopeOf } from '../objects/resource-binding.js'
import type { EvictionOptions } from './evict.js'
import { preservedState } from './preserved-state.js'

/** Since when a binding's object has been unhealthy, by cluster; milliseconds. */
export type UnhealthySince = ReadonlyMap<string, number>

/** What is known of failing applications after a look at a binding. */
export interface FailureVerdict {
  /** Clusters that were unhealthy for longer than the policy tolerates. */
  readonly evict: readonly string[]
  readonly since: UnhealthySince
  /** Milliseconds until the next cluster may be due. */
  readonly nextMs?: number
}

const CALM: FailureVerdict = { evict: [], since: new Map() }

/**
 * Which clusters an application is to leave because it has been unhealthy there (Karmada's application failover controllers).
 * Only bindings that take along what they need are looked at, and kinds whose health Karmada knows.
 * @param now milliseconds
 * @param knows whether a kind has a rule for health
 */
export function failuresOf(
  binding: Binding,
  before: UnhealthySince,
  now: number,
  knows: typeof knowsHealth = knowsHealth,
): FailureVerdict {
  const { spec, status } = binding
  const items = status?.aggregatedStatus ?? []
  const behavior = spec.failover?.application
  const isWatched = behavior && spec.propagateDeps && items.length > 0 && knows(spec.resource)
  if (!isWatched) return CALM
  const tolerationMs = (behavior.decisionConditions.tolerationSeconds ?? 0) * 1_000
  const isLeaving = (cluster: string) =>
    (spec.gracefulEvictionTasks ?? []).some(({ fromCluster }) => fromCluster === cluster)
  const since = new Map(before)
  const evict: string[] = []
  const left: number[] = []
  for (const { clusterName, health } of items) {
    if (health !== 'Unhealthy' || isLeaving(clusterName)) continue
    const began = since.get(clusterName)
    if (began === undefined) since.set(clusterName, now)
    const remaining = (began ?? now) + tolerationMs - now
    if (began !== undefined && remaining < 0) evict.push(clusterName)
    else left.push(remaining)
  }
  const targets = new Set((spec.clusters ?? []).map(({ name }) => name))
  const others = new Set(items.filter(({ health }) => health !== 'Unhealthy').map(one => one.clusterName))
  for (const cluster of [...since.keys()])
    if (!targets.has(cluster) || others.has(cluster) || evict.includes(cluster)) since.delete(cluster)
  return { evict, since, ...(left.length > 0 && { nextMs: Math.max(0, Math.min(...left)) }) }
}

/**
 * How a failing application leaves a cluster.
 * @throws StatePreservationError
 */
export function applicationFailure(binding: Binding, cluster: string): EvictionOptions {
  const { purgeMode, gracePeriodSeconds, statePreservation } = binding.spec.failover?.application ?? {}
  const scope = 'namespace' in bindingScopeOf(binding) ? 'resource-binding' : 'cluster-resource-binding'
  const preservedLabelState = preservedState(binding, cluster, statePreservation)
  const clustersBeforeFailover = (binding.spec.clusters ?? []).map(({ name }) => name)
  return {
    producer: `${scope}-application-failover-controller`,
    reason: 'ApplicationFailure',
    ...(purgeMode && { purgeMode }),
    ...(preservedLabelState && { preservedLabelState, clustersBeforeFailover }),
    ...(purgeMode === 'Gracefully' && gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(purgeMode === 'Never' && { suppressDeletion: true }),
  }
}

import type { BindingSpec, BindingStatus } from '../objects/binding.js'
import { targets } from '../objects/binding.js'
import type { Cluster } from '../objects/cluster.js'
import { type Room, roomIn } from './capacity.js'
import { matchesAffinity } from './cluster-affinity.js'
import type { QuotasOfMember } from './quota-room.js'

/** A feasible cluster with what selection and division look at. */
export interface Candidate {
  readonly cluster: Cluster
  readonly name: string
  /** 100 where the template runs already, else 0 (Karmada's ClusterLocality, its only score). */
  readonly score: number
  /** 0 for the chosen affinity's own clusters, from 1 on for its overflow affinities. */
  readonly overflowOrder: number
  /** Replicas the cluster has room for beyond those it runs. */
  readonly allocatable: number
  /** The same and what it runs already. */
  readonly available: number
  /** The ResourceQuota of the cluster that leaves less room than the cluster has. */
  readonly quotaLimit?: Room['limit']
}

/** Karmada's order for a cluster that none of the affinities names. */
const LAST = 1000

/** Feasible clusters, best first: overflow order, score, available replicas, name. */
export function candidatesOf(
  clusters: readonly Cluster[],
  spec: BindingSpec,
  status: BindingStatus,
  quotasOf?: QuotasOfMember,
): readonly Candidate[] {
  return clusters.map(cluster => candidateOf(cluster, spec, status, quotasOf)).sort(best)
}

function candidateOf(
  cluster: Cluster,
  spec: BindingSpec,
  status: BindingStatus,
  quotasOf?: QuotasOfMember,
): Candidate {
  const { name } = cluster.metadata
  const { replicas: allocatable, limit } = roomIn(cluster, spec, quotasOf?.(name))
  const running = spec.clusters?.find(one => one.name === name)?.replicas ?? 0
  return {
    cluster,
    name,
    score: targets(spec, name) ? 100 : 0,
    overflowOrder: overflowOrderOf(cluster, spec, status),
    allocatable,
    available: allocatable + running,
    ...(limit && { quotaLimit: limit }),
  }
}

/** The order among candidates; total, because names differ. */
export const best = (a: Candidate, b: Candidate): number =>
  a.overflowOrder - b.overflowOrder ||
  b.score - a.score ||
  b.available - a.available ||
  (a.name < b.name ? -1 : 1)

function overflowOrderOf(cluster: Cluster, { placement }: BindingSpec, status: BindingStatus): number {
  const { clusterAffinity, clusterAffinities = [] } = placement
  if (clusterAffinity || clusterAffinities.length === 0) return 0
  const name = status.schedulerObservingAffinityName ?? ''
  const term = clusterAffinities.find(({ affinityName }) => affinityName === name)
  if (!term) return LAST
  if (matchesAffinity(cluster, term)) return 0
  const at = (term.overflowAffinities ?? []).findIndex(affinity => matchesAffinity(cluster, affinity))
  return at < 0 ? LAST : at + 1
}

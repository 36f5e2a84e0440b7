import type { BindingSpec, BindingStatus } from '../objects/binding.js'
import { isWorkload, targets } from '../objects/binding.js'
import type { Cluster } from '../objects/cluster.js'
import type { ClusterAffinity } from '../objects/placement.js'
import type { GroupedBinding, GroupMembers } from './affinity-groups.js'
import { matchesAffinity } from './cluster-affinity.js'
import { taintText, untoleratedTaint } from './tolerations.js'

/** A filter's refusal of one cluster. */
export interface Refusal {
  /** The name of Karmada's filter plugin. */
  readonly filter: string
  /** Karmada's own words. */
  readonly reason: string
}

/** Says why a cluster cannot take a template; undefined when it can. */
type Filter = (
  cluster: Cluster,
  spec: BindingSpec,
  status: BindingStatus,
  members: GroupMembers,
) => string | undefined

/**
 * Karmada's filter plugins (`pkg/scheduler/framework/plugins`). Karmada runs them in no particular order and stops at the
 * first refusal; we run all, in this order, so that a reader sees every reason.
 */
const filters: Readonly<Record<string, Filter>> = {
  APIEnablement: ({ metadata, status }, spec) => {
    if (targets(spec, metadata.name)) return
    const { apiVersion, kind } = spec.resource
    const isServed = status?.apiEnablements?.some(
      ({ groupVersion, resources = [] }) =>
        groupVersion === apiVersion && resources.some(resource => resource.kind === kind),
    )
    if (!isServed) return 'cluster(s) did not have the API resource'
  },
  ClusterAffinity: (cluster, spec, status) => {
    const affinities = affinitiesOf(spec, status)
    if (affinities && !affinities.some(affinity => matchesAffinity(cluster, affinity)))
      return 'cluster(s) did not match the placement cluster affinity constraint'
  },
  ClusterEviction: ({ metadata }, { gracefulEvictionTasks = [] }) => {
    if (gracefulEvictionTasks.some(({ fromCluster }) => fromCluster === metadata.name))
      return 'cluster(s) is in the process of eviction'
  },
  SpreadConstraint: ({ spec: { provider, region, zones = [] } }, { placement }) => {
    for (const { spreadByField } of placement.spreadConstraints ?? []) {
      if (spreadByField === 'provider' && !provider) return 'cluster(s) did not have provider property'
      if (spreadByField === 'region' && !region) return 'cluster(s) did not have region property'
      if (spreadByField === 'zone' && zones.length === 0) return 'cluster(s) did not have zones property'
    }
  },
  TaintToleration: ({ metadata, spec: { taints = [] } }, spec) => {
    if (targets(spec, metadata.name)) return
    const taint = untoleratedTaint(taints, spec.placement.clusterTolerations ?? [])
    if (taint) return `cluster(s) had untolerated taint {${taintText(taint)}}`
  },
  WorkloadAffinity: ({ metadata: { name } }, spec, _, { affinity }) => {
    const isElsewhere = ({ spec: { clusters = [] } }: GroupedBinding) =>
      clusters.length > 0 && !clusters.some(one => one.name === name)
    if (!targets(spec, name) && affinity.some(isElsewhere))
      return 'ResourceBinding with the same affinity group does not target this cluster'
  },
  WorkloadAntiAffinity: ({ metadata: { name } }, spec, _, { antiAffinity }) => {
    const isHere = ({ spec: { clusters = [] } }: GroupedBinding) => clusters.some(one => one.name === name)
    if (!targets(spec, name) && antiAffinity.some(isHere))
      return 'cluster already has workload with the same anti-affinity group'
  },
}

/**
 * Every filter that refuses a cluster; none when the cluster is feasible.
 * @param members the other bindings of the binding's affinity groups
 */
export const refusalsOf = (
  cluster: Cluster,
  spec: BindingSpec,
  status: BindingStatus,
  members: GroupMembers,
): readonly Refusal[] =>
  Object.entries(filters).flatMap(([filter, check]) => {
    const reason = check(cluster, spec, status, members)
    return reason === undefined ? [] : [{ filter, reason }]
  })

/** The affinities of which one must hold; undefined when any cluster may be chosen. */
function affinitiesOf(spec: BindingSpec, status: BindingStatus): readonly ClusterAffinity[] | undefined {
  const { clusterAffinity, clusterAffinities = [] } = spec.placement
  if (clusterAffinity) return [clusterAffinity]
  const term = clusterAffinities.find(
    ({ affinityName }) => affinityName === (status.schedulerObservingAffinityName ?? ''),
  )
  // Only what has replicas can overflow.
  return term && [term, ...(isWorkload(spec) ? (term.overflowAffinities ?? []) : [])]
}

import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Cluster } from '../../../karmada/objects/cluster.js'
import type { AggregatedStatusItem, Binding } from '../../../karmada/objects/resource-binding.js'
import {
  ClusterProvider,
  ClusterProviderSchema,
  type ClusterProviderSummarySchema,
} from '../../../proto/gen/kairship/types_pb.js'
import { enumOf } from '../kind/kube-message.js'

/** Where a template of the control plane went, and what became of it there. */
export interface Distribution {
  /** Whether Karmada chose clusters for it; `unknown` to a caller who may not read bindings. */
  readonly placed: boolean | 'unknown'
  /** One for each chosen cluster, by name. */
  readonly shares: readonly Share[]
}

/** One cluster's share of a template. */
export interface Share {
  readonly cluster: string
  readonly provider: ClusterProvider
  /** Whether Karmada reaches the cluster. What an unreachable one reported last is no longer known to be so. */
  readonly reachable: boolean
  /** Replicas that the scheduler gave to it; 0 for what has none. */
  readonly replicas: number
  readonly applied: boolean
  readonly appliedMessage: string
  readonly health: string
  /** What the cluster reports of the object; absent before it has reported. */
  readonly status: AggregatedStatusItem['status']
}

/** What is said of a cluster in a distribution. */
export interface ClusterFacts {
  readonly provider: ClusterProvider
  readonly reachable: boolean
}

/** The distribution for a caller who may not read bindings. */
export const UNKNOWN_DISTRIBUTION: Distribution = { placed: 'unknown', shares: [] }

/**
 * What a binding says of its template.
 * @param binding undefined where Karmada made none: no policy selects the template
 * @param clusters what is known of the instance's clusters; undefined for a caller who may not read them
 */
export function distributionOf(
  binding: Binding | undefined,
  clusters: ReadonlyMap<string, ClusterFacts> | undefined,
): Distribution {
  const targets = targetsOf(binding)
  const reports = new Map(binding?.status?.aggregatedStatus?.map(item => [item.clusterName, item]))
  const shares = [...targets].map(([cluster, replicas]): Share => {
    const { applied = false, appliedMessage = '', health = 'Unknown', status } = reports.get(cluster) ?? {}
    // A cluster that is not listed has left.
    const facts = clusters ? (clusters.get(cluster) ?? GONE) : UNREAD
    return {
      cluster,
      ...facts,
      replicas,
      applied,
      appliedMessage,
      health: facts.reachable ? health : 'Unknown',
      status,
    }
  })
  return {
    placed: targets.size > 0,
    shares: shares.sort((a, b) => (a.cluster < b.cluster ? -1 : 1)),
  }
}

const GONE: ClusterFacts = { provider: ClusterProvider.GENERIC, reachable: false }
const UNREAD: ClusterFacts = { provider: ClusterProvider.GENERIC, reachable: true }

/** The clusters of a binding with their replicas: those it was scheduled to, and those to which another template takes it along. */
function targetsOf(binding: Binding | undefined): ReadonlyMap<string, number> {
  const { clusters = [], requiredBy = [] } = binding?.spec ?? {}
  const along = requiredBy.flatMap(other => other.clusters ?? []).map(({ name }) => [name, 0] as const)
  return new Map([...along, ...clusters.map(({ name, replicas = 0 }) => [name, replicas] as const)])
}

/** What a distribution needs to know of a Cluster. */
export const clusterFactsOf = ({ spec, status }: Cluster): ClusterFacts => ({
  provider: providerOf(spec.provider),
  reachable: status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True',
})

/** The contract's provider for that of a Cluster, which is free text; GENERIC for those that the contract does not have. */
export function providerOf(provider: string | undefined): ClusterProvider {
  const name = (provider ?? '').toUpperCase().replaceAll('-', '_')
  return enumOf(ClusterProviderSchema, name) ?? ClusterProvider.GENERIC
}

/** `status.clusters` of every message that has it. */
export const clusterSummaries = ({
  shares,
}: Distribution): MessageInitShape<typeof ClusterProviderSummarySchema>[] =>
  shares.map(share => ({
    name: share.cluster,
    provider: share.provider,
    applied: share.applied,
    message: share.appliedMessage,
    replicas: share.replicas,
    readyReplicas: sumOf([share], 'readyReplicas'),
    health: share.health,
    reachable: share.reachable,
  }))

/** A count of the members' status, over the clusters that Karmada reaches. */
export const sumOf = (shares: readonly Share[], count: string): number =>
  shares
    .filter(({ reachable }) => reachable)
    .reduce((sum, { status }) => sum + (typeof status?.[count] === 'number' ? status[count] : 0), 0)

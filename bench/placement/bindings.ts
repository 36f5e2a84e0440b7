import type { BindingSpec } from '../../karmada/objects/binding.js'
import type { Cluster } from '../../karmada/objects/cluster.js'
import type { Placement } from '../../karmada/objects/placement.js'

/** A binding to schedule. */
export interface ToSchedule {
  readonly spec: BindingSpec
  readonly status: Record<string, never>
}

const REGIONS = ['eu', 'us', 'ap', 'sa', 'af']
const divided = (more: object): NonNullable<Placement['replicaScheduling']> => ({
  replicaSchedulingType: 'Divided',
  ...more,
})

/** One placement of each way to divide, in equal shares. */
const placements: readonly Placement[] = [
  { replicaScheduling: { replicaSchedulingType: 'Duplicated' } },
  {
    clusterAffinity: { labelSelector: { matchLabels: { tier: 'gold' } } },
    replicaScheduling: divided({
      replicaDivisionPreference: 'Weighted',
      weightPreference: {
        staticWeightList: [
          { targetCluster: { labelSelector: { matchLabels: { env: 'prod' } } }, weight: 3 },
          { targetCluster: {}, weight: 1 },
        ],
      },
    }),
  },
  {
    replicaScheduling: divided({
      replicaDivisionPreference: 'Weighted',
      weightPreference: { dynamicWeight: 'AvailableReplicas' },
    }),
  },
  {
    clusterAffinity: {
      fieldSelector: { matchExpressions: [{ key: 'provider', operator: 'In', values: ['aws'] }] },
    },
    replicaScheduling: divided({ replicaDivisionPreference: 'Aggregated' }),
  },
  {
    spreadConstraints: [
      { spreadByField: 'region', minGroups: 2, maxGroups: 3 },
      { spreadByField: 'cluster', minGroups: 4, maxGroups: 6 },
    ],
    replicaScheduling: divided({
      replicaDivisionPreference: 'Weighted',
      weightPreference: { dynamicWeight: 'AvailableReplicas' },
    }),
  },
]

/**
 * Clusters that all differ in capacity: with equal scores Karmada leaves the order of more than twelve clusters open, and the
 * decisions could not be compared. One of ten has a taint that nothing tolerates.
 */
export function clustersOf(count: number): readonly Cluster[] {
  return Array.from({ length: count }, (_, at) => ({
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: {
      name: `member${at + 1}`,
      labels: { tier: at % 2 === 0 ? 'gold' : 'tin', env: at % 3 === 0 ? 'prod' : 'test' },
    },
    spec: {
      syncMode: 'Push',
      provider: at % 2 === 0 ? 'aws' : 'gcp',
      region: REGIONS[at % REGIONS.length],
      taints: at % 10 === 9 ? [{ key: 'maintenance', effect: 'NoSchedule' }] : [],
    },
    status: {
      apiEnablements: [{ groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] }],
      resourceSummary: {
        allocatable: { cpu: `${64 + at}`, memory: `${256 + 4 * at}Gi`, pods: '1100' },
        allocated: { cpu: `${(at * 7) % 40}`, memory: `${(at * 13) % 128}Gi`, pods: `${(at * 31) % 500}` },
      },
    },
  })) as readonly Cluster[]
}

/** Bindings of Deployments with 1 to 100 replicas of half a core. */
export function bindingsOf(count: number): readonly ToSchedule[] {
  return Array.from({ length: count }, (_, at) => ({
    spec: {
      resource: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        namespace: 'bench',
        name: `web-${at}`,
        uid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
      },
      replicas: 1 + ((at * 37) % 100),
      replicaRequirements: { resourceRequest: { cpu: '500m', memory: '512Mi' } },
      placement: placements[at % placements.length] as Placement,
    },
    status: {},
  }))
}

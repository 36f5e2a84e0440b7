import fc from 'fast-check'
import type { BindingSpec, BindingStatus } from '../../karmada/objects/binding.js'
import type { Cluster } from '../../karmada/objects/cluster.js'
import type { ClusterAffinity, Placement, SpreadConstraint } from '../../karmada/objects/placement.js'

/** One scheduling decision to make. */
export interface Scenario {
  readonly spec: BindingSpec
  readonly status: BindingStatus
  readonly clusters: readonly Cluster[]
}

const REGIONS = ['eu', 'us', 'ap'] as const
const ZONES = ['a', 'b', 'c'] as const
const PROVIDERS = ['aws', 'gcp'] as const

/** Field by field, leaving some out. */
const partly = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>

const amounts = fc.constantFrom('0', '500m', '1', '2', '7', '16', '1Gi', '4Gi', '900Mi', '64Gi')
const pods = fc.constantFrom('0', '1', '3', '10', '110', '220')
const resources = partly({
  cpu: amounts,
  memory: amounts,
  pods,
  'nvidia.com/gpu': fc.constantFrom('0', '1', '8'),
})

const models = fc.constantFrom(
  [],
  [
    {
      grade: 0,
      ranges: [
        { name: 'cpu', min: '0', max: '1' },
        { name: 'memory', min: '0', max: '4Gi' },
      ],
    },
    {
      grade: 1,
      ranges: [
        { name: 'cpu', min: '1', max: '4' },
        { name: 'memory', min: '4Gi', max: '16Gi' },
      ],
    },
    {
      grade: 2,
      ranges: [
        { name: 'cpu', min: '4', max: '9223372036854775807' },
        { name: 'memory', min: '16Gi', max: '9223372036854775807' },
      ],
    },
  ],
)

const gradeCounts = fc.oneof(
  fc.constant([]),
  fc.array(fc.record({ grade: fc.nat(3), count: fc.integer({ min: -1, max: 6 }) }), { maxLength: 3 }),
)

const summary = partly({
  allocatable: resources,
  allocated: resources,
  allocating: resources,
  allocatableModelings: gradeCounts,
})

/** A cluster that most templates fit in. */
const roomy = fc.record({
  allocatable: fc.record({
    cpu: fc.constantFrom('16', '64', '900500m'),
    memory: fc.constantFrom('64Gi', '256Gi'),
    pods: fc.constantFrom('110', '220', '2000', '2147483647', '4294967306'),
    'nvidia.com/gpu': fc.constantFrom('0', '8', '64'),
  }),
  allocated: partly({ cpu: fc.constantFrom('500m', '3'), pods: fc.constantFrom('4', '17') }),
  allocatableModelings: gradeCounts,
})

const taint = fc.record(
  {
    key: fc.constantFrom('dedicated', 'cluster.karmada.io/not-ready'),
    value: fc.constantFrom('', 'gpu'),
    effect: fc.constantFrom('NoSchedule' as const, 'NoExecute' as const, 'PreferNoSchedule' as const),
  },
  { requiredKeys: ['key', 'effect'] },
)

const SERVED = [{ groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] }]

const cluster = (name: string): fc.Arbitrary<Cluster> =>
  fc
    .record({
      labels: partly({
        tier: fc.constantFrom('gold', 'tin'),
        'example.com/env': fc.constantFrom('prod', ''),
      }),
      rare: fc.nat(19),
      spec: partly({
        provider: fc.constantFrom(...PROVIDERS),
        region: fc.constantFrom(...REGIONS),
        zones: fc.subarray([...ZONES]),
        taints: fc.oneof(
          { weight: 3, arbitrary: fc.constant([]) },
          { weight: 1, arbitrary: fc.array(taint, { maxLength: 2 }) },
        ),
        resourceModels: models,
      }),
      hasSummary: fc.nat(9),
      summary: fc.oneof({ weight: 2, arbitrary: roomy }, { weight: 1, arbitrary: summary }),
    })
    .map(
      ({ labels, rare, spec, hasSummary, summary }) =>
        ({
          apiVersion: 'cluster.karmada.io/v1alpha1',
          kind: 'Cluster',
          metadata: { name, labels, ...(rare === 0 && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
          spec: { syncMode: 'Push', ...spec },
          status: {
            ...(rare !== 1 && { apiEnablements: SERVED }),
            ...(hasSummary > 0 && { resourceSummary: summary }),
          },
        }) as Cluster,
    )

/** Sorting more than twelve equals is left open by Go, so that no scenario has more clusters. */
const MOST_CLUSTERS = 12
const NAMES = Array.from({ length: MOST_CLUSTERS }, (_, at) => `member${at + 1}`)

const affinity: fc.Arbitrary<ClusterAffinity> = partly({
  labelSelector: fc.oneof(
    fc.constant({ matchLabels: { tier: 'gold' } }),
    fc.record({
      matchExpressions: fc.array(
        fc.constantFrom(
          { key: 'tier', operator: 'In', values: ['gold', 'tin'] },
          { key: 'tier', operator: 'NotIn', values: ['tin'] },
          { key: 'example.com/env', operator: 'Exists' },
          { key: 'example.com/env', operator: 'DoesNotExist' },
          { key: 'tier', operator: 'In', values: [] },
          { key: 'tier', operator: 'Exists', values: ['gold'] },
          { key: 'not a key', operator: 'Exists' },
          { key: 'tier', operator: 'Near', values: ['gold'] },
        ),
        { maxLength: 2 },
      ),
    }),
  ),
  fieldSelector: fc.record({
    matchExpressions: fc.array(
      fc.record({
        key: fc.constantFrom('provider', 'region', 'zone'),
        operator: fc.constantFrom('In', 'NotIn'),
        values: fc.subarray([...PROVIDERS, ...REGIONS, ...ZONES], { minLength: 1 }),
      }),
      { maxLength: 2 },
    ),
  }),
  clusterNames: fc.subarray(NAMES),
  exclude: fc.subarray(NAMES, { maxLength: 3 }),
}) as fc.Arbitrary<ClusterAffinity>

const wideAffinity = fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: affinity })

const groups = fc.record({ minGroups: fc.integer({ min: 1, max: 4 }), more: fc.nat(3) })
const spread: fc.Arbitrary<readonly SpreadConstraint[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  {
    weight: 4,
    arbitrary: fc.array(
      fc
        .record({
          field: fc.oneof(
            { weight: 9, arbitrary: fc.constantFrom('cluster' as const, 'region' as const) },
            { weight: 1, arbitrary: fc.constantFrom('zone' as const, 'provider' as const) },
          ),
          groups,
        })
        .map(({ field, groups: { minGroups, more } }) => ({
          spreadByField: field,
          minGroups,
          maxGroups: minGroups + more,
        })),
      { minLength: 1, maxLength: 2 },
    ),
  },
)

const weights = fc.array(fc.record({ targetCluster: wideAffinity, weight: fc.integer({ min: 0, max: 9 }) }), {
  maxLength: 4,
})

const divided = (more: object) => ({ replicaSchedulingType: 'Divided' as const, ...more })
const DYNAMIC = { weightPreference: { dynamicWeight: 'AvailableReplicas' as const } }

const replicaScheduling = fc.oneof(
  { weight: 1, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.constant({ replicaSchedulingType: 'Duplicated' as const }) },
  { weight: 5, arbitrary: fc.constant(divided({ replicaDivisionPreference: 'Aggregated' as const })) },
  { weight: 2, arbitrary: fc.constant(divided({ replicaDivisionPreference: 'Weighted' as const })) },
  {
    weight: 5,
    arbitrary: fc.constant(divided({ replicaDivisionPreference: 'Weighted' as const, ...DYNAMIC })),
  },
  {
    weight: 3,
    arbitrary: weights.map(staticWeightList =>
      divided({ replicaDivisionPreference: 'Weighted' as const, weightPreference: { staticWeightList } }),
    ),
  },
  { weight: 1, arbitrary: fc.constant(divided({})) },
)

const placement: fc.Arbitrary<Placement> = fc
  .record({
    where: fc.oneof(
      fc.constant({}),
      wideAffinity.map(clusterAffinity => ({ clusterAffinity })),
      fc
        .array(
          fc.record({
            own: wideAffinity,
            overflow: fc.option(fc.array(wideAffinity, { maxLength: 2 }), { nil: undefined }),
          }),
          { minLength: 1, maxLength: 3 },
        )
        .map(terms => ({
          clusterAffinities: terms.map(({ own, overflow }, at) => ({
            affinityName: `group${at}`,
            ...own,
            ...(overflow && { overflowAffinities: overflow }),
          })),
        })),
    ),
    tolerations: fc.array(
      fc.constantFrom(
        { key: 'dedicated', operator: 'Exists' },
        { key: 'dedicated', value: 'gpu' },
        { operator: 'Exists', effect: 'NoSchedule' },
        { key: 'cluster.karmada.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
        { key: 'dedicated', operator: 'Gt', value: '1' },
      ),
      { maxLength: 2 },
    ),
    spread,
    replicaScheduling,
  })
  .map(({ where, tolerations, spread, replicaScheduling }) => ({
    ...where,
    ...(tolerations.length > 0 && { clusterTolerations: tolerations }),
    ...(spread.length > 0 && { spreadConstraints: spread }),
    ...(replicaScheduling && { replicaScheduling }),
  }))

const EARLIER = '2026-01-01T00:00:00Z'
const LATER = '2026-01-02T00:00:00Z'

/** Any decision that Karmada can be asked for. Names of clusters that are gone occur in previous results. */
export const scenarios: fc.Arbitrary<Scenario> = fc
  .record({
    clusters: fc
      .integer({ min: 0, max: MOST_CLUSTERS })
      .chain(count => fc.tuple(...NAMES.slice(0, count).map(cluster))),
    placement,
    replicas: fc.oneof(
      { weight: 1, arbitrary: fc.constant(0) },
      { weight: 3, arbitrary: fc.nat(12) },
      { weight: 3, arbitrary: fc.nat(300) },
    ),
    requirements: fc.option(
      fc.record({
        resourceRequest: partly({
          cpu: fc.constantFrom('0', '1m', '250m', '1', '3'),
          memory: fc.constantFrom('1', '128Mi', '1Gi', '6Gi'),
          'nvidia.com/gpu': fc.constantFrom('1', '2'),
        }),
      }),
      { nil: undefined },
    ),
    previous: fc.array(fc.record({ name: fc.constantFrom(...NAMES, 'gone'), replicas: fc.nat(20) }), {
      maxLength: 5,
    }),
    evicted: fc.subarray(NAMES, { maxLength: 2 }),
    uid: fc.constantFrom('', 'a', 'b', 'c', '5a2f7c1e-0d5c-4a57-9f0b-3c1d2e4f5a6b'),
    asked: fc.constantFrom(undefined, EARLIER, LATER),
    scheduledAt: fc.constantFrom(undefined, EARLIER),
    observed: fc.constantFrom(undefined, 'group0', 'group1', 'gone'),
  })
  .map(
    ({
      clusters,
      placement,
      replicas,
      requirements,
      previous,
      evicted,
      uid,
      asked,
      scheduledAt,
      observed,
    }) => {
      const unique = previous.filter((one, at) => previous.findIndex(({ name }) => name === one.name) === at)
      return {
        clusters,
        spec: {
          resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web', uid },
          replicas,
          ...(requirements && { replicaRequirements: requirements }),
          ...(unique.length > 0 && { clusters: unique }),
          placement,
          gracefulEvictionTasks: evicted.map(fromCluster => ({
            fromCluster,
            reason: 'Test',
            producer: 'Test',
          })),
          ...(asked && { rescheduleTriggeredAt: asked }),
        },
        status: {
          ...(scheduledAt && { lastScheduledTime: scheduledAt }),
          ...(observed && { schedulerObservingAffinityName: observed }),
        },
      }
    },
  )

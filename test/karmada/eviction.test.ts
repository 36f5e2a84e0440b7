import { describe, expect, it } from 'vitest'
import { withTaintTimes } from '../../karmada/admission/taint-times.js'
import { applicationFailure, failuresOf } from '../../karmada/eviction/application-failure.js'
import { evicted } from '../../karmada/eviction/evict.js'
import { assessed } from '../../karmada/eviction/graceful.js'
import { appliedPlacement, toleranceOf, untoleratedTaint } from '../../karmada/eviction/no-execute.js'
import { observedWorkloads, rescheduled, type WorkloadRebalancer } from '../../karmada/eviction/rebalance.js'
import { type ClusterTaintPolicy, taintsByPolicies } from '../../karmada/eviction/taint-policies.js'
import type { Cluster, Taint } from '../../karmada/objects/cluster.js'
import type {
  AggregatedStatusItem,
  Binding,
  EvictionTask,
  FullBindingSpec,
  FullBindingStatus,
} from '../../karmada/objects/resource-binding.js'

const T0 = Date.parse('2026-01-01T00:00:00Z')
const at = (seconds: number) => T0 + seconds * 1_000
const iso = (seconds: number) => `${new Date(at(seconds)).toISOString().slice(0, 19)}Z`

const binding = (spec: Partial<FullBindingSpec> = {}, status: FullBindingStatus = {}): Binding => ({
  apiVersion: 'work.karmada.io/v1alpha2',
  kind: 'ResourceBinding',
  metadata: { namespace: 'default', name: 'web-deployment', generation: 4 },
  spec: {
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' },
    clusters: [
      { name: 'm1', replicas: 2 },
      { name: 'm2', replicas: 1 },
    ],
    ...spec,
  },
  status,
})
const task = (rest: Partial<EvictionTask> = {}): EvictionTask => ({
  fromCluster: 'm3',
  reason: 'TaintUntolerated',
  producer: 'TaintManager',
  creationTimestamp: iso(0),
  ...rest,
})

describe('the eviction of a cluster from a binding', () => {
  const options = { reason: 'TaintUntolerated', producer: 'TaintManager', purgeMode: 'Gracefully' } as const

  it('removes the target, and adds a task with its replicas', () => {
    const { clusters, gracefulEvictionTasks } = evicted(binding(), 'm1', options).spec
    expect(clusters).toEqual([{ name: 'm2', replicas: 1 }])
    expect(gracefulEvictionTasks).toEqual([{ fromCluster: 'm1', ...options, replicas: 2 }])
  })

  it('leaves no list where there was one target', () =>
    expect(evicted(binding({ clusters: [{ name: 'm1' }] }), 'm1', options).spec).not.toHaveProperty(
      'clusters',
    ))

  it('adds no second task for the same cluster', () => {
    const leaving = binding({ gracefulEvictionTasks: [task({ fromCluster: 'm1' })] })
    expect(evicted(leaving, 'm1', options).spec.gracefulEvictionTasks).toHaveLength(1)
  })

  it('changes nothing when the binding does not target the cluster', () => {
    const one = binding()
    expect(evicted(one, 'm9', options)).toBe(one)
  })

  it('purges as the policy says, and gracefully by default', () => {
    expect(untoleratedTaint(binding(), 'm1').purgeMode).toBe('Gracefully')
    const direct = binding({ failover: { cluster: { purgeMode: 'Directly' } } })
    expect(untoleratedTaint(direct, 'm1').purgeMode).toBe('Directly')
  })
})

describe('NoExecute taints', () => {
  const taint = (key: string, seconds?: number): Taint => ({
    key,
    effect: 'NoExecute',
    ...(seconds !== undefined && { timeAdded: iso(seconds) }),
  })
  const toleration = (key: string, tolerationSeconds?: number) => ({
    key,
    operator: 'Exists',
    ...(tolerationSeconds !== undefined && { tolerationSeconds }),
  })

  it.each([
    ['without a toleration', [taint('a', 0)], [], 'none'],
    ['of which one is not tolerated', [taint('a', 0), taint('b', 0)], [toleration('a')], 'none'],
    ['that are tolerated without an end', [taint('a', 0)], [toleration('a')], 'forever'],
    ['that are tolerated for a while', [taint('a', 5)], [toleration('a', 20)], { forMs: 15_000 }],
    ['whose time is up', [taint('a', 0)], [toleration('a', 10)], 'none'],
    ['whose time is long up', [taint('a', 0)], [toleration('a', 1)], 'none'],
    [
      'of which the first that ends counts',
      [taint('a', 0), taint('b', 9)],
      [toleration('a', 60), toleration('b', 3)],
      { forMs: 2_000 },
    ],
    ['without the time since which they are there', [taint('a')], [toleration('a', 1)], 'forever'],
  ] as const)('%s', (_, taints, tolerations, expected) => {
    expect(toleranceOf(taints, tolerations, at(10))).toEqual(expected)
  })

  it('get the time when they were added; other taints and objects do not change', () => {
    const cluster = {
      apiVersion: 'cluster.karmada.io/v1alpha1',
      kind: 'Cluster',
      metadata: { name: 'm1' },
      spec: { syncMode: 'Push', taints: [taint('a'), { key: 'b', effect: 'NoSchedule' }] },
    } as Cluster
    const timed = withTaintTimes(cluster, () => iso(3))
    expect(timed.spec.taints).toEqual([taint('a', 3), { key: 'b', effect: 'NoSchedule' }])
    expect(withTaintTimes(timed, () => iso(9))).toBe(timed)
    expect(withTaintTimes({ ...cluster, kind: 'Other' }, () => iso(9)).spec).toBe(cluster.spec)
  })

  it('are checked against the placement that was applied last', () => {
    const annotated = (text: string) => ({
      ...binding(),
      metadata: { name: 'b', annotations: { 'policy.karmada.io/applied-placement': text } },
    })
    expect(appliedPlacement(annotated('{"clusterTolerations":[]}'))).toEqual({ clusterTolerations: [] })
    expect(appliedPlacement(annotated('{'))).toBeUndefined()
    expect(appliedPlacement(binding())).toBeUndefined()
  })
})

describe('eviction tasks', () => {
  const healthy = (...names: string[]): FullBindingStatus => ({
    schedulerObservedGeneration: 4,
    aggregatedStatus: names.map(clusterName => ({ clusterName, health: 'Healthy' })),
  })
  const leaving = (rest: Partial<EvictionTask> = {}, status: FullBindingStatus = {}) =>
    assessed(binding({ gracefulEvictionTasks: [task(rest)] }, status), at(60))

  it('get the time when they began, when they are new', () => {
    const { creationTimestamp: _, ...fresh } = task()
    expect(assessed(binding({ gracefulEvictionTasks: [fresh] }, healthy('m1', 'm2')), at(60))).toEqual({
      kept: [task({ creationTimestamp: iso(60) })],
      over: [],
      nextMs: 600_000,
    })
  })

  it.each<[string, Partial<EvictionTask>, FullBindingStatus, boolean]>([
    ['end when everything runs healthily elsewhere', {}, healthy('m1', 'm2'), true],
    ['stay while one cluster has not reported', {}, healthy('m1'), false],
    [
      'stay while the scheduler has not seen the eviction',
      {},
      { ...healthy('m1', 'm2'), schedulerObservedGeneration: 3 },
      false,
    ],
    ['end when their own time is up', { gracePeriodSeconds: 59 }, {}, true],
    ['stay until then', { gracePeriodSeconds: 60 }, {}, false],
    ['stay while deletion is suppressed', { suppressDeletion: true }, healthy('m1', 'm2'), false],
    ['end when deletion is no longer suppressed', { suppressDeletion: false }, {}, true],
  ])('%s', (_, rest, status, isOver) => {
    expect(leaving(rest, status).over).toEqual(isOver ? ['m3'] : [])
  })

  it('are checked again when the first one ends; suppressed tasks need no check', () => {
    expect(leaving({ gracePeriodSeconds: 100 }).nextMs).toBe(40_000)
    expect(leaving().nextMs).toBe(540_000)
    expect(leaving({ suppressDeletion: true }).nextMs).toBeUndefined()
  })
})

describe('an unhealthy application', () => {
  const items = (m1: AggregatedStatusItem['health']): readonly AggregatedStatusItem[] => [
    { clusterName: 'm1', ...(m1 && { health: m1 }) },
    { clusterName: 'm2', health: 'Healthy' },
  ]
  const failing = (
    health: AggregatedStatusItem['health'] = 'Unhealthy',
    spec: Partial<FullBindingSpec> = {},
  ) =>
    binding(
      {
        propagateDeps: true,
        failover: { application: { decisionConditions: { tolerationSeconds: 30 } } },
        ...spec,
      },
      { aggregatedStatus: items(health) },
    )
  const none = new Map<string, number>()
  const since = new Map([['m1', at(0)]])

  it('is tolerated from the time when it was first observed', () => {
    expect(failuresOf(failing(), none, at(0))).toEqual({ evict: [], since, nextMs: 30_000 })
    expect(failuresOf(failing(), since, at(30))).toEqual({ evict: [], since, nextMs: 0 })
  })

  it('is evicted when it has been unhealthy for longer than tolerated', () => {
    expect(failuresOf(failing(), since, at(31))).toEqual({ evict: ['m1'], since: none })
  })

  it.each([
    ['has recovered', failing('Healthy')],
    ['is unknown', failing('Unknown')],
    ['no longer goes there', failing('Unhealthy', { clusters: [{ name: 'm2' }] })],
    ['does not take along what it needs', failing('Unhealthy', { propagateDeps: false })],
    [
      'is of a kind without health',
      failing('Unhealthy', { resource: { apiVersion: 'v1', kind: 'ConfigMap', name: 'x' } }),
    ],
    ['has no such policy', failing('Unhealthy', { failover: {} })],
  ])('is no longer tracked when it %s', (_, one) => {
    expect(failuresOf(one, since, at(10)).since).toEqual(none)
  })

  it('is not evicted twice', () => {
    const leaving = failing('Unhealthy', { gracefulEvictionTasks: [task({ fromCluster: 'm1' })] })
    expect(failuresOf(leaving, since, at(90)).evict).toEqual([])
  })

  it.each([
    ['Gracefully', { gracePeriodSeconds: 60 }],
    ['Directly', {}],
    ['Never', { suppressDeletion: true }],
  ] as const)('is evicted as its policy says: %s', (purgeMode, rest) => {
    const application = { decisionConditions: {}, purgeMode, gracePeriodSeconds: 60 }
    expect(applicationFailure(binding({ failover: { application } }), 'm1')).toEqual({
      producer: 'resource-binding-application-failover-controller',
      reason: 'ApplicationFailure',
      purgeMode,
      ...rest,
    })
  })
})

describe('cluster taint policies', () => {
  const cluster = (status: string, taints: readonly Taint[] = []): Cluster => ({
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name: 'm1' },
    spec: { syncMode: 'Push', taints },
    status: {
      conditions: [{ type: 'Ready', status, reason: '', message: '', lastTransitionTime: iso(0) }],
    } as Cluster['status'] & object,
  })
  const condition = (operator: string, ...statusValues: string[]) => [
    { conditionType: 'Ready', operator, statusValues },
  ]
  const policy = (
    rest: Partial<ClusterTaintPolicy['spec']>,
    name = 'p',
    seconds = 0,
  ): ClusterTaintPolicy => ({
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'ClusterTaintPolicy',
    metadata: { name, creationTimestamp: iso(seconds) },
    spec: { taints: [{ key: 'down', effect: 'NoExecute' }], ...rest },
  })
  const down = { key: 'down', effect: 'NoExecute', timeAdded: iso(9) } as const
  const taints = (one: Cluster, ...policies: ClusterTaintPolicy[]) => taintsByPolicies(one, policies, iso(9))

  it('add their taints when all conditions match', () => {
    const add = policy({ addOnConditions: condition('In', 'False', 'Unknown') })
    expect(taints(cluster('False'), add)).toEqual([down])
    expect(taints(cluster('True'), add)).toEqual([])
  })

  it('remove their taints again, and keep taints of others', () => {
    const remove = policy({ removeOnConditions: condition('NotIn', 'False') })
    expect(taints(cluster('True', [down]), remove)).toEqual([])
    const kept = cluster('False', [down])
    expect(taints(kept, policy({ addOnConditions: condition('In', 'False') }))).toBe(kept.spec.taints)
  })

  it.each([
    [
      'conditions that are absent',
      policy({ addOnConditions: [{ conditionType: 'X', operator: 'NotIn', statusValues: [] }] }),
    ],
    ['no conditions', policy({})],
    [
      'other clusters',
      policy({ addOnConditions: condition('In', 'False'), targetClusters: { clusterNames: ['m2'] } }),
    ],
    ['an operator that Karmada does not know', policy({ addOnConditions: condition('Exists', 'False') })],
  ])('do not act for %s', (_, one) => {
    expect(taints(cluster('False'), one)).toEqual([])
  })

  it('apply in order of creation time', () => {
    const add = policy({ addOnConditions: condition('In', 'False') }, 'a', 2)
    const remove = policy({ removeOnConditions: condition('In', 'False') }, 'b', 1)
    expect(taints(cluster('False'), add, remove)).toEqual([down])
  })
})

describe('a workload rebalancer', () => {
  const workload = (name: string) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    namespace: 'default',
    name,
  })
  const rebalancer = (
    names: readonly string[],
    status?: WorkloadRebalancer['status'],
  ): WorkloadRebalancer => ({
    apiVersion: 'apps.karmada.io/v1alpha1',
    kind: 'WorkloadRebalancer',
    metadata: { name: 'r', creationTimestamp: iso(5) },
    spec: { workloads: names.map(workload) },
    ...(status && { status }),
  })

  it('keeps results, drops failed targets that it no longer names, and adds new ones', () => {
    const status = {
      observedWorkloads: [
        { workload: workload('done'), result: 'Successful' },
        { workload: workload('failed'), result: 'Failed' },
      ],
    } as const
    expect(observedWorkloads(rebalancer(['new', 'b', 'new'], status))).toEqual([
      { workload: workload('b') },
      { workload: workload('done'), result: 'Successful' },
      { workload: workload('new') },
    ])
  })

  it('triggers once, with its creation time', () => {
    const asked = rescheduled(binding(), rebalancer([]))
    expect(asked.spec.rescheduleTriggeredAt).toBe(iso(5))
    expect(rescheduled(asked, rebalancer([]))).toBe(asked)
    const later = binding({ rescheduleTriggeredAt: iso(6) })
    expect(rescheduled(later, rebalancer([]))).toBe(later)
  })
})

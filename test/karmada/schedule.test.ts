import { describe, expect, it } from 'vitest'
import type { BindingSpec } from '../../karmada/objects/binding.js'
import type { Cluster } from '../../karmada/objects/cluster.js'
import type { Placement } from '../../karmada/objects/placement.js'
import { schedule } from '../../karmada/scheduling/schedule.js'
import { outcomeOf } from './outcome.js'
import { recordedAnswers, sampled } from './recorded.js'
import { scenarios } from './scenarios.js'

it('decides 1,000 recorded scenarios as Karmada did', () => {
  const ours = sampled(scenarios).map(({ spec, status, clusters }) =>
    outcomeOf(schedule(spec, status, clusters)),
  )
  expect(ours).toEqual(recordedAnswers('scheduling'))
})

describe('a schedule', () => {
  /** A cluster of which only the number of pods is known. */
  const withPods = (name: string, pods: string): Cluster => ({
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name },
    spec: { syncMode: 'Push' },
    status: {
      apiEnablements: [{ groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] }],
      resourceSummary: { allocatable: { pods }, allocated: {}, allocating: {} },
    },
  })

  it('counts room beyond an int32 as negative, as Karmada does, and assigns more to overflow clusters than there is', () => {
    const placement: Placement = {
      clusterAffinities: [
        { affinityName: 'main', clusterNames: ['huge'], overflowAffinities: [{ clusterNames: ['small'] }] },
      ],
      ...aggregated,
    }
    // 2^32 - 7 pods are -7 to Karmada: its scheduler, asked the same, gives out 8 of 1.
    const known = [withPods('huge', '4294967289'), withPods('small', '100')]
    const { clusters } = schedule(spec(placement, { replicas: 1, replicaRequirements: {} }), {}, known)
    expect(clusters).toEqual([{ name: 'small', replicas: 8 }])
  })

  it('adds room in an int32 when it looks for the fewest clusters, as Karmada does, and takes more than it needs', () => {
    const known = [
      ...['a', 'b'].map(name => withPods(name, '2147483643')),
      withPods('c', '110'),
      withPods('d', '110'),
    ]
    const running = { replicas: 112, replicaRequirements: {}, clusters: [{ name: 'd', replicas: 1 }] }
    // 110 and 2^31 - 5 are negative to Karmada: its scheduler, asked the same, goes on to the next cluster.
    expect(schedule(spec(aggregated, running), {}, known).clusters).toEqual([
      { name: 'a', replicas: 56 },
      { name: 'b', replicas: 55 },
      { name: 'd', replicas: 1 },
    ])
  })

  it('adds what runs to room in an int32 when it begins from nothing, as Karmada does, and leaves a cluster whose sum is too large', () => {
    const known = [...['other', 'runs'].map(name => withPods(name, '2147483643')), withPods('small', '110')]
    const asked = {
      replicas: 1,
      replicaRequirements: {},
      clusters: [{ name: 'runs', replicas: 5 }],
      rescheduleTriggeredAt: '2026-01-02T00:00:00Z',
    }
    // 2^31 - 5 and 5 are negative to Karmada: its scheduler, asked the same, takes the largest of the others.
    const { clusters } = schedule(
      spec(aggregated, asked),
      { lastScheduledTime: '2026-01-01T00:00:00Z' },
      known,
    )
    expect(clusters).toEqual([{ name: 'other', replicas: 1 }])
  })

  const cluster = (name: string, more: Partial<Cluster['spec']> = {}, cpu = '10'): Cluster => ({
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name },
    spec: { syncMode: 'Push', ...more },
    status: {
      apiEnablements: [{ groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] }],
      resourceSummary: { allocatable: { cpu, pods: '110' } },
    },
  })
  const spec = (placement: Placement, more: Partial<BindingSpec> = {}): BindingSpec => ({
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web', uid: 'a' },
    replicas: 6,
    replicaRequirements: { resourceRequest: { cpu: '1' } },
    placement,
    ...more,
  })
  const aggregated: Placement = {
    replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
  }

  it('duplicates the template by default', () =>
    expect(schedule(spec({}), {}, [cluster('a'), cluster('b')]).clusters).toEqual([
      { name: 'a', replicas: 6 },
      { name: 'b', replicas: 6 },
    ]))

  it('takes the largest cluster alone when that is enough', () =>
    expect(schedule(spec(aggregated), {}, [cluster('a', {}, '4'), cluster('b', {}, '8')]).clusters).toEqual([
      { name: 'b', replicas: 6 },
    ]))

  it('reports the available room when it is too little', () =>
    expect(schedule(spec(aggregated), {}, [cluster('a', {}, '2'), cluster('b', {}, '3')]).failure).toEqual({
      reason: 'Unschedulable',
      message:
        'failed to assign replicas: failed to scale up: Clusters available replicas 5 are not enough to schedule.',
    }))

  it('names every filter that refuses a cluster', () => {
    const tainted = cluster('a', { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] })
    const found = schedule(spec({ clusterAffinity: { clusterNames: ['b'] } }), {}, [tainted])
    expect(found.verdicts[0]?.refusals).toEqual([
      {
        filter: 'ClusterAffinity',
        reason: 'cluster(s) did not match the placement cluster affinity constraint',
      },
      { filter: 'TaintToleration', reason: 'cluster(s) had untolerated taint {k=v:NoSchedule}' },
    ])
    expect(found.failure?.message).toBe(
      '0/1 clusters are available: 1 cluster(s) did not match the placement cluster affinity constraint.',
    )
  })

  it('chooses no cluster when a field selector is invalid', () => {
    const unreadable = [
      { key: 'region', operator: 'Near', values: ['eu'] },
      { key: 'region', operator: 'NotIn', values: ['not a label value'] },
    ]
    for (const requirement of unreadable) {
      const placement = { clusterAffinity: { fieldSelector: { matchExpressions: [requirement] } } }
      const found = schedule(spec(placement), {}, [cluster('a', { region: 'eu' })])
      expect(found.failure?.reason).toBe('NoClusterFit')
    }
  })

  it('tries affinity groups in order and reports the result of each', () => {
    const groups: Placement = {
      clusterAffinities: [
        { affinityName: 'first', clusterNames: ['gone'] },
        { affinityName: 'second', clusterNames: ['b'] },
      ],
    }
    const found = schedule(spec(groups), {}, [cluster('a'), cluster('b')])
    expect(found).toMatchObject({ affinityName: 'second', clusters: [{ name: 'b', replicas: 6 }] })
    expect(found.tried.map(({ affinityName, failure }) => [affinityName, failure?.reason])).toEqual([
      ['first', 'NoClusterFit'],
    ])
  })

  it('fills an affinity group before its overflow clusters', () => {
    const overflowing: Placement = {
      ...aggregated,
      clusterAffinities: [
        {
          affinityName: 'local',
          clusterNames: ['a'],
          overflowAffinities: [{ clusterNames: ['b'] }, { clusterNames: ['c'] }],
        },
      ],
    }
    const known = [cluster('a', {}, '3'), cluster('b', {}, '2'), cluster('c', {}, '9')]
    expect(schedule(spec(overflowing), {}, known).clusters).toEqual([
      { name: 'a', replicas: 3 },
      { name: 'b', replicas: 2 },
      { name: 'c', replicas: 1 },
    ])
  })
})

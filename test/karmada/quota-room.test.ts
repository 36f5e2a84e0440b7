import { describe, expect, it } from 'vitest'
import type { BindingSpec } from '../../karmada/objects/binding.js'
import type { Cluster } from '../../karmada/objects/cluster.js'
import { type MemberQuota, strictestLimit, withRequested } from '../../karmada/scheduling/quota-room.js'
import { schedule } from '../../karmada/scheduling/schedule.js'
import { ResourceSum } from '../../manifests/quantity.js'

const quota = (resource: string, hard: string, used: string): MemberQuota => ({
  hard: { [resource]: hard },
  used: { [resource]: used },
})

describe('the room that quotas leave', () => {
  it.each<[string, readonly MemberQuota[], Record<string, string>, bigint | undefined]>([
    ['is not limited without quotas', [], { cpu: '10m' }, undefined],
    ['is what is free of the requests', [quota('requests.cpu', '50m', '20m')], { cpu: '10m' }, 3n],
    ['counts a resource without the prefix too', [quota('cpu', '1', '0')], { cpu: '300m' }, 3n],
    ['is in bytes for memory', [quota('memory', '1Gi', '512Mi')], { memory: '200Mi' }, 2n],
    [
      'is in whole units for others',
      [quota('requests.nvidia.com/gpu', '5', '1')],
      { 'nvidia.com/gpu': '2' },
      2n,
    ],
    ['is none where more is used than allowed', [quota('cpu', '1', '2')], { cpu: '1' }, 0n],
    ['is that of the strictest quota', [quota('cpu', '4', '0'), quota('cpu', '2', '0')], { cpu: '1' }, 2n],
    ['is not limited for what is not requested', [quota('cpu', '1', '1')], { memory: '1Gi' }, undefined],
    ['is not limited by limits', [quota('limits.cpu', '1', '1')], { cpu: '1' }, undefined],
    ['is not limited by what is not reported', [{ hard: { cpu: '1' } }], { cpu: '1' }, undefined],
    ['is not limited for a request of zero', [quota('cpu', '1', '1')], { cpu: '0' }, undefined],
  ])('%s', (_, quotas, request, room) => {
    expect(strictestLimit(quotas, request)?.room).toBe(room)
  })

  it('is told of the first of several quotas that leave the same', () => {
    const [one, other] = ['one', 'other'].map(name => ({ ...quota('cpu', '50m', '20m'), name }))
    expect(strictestLimit([one!, other!], { cpu: '10m' })?.quota.name).toBe('one')
  })
})

describe('a quota with what is under way', () => {
  it.each([
    ['counts replicas whose pods are not there yet', '0', '30m'],
    ['counts pods of others too', '40m', '40m'],
  ])('%s', (_, reported, used) => {
    const requested = new ResourceSum().add({ cpu: '30m', memory: '1Gi' })
    const found = withRequested(quota('requests.cpu', '50m', reported), requested)
    expect(found).toEqual(quota('requests.cpu', '50m', used))
  })
})

describe('a template that may overflow', () => {
  const cluster = (name: string): Cluster => ({
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name },
    spec: { syncMode: 'Push' },
    status: {
      apiEnablements: [{ groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] }],
      resourceSummary: { allocatable: { pods: '100', cpu: '8' } },
    },
  })
  const spec = (replicas: number, running: Readonly<Record<string, number>>): BindingSpec => ({
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web', uid: 'u' },
    replicas,
    replicaRequirements: { resourceRequest: { cpu: '10m' } },
    clusters: Object.entries(running).map(([name, count]) => ({ name, replicas: count })),
    placement: {
      clusterAffinities: [
        { affinityName: 'first', clusterNames: ['a'], overflowAffinities: [{ clusterNames: ['b'] }] },
      ],
      replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
    },
  })
  /** The quota of each cluster is twenty millicores, of which the replicas that run there use ten each. */
  const place = (replicas: number, running: Readonly<Record<string, number>> = {}) =>
    schedule(
      spec(replicas, running),
      { schedulerObservingAffinityName: 'first' },
      [cluster('a'), cluster('b')],
      { quotasOf: name => [quota('requests.cpu', '20m', `${(running[name] ?? 0) * 10}m`)] },
    )

  it('stays where the quota has room, goes on elsewhere, and comes back', () => {
    expect(place(2).clusters).toEqual([{ name: 'a', replicas: 2 }])
    expect(place(4, { a: 2 }).clusters).toEqual([
      { name: 'a', replicas: 2 },
      { name: 'b', replicas: 2 },
    ])
    expect(place(5, { a: 2, b: 2 }).failure?.reason).toBe('Unschedulable')
    expect(place(2, { a: 2, b: 2 }).clusters).toEqual([{ name: 'a', replicas: 2 }])
  })
})

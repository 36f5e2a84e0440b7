import { describe, expect, it } from 'vitest'
import { clusterMessage, phaseOf } from '../../../../http/rpc/cluster/cluster.js'
import { clusterFilter, factsOf, namesOf } from '../../../../http/rpc/cluster/filter.js'
import type { Cluster } from '../../../../karmada/objects/cluster.js'
import { ClusterPhase } from '../../../../proto/gen/kairship/cluster_pb.js'

const any = {
  ...{ role: [], kubernetesVersion: '', phase: '', managedBy: '', region: '', provider: '', zone: '' },
  clusterSelector: '',
}
const ready = (status: string) => [{ type: 'Ready', status }]
const cluster = (status: object = { conditions: ready('True') }, metadata: object = {}): Cluster =>
  ({
    ...{ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster' },
    metadata: { name: 'm', annotations: { 'kairship.io/cluster-roles': 'WORKER,MANAGER' }, ...metadata },
    spec: { syncMode: 'Push', provider: 'aws-eks', region: 'north', zones: ['n1', 'n2'] },
    status,
  }) as unknown as Cluster

describe('a filter of clusters', () => {
  it.each([
    [{}, true],
    [{ role: ['WORKER', 'THIRD_PARTY'] }, true],
    [{ role: ['THIRD_PARTY'] }, false],
    [{ phase: 'RUNNING' }, true],
    [{ phase: 'FAILED' }, false],
    [{ zone: 'n1' }, true],
    [{ zone: 'n2' }, true],
    [{ zone: 'n3' }, false],
    [{ region: 'north' }, true],
    [{ region: 'nort' }, false],
    [{ provider: 'aws-eks' }, true],
    [{ provider: 'AWS_EKS' }, true],
    [{ provider: 'METAL' }, false],
    [{ managedBy: 'else' }, false],
    [{ kubernetesVersion: 'v1.0.0' }, false],
    [{ region: 'north', zone: 'n3' }, false],
  ])('%j selects one with two zones and two roles: %s', (wanted, isSelected) => {
    expect(clusterFilter({ ...any, ...wanted })(factsOf(cluster()))).toBe(isSelected)
  })

  it.each([
    [{ phase: 'Running' }, 'phase'],
    [{ role: ['WORKER', 'BOSS'] }, 'role'],
  ])('%j is refused', (wanted, field) => {
    expect(() => clusterFilter({ ...any, ...wanted })).toThrow(field)
  })

  it('names clusters by a list with commas', () => {
    expect(namesOf({ clusterSelector: ' a,b ,,' })).toEqual(['a', 'b'])
    expect(namesOf(any)).toEqual([])
  })
})

describe('a member', () => {
  it.each([
    [{ conditions: ready('True') }, {}, ClusterPhase.RUNNING],
    [{ conditions: ready('False') }, {}, ClusterPhase.FAILED],
    [{ conditions: ready('Unknown') }, {}, ClusterPhase.UNKNOWN],
    [{ conditions: [{ type: 'Other', status: 'True' }] }, {}, ClusterPhase.CREATING],
    [{ conditions: ready('True') }, { deletionTimestamp: '2026-01-01T00:00:00Z' }, ClusterPhase.DELETING],
  ])('with the status %j and %j has the phase %i', (status, metadata, phase) => {
    expect(phaseOf(cluster(status, metadata))).toBe(phase)
  })

  it.each([
    [{ cpu: '1500m' }, { cpu: '6' }, 0.25],
    [{ cpu: '7' }, { cpu: '6' }, 1],
    [{ cpu: '7' }, { cpu: '0' }, 0],
    [{ cpu: '7' }, {}, 0],
    [{}, { cpu: '6' }, 0],
    [{ cpu: 'many' }, { cpu: '6' }, 0],
  ])('with %j allocated of %j has a CPU usage of %d', (allocated, allocatable, cpuUsage) => {
    const message = clusterMessage(cluster({ resourceSummary: { allocated, allocatable } }), {
      instance: 'i',
    })
    expect(message.status?.cpuUsage).toBe(cpuUsage)
  })
})

import { describe, expect, it } from 'vitest'
import {
  type ClusterFacts,
  clusterFactsOf,
  clusterSummaries,
  distributionOf,
  providerOf,
} from '../../../../http/rpc/distribution/distribution.js'
import type { Cluster } from '../../../../karmada/objects/cluster.js'
import { ClusterProvider } from '../../../../proto/gen/kairship/types_pb.js'
import { binding } from '../objects/binding.js'

const up: ClusterFacts = { provider: ClusterProvider.AWS_EKS, reachable: true }
const down: ClusterFacts = { provider: ClusterProvider.GENERIC, reachable: false }
const clusters = (facts: Record<string, ClusterFacts>) => new Map(Object.entries(facts))

describe('the distribution of a template', () => {
  it('has each chosen cluster once, sorted, with its share and its status', () => {
    expect(clusterSummaries(distributionOf(binding(), clusters({ a: up, b: up })))).toEqual([
      {
        name: 'a',
        provider: ClusterProvider.AWS_EKS,
        applied: true,
        message: '',
        replicas: 2,
        readyReplicas: 2,
        health: 'Healthy',
        reachable: true,
      },
      {
        name: 'b',
        provider: ClusterProvider.AWS_EKS,
        applied: false,
        message: 'namespaces "shop" not found',
        replicas: 1,
        readyReplicas: 0,
        health: 'Unknown',
        reachable: true,
      },
    ])
  })

  it('does not count the reported status of an unreachable cluster', () => {
    const [a] = clusterSummaries(distributionOf(binding(), clusters({ a: down, b: up })))
    expect(a).toMatchObject({ replicas: 2, readyReplicas: 0, health: 'Unknown', reachable: false })
  })

  it('counts a cluster that has left as unreachable', () => {
    expect(distributionOf(binding(), clusters({ a: up })).shares[1]).toMatchObject({ reachable: false })
  })

  it('uses the last status for a caller who may not read clusters', () => {
    expect(clusterSummaries(distributionOf(binding(), undefined))[0]).toMatchObject({
      readyReplicas: 2,
      health: 'Healthy',
      reachable: true,
    })
  })

  it('has the clusters of the workload that an attached object follows', () => {
    const along = binding({ clusters: undefined, requiredBy: [{ clusters: [{ name: 'a', replicas: 2 }] }] })
    expect(distributionOf(along, undefined)).toMatchObject({
      placed: true,
      shares: [{ cluster: 'a', replicas: 0, applied: true }],
    })
  })

  it('excludes a cluster that reports and is not chosen, because the object is being removed there', () => {
    const moved = binding({ clusters: [{ name: 'b', replicas: 3 }] })
    expect(distributionOf(moved, undefined).shares.map(({ cluster }) => cluster)).toEqual(['b'])
  })

  it.each([
    ['without a binding', undefined],
    ['with one that is not scheduled', binding({ clusters: undefined }, { aggregatedStatus: undefined })],
  ])('is empty %s', (_, one) => {
    expect(distributionOf(one, undefined)).toEqual({ placed: false, shares: [] })
  })
})

describe('the facts of a cluster', () => {
  const cluster = (provider: string | undefined, status: object | undefined) =>
    ({ spec: { provider }, status }) as unknown as Cluster

  it.each([
    ['True', true],
    ['False', false],
    ['Unknown', false],
  ])('include reachability from its Ready condition: %s', (ready, reachable) => {
    const status = { conditions: [{ type: 'Ready', status: ready }] }
    expect(clusterFactsOf(cluster('AWS_EKS', status))).toEqual({
      provider: ClusterProvider.AWS_EKS,
      reachable,
    })
    expect(clusterFactsOf(cluster(undefined, undefined)).reachable).toBe(false)
  })

  it.each([
    ['HUAWEI_CCE', ClusterProvider.HUAWEI_CCE],
    ['redhat-openshift4', ClusterProvider.REDHAT_OPENSHIFT4],
    ['kind', ClusterProvider.GENERIC],
    ['', ClusterProvider.GENERIC],
    [undefined, ClusterProvider.GENERIC],
  ])('have the provider %s as the contract has it', (text, provider) => {
    expect(providerOf(text)).toBe(provider)
  })
})

import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { changedCluster, cordoned, newCluster } from '../../../../http/rpc/cluster/given.js'
import type { Cluster, ClusterSpec } from '../../../../karmada/objects/cluster.js'
import { ClusterSchema } from '../../../../proto/gen/kairship/cluster_pb.js'
import { ClusterProvider, TaintEffect } from '../../../../proto/gen/kairship/types_pb.js'

const message = (init: MessageInitShape<typeof ClusterSchema>) => create(ClusterSchema, init)
const cluster = (spec: Partial<ClusterSpec> = {}, metadata: object = {}): Cluster => ({
  apiVersion: 'cluster.karmada.io/v1alpha1',
  kind: 'Cluster',
  metadata: { name: 'm', ...metadata },
  spec: { syncMode: 'Push', ...spec },
})
type Spec = NonNullable<MessageInitShape<typeof ClusterSchema>['spec']>
const specOf = (before: Partial<ClusterSpec>, spec: Spec) =>
  changedCluster(cluster(before), message({ spec })).spec

describe('the spec of a changed Cluster', () => {
  const rows: [string, Partial<ClusterSpec>, Spec, Partial<ClusterSpec>][] = [
    ['drops what an empty spec lacks', { provider: 'aws-eks', region: 'r', zones: ['z'] }, {}, {}],
    [
      'keeps a provider that the contract has no value for when it comes back as GENERIC',
      { provider: 'metal' },
      { provider: ClusterProvider.GENERIC },
      { provider: 'metal' },
    ],
    [
      'keeps the spelling of a provider that comes back as its value',
      { provider: 'aws-eks' },
      { provider: ClusterProvider.AWS_EKS },
      { provider: 'aws-eks' },
    ],
    [
      'prefers the provider in Karmada’s own text',
      {},
      { provider: ClusterProvider.AWS_EKS, providerName: 'x' },
      { provider: 'x' },
    ],
    [
      'keeps all zones when the first comes back',
      { zones: ['a', 'b'] },
      { zone: 'a' },
      { zones: ['a', 'b'] },
    ],
    ['replaces all zones by another one', { zones: ['a', 'b'] }, { zone: 'c' }, { zones: ['c'] }],
    ['turns the deprecated zone into zones', { zone: 'a' }, { zone: 'a' }, { zones: ['a'] }],
    [
      'keeps the API endpoint that is not given',
      { apiEndpoint: 'https://a' },
      {},
      { apiEndpoint: 'https://a' },
    ],
  ]
  it.each(rows)('%s', (_, before, given, after) => {
    expect(specOf(before, given)).toEqual({ syncMode: 'Push', ...after })
  })

  it('keeps timeAdded of existing taints, and drops taints that are not in the request', () => {
    const taints = [
      { key: 'a', effect: 'NoExecute', timeAdded: 'then' },
      { key: 'b', effect: 'NoExecute', timeAdded: 'then' },
    ] as const
    const given = [
      { key: 'a', effect: TaintEffect.NoExecute },
      { key: 'c', value: 'v', effect: TaintEffect.NoSchedule },
    ]
    expect(specOf({ taints }, { taints: given }).taints).toEqual([
      { key: 'a', effect: 'NoExecute', timeAdded: 'then' },
      { key: 'c', value: 'v', effect: 'NoSchedule' },
    ])
  })

  it('is refused with every wrong field', () => {
    const wrong = message({
      metadata: { name: 'other' },
      spec: {
        ...{ roles: ['WORKER', 'KING'], zone: 'a', zones: ['b'] },
        taints: [{ key: 'a' }, { key: 'b', effect: TaintEffect.PreferNoSchedule }],
      },
    })
    expect(() => changedCluster(cluster(), wrong)).toThrow(
      expect.objectContaining({
        details: {
          violations: [
            'cluster.metadata.name',
            'cluster.spec.roles[1]',
            'cluster.spec.taints[0].effect',
            'cluster.spec.taints[1].effect',
            'cluster.spec.zone',
          ].map(field => expect.objectContaining({ field })),
        },
      }),
    )
  })
})

describe('the metadata of a changed Cluster', () => {
  const own = { 'kairship.io/cluster-alias': 'Alias' }
  it('is replaced by a request with metadata, which keeps the spec', () => {
    const before = cluster({}, { labels: { a: '1' }, annotations: { b: '2', ...own } })
    const after = changedCluster(before, message({ metadata: { labels: { c: '3' } } }))
    expect(after.metadata).toMatchObject({ labels: { c: '3' }, annotations: own })
    expect(after.metadata.annotations).toEqual(own)
  })

  it('is kept by a request with a spec, which replaces the spec', () => {
    const before = cluster({}, { labels: { a: '1' }, annotations: { b: '2', ...own } })
    const after = changedCluster(before, message({ spec: { managedBy: 'me', roles: ['WORKER', 'MANAGER'] } }))
    expect(after.metadata).toMatchObject({ labels: { a: '1' } })
    expect(after.metadata.annotations).toEqual({
      b: '2',
      'kairship.io/cluster-managed-by': 'me',
      'kairship.io/cluster-roles': 'WORKER,MANAGER',
    })
  })

  it('cannot set spec fields through annotations', () => {
    const after = changedCluster(cluster(), message({ metadata: { annotations: own }, spec: {} }))
    expect(after.metadata.annotations).toEqual({})
  })

  it('of a new Cluster has the name as its description', () => {
    expect(newCluster('m', undefined)).toEqual(cluster({}, { labels: {}, annotations: {} }))
  })
})

describe('a cordon', () => {
  const taint = { key: 'cluster.karmada.io/unschedulable', effect: 'NoSchedule', timeAdded: 'now' } as const
  it('adds Karmada’s taint once, and removes it without changing others', () => {
    const other = { key: taint.key, effect: 'NoExecute' } as const
    const before = cluster({ taints: [other] })
    const after = cordoned(before, true, 'now')
    expect(after.spec.taints).toEqual([other, taint])
    expect(cordoned(after, true, 'later')).toBe(after)
    expect(cordoned(after, false, 'later').spec.taints).toEqual([other])
    expect(cordoned(before, false, 'later')).toBe(before)
  })
})

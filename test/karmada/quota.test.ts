import { describe, expect, it } from 'vitest'
import type { FederatedResourceQuota } from '../../karmada/objects/federated-resource-quota.js'
import type { PlacedBinding } from '../../karmada/objects/resource-binding.js'
import type { Work } from '../../karmada/objects/work.js'
import { clusterQuotas, isOrphan, quotaKeyOf, quotaWork } from '../../karmada/quota/member-quotas.js'
import { quotaRefusalOf, requestedInEach, usedOf } from '../../karmada/quota/usage.js'
import { binding } from './propagated-objects.js'

const quota = (overall: Record<string, string>): FederatedResourceQuota => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'FederatedResourceQuota',
  metadata: { namespace: 'default', name: 'limit' },
  spec: { overall, staticAssignments: [{ clusterName: 'm1', hard: { cpu: '1' } }] },
})

/** A binding whose replicas request 100m of cpu each. */
const requesting = (...replicas: readonly number[]): PlacedBinding => ({
  ...binding(),
  spec: { ...binding().spec, clusters: replicas.map((count, at) => ({ name: `m${at}`, replicas: count })) },
})

describe('a quota of a federation', () => {
  it('counts the replicas of all clusters, and only resources that it limits', () => {
    const bindings = [requesting(2, 3), requesting(1), requesting()]
    expect(usedOf(quota({ cpu: '1', memory: '1Gi' }), bindings)).toEqual({ cpu: '600m' })
    expect(usedOf(quota({ memory: '1Gi' }), bindings)).toEqual({})
  })

  it('counts the replicas of each cluster alone', () => {
    const requested = requestedInEach([requesting(2, 3), requesting(1)])
    expect([...requested].map(([name, sum]) => [name, sum.toResourceList()])).toEqual([
      ['m0', { cpu: '300m' }],
      ['m1', { cpu: '300m' }],
    ])
  })

  it.each<[string, number[], number[] | undefined, string, string | undefined]>([
    ['a new binding within the limit', [4], undefined, '700m', undefined],
    ['more than is left', [5], [4], '700m', 'requested sum 800m, limit 700m.'],
    ['a binding that stays the same, over the limit', [5], [5], '700m', undefined],
    ['fewer replicas, still over the limit', [5], [6], '700m', 'requested sum 800m, limit 700m.'],
    ['a move to another cluster', [0, 5], [5, 0], '700m', undefined],
    ['no replicas at all', [], [5], '200m', 'requested sum 300m, limit 200m.'],
  ])('%s', (_, now, before, limit, message) => {
    const old = before && requesting(...before)
    const refusal = quotaRefusalOf(requesting(...now), old, [quota({ cpu: limit })], [requesting(1, 2)])
    const full = message && `FederatedResourceQuota(default/limit) exceeded for resource cpu: ${message}`
    expect(refusal?.message).toBe(full)
    expect(refusal?.reason).toBe(message && 'QuotaExceeded')
  })
})

describe('the quota of a member', () => {
  const work = quotaWork(quota({ cpu: '1' }), 'm1', { cpu: '1' })

  it('is a Work of its own, which belongs to the quota as long as that assigns something', () => {
    expect(work.metadata).toMatchObject({ namespace: 'karmada-es-m1' })
    expect(work.spec.workload.manifests[0]).toMatchObject({
      kind: 'ResourceQuota',
      metadata: { namespace: 'default', name: 'limit', labels: { 'karmada.io/managed': 'true' } },
      spec: { hard: { cpu: '1' } },
    })
    expect(quotaKeyOf(work)).toBe('default/limit')
    expect(isOrphan(work, quota({}))).toBe(false)
    expect(isOrphan(quotaWork(quota({}), 'm2', {}), quota({}))).toBe(true)
  })

  it('is reported once it is applied', () => {
    const status = { hard: { cpu: '1' }, used: { cpu: '0' } }
    const reported = (applied: 'True' | 'False', cluster: string): Work => ({
      ...work,
      metadata: { ...work.metadata, namespace: `karmada-es-${cluster}` },
      status: {
        conditions: [
          {
            type: 'Applied',
            status: applied,
            reason: '',
            message: '',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
        manifestStatuses: [
          {
            identifier: { ordinal: 0, version: 'v1', kind: 'ResourceQuota', resource: '', name: 'limit' },
            status,
          },
        ],
      },
    })
    const works = [reported('True', 'm2'), reported('False', 'm3'), reported('True', 'm1'), work]
    expect(clusterQuotas(works)).toEqual([
      { clusterName: 'm1', ...status },
      { clusterName: 'm2', ...status },
    ])
  })
})

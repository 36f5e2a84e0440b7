import { describe, expect, it } from 'vitest'
import { explainPlacement } from '../../../karmada/explain/placement.js'
import type {
  FederatedResourceQuota,
  QuotaStatus,
} from '../../../karmada/objects/federated-resource-quota.js'
import type { PlacedBinding } from '../../../karmada/objects/resource-binding.js'
import { namespaceQuotas } from '../../../karmada/quota/namespace-quotas.js'
import { policyOf, propagated } from './world.js'

const placement = {
  clusterAffinity: { clusterNames: ['north', 'south'] },
  replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
} as const
const { binding: scheduled, clusters } = propagated({ policy: policyOf({ placement }) })
/** A binding of 2 replicas that request a whole CPU each, as the detector has just made it. */
const unscheduled: PlacedBinding = { ...scheduled, spec: { ...scheduled.spec, clusters: [] }, status: {} }
const quota = (status: QuotaStatus, overall = {}): FederatedResourceQuota => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'FederatedResourceQuota',
  metadata: { namespace: 'shop', name: 'limit' },
  spec: { overall },
  status,
})
/** What a member reports of a quota for CPUs. */
const reported = (clusterName: string, cpu: string, used = '0') => ({
  clusterName,
  hard: { cpu },
  used: { cpu: used },
})
const explained = (
  quotas: readonly FederatedResourceQuota[],
  bindings: readonly PlacedBinding[] = [unscheduled],
) => explainPlacement(unscheduled.spec, {}, clusters, [], namespaceQuotas(quotas, [], bindings))
const sharesOf = ({ clusters }: ReturnType<typeof explained>) =>
  clusters.flatMap(({ cluster, after }) => (after === undefined ? [] : [`${cluster}:${after}`]))
/** A binding of a control plane whose detector writes no namespace into requests. */
const withoutGate: PlacedBinding = {
  ...unscheduled,
  spec: { ...unscheduled.spec, replicaRequirements: { resourceRequest: { cpu: '1' } } },
}

describe('an explanation in a namespace with quotas', () => {
  it('gives a cluster no more replicas than its quota leaves room for, and says so', () => {
    const found = explained([quota({ aggregatedStatus: [reported('north', '1'), reported('south', '9')] })])
    expect(sharesOf(found)).toEqual(['south:2'])
    expect(found.clusters.map(({ quotaLimit }) => quotaLimit)).toEqual([
      'ResourceQuota limit of the cluster leaves room for 1 more replicas: 0 of 1 cpu are used, and each requests 1. Without it there would be room for 10.',
      'ResourceQuota limit of the cluster leaves room for 9 more replicas: 0 of 9 cpu are used, and each requests 1. Without it there would be room for 10.',
      undefined,
    ])
    expect(found.assumptions).toEqual([])
  })

  it('counts what other bindings request in the cluster and its pods do not use yet', () => {
    const other = {
      ...scheduled,
      metadata: { ...scheduled.metadata, name: 'other-deployment' },
      spec: { ...scheduled.spec, clusters: [{ name: 'north', replicas: 8 }] },
    }
    const quotas = [quota({ aggregatedStatus: [reported('north', '9'), reported('south', '0')] })]
    expect(explained(quotas, [unscheduled, other])).toMatchObject({
      failure: { reason: 'Unschedulable' },
      clusters: [
        { quotaLimit: expect.stringContaining('8 of 9 cpu are used') },
        { quotaLimit: expect.stringContaining('room for 0 more') },
        {},
      ],
    })
  })

  it('leaves quotas of members out where bindings show that the feature gate is off, and says so', () => {
    const found = explained(
      [quota({ aggregatedStatus: [reported('north', '0'), reported('south', '0')] })],
      [withoutGate],
    )
    expect(sharesOf(found)).toEqual(['north:2'])
    expect(found.assumptions).toEqual([expect.stringMatching(/ResourceQuotaEstimate is off here/)])
  })

  it('assumes the feature gate to be on where nothing shows it, and says so', () => {
    const found = explained(
      [quota({ aggregatedStatus: [reported('north', '1'), reported('south', '9')] })],
      [],
    )
    expect(sharesOf(found)).toEqual(['south:2'])
    expect(found.assumptions).toEqual([expect.stringMatching(/^It is assumed .* ResourceQuotaEstimate/)])
  })

  it('assumes nothing where no member has a quota', () => {
    expect(explained([quota({}, { cpu: '9' })], [])).toMatchObject({ assumptions: [] })
  })

  it('that a federated quota refuses keeps the result of before, and says what it assumes', () => {
    const found = explained([quota({}, { cpu: '1' })])
    expect(sharesOf(found)).toEqual([])
    expect(found).toMatchObject({
      failure: {
        reason: 'QuotaExceeded',
        message: expect.stringContaining('FederatedResourceQuota(shop/limit) exceeded for resource cpu'),
      },
      assumptions: [expect.stringMatching(/^It is assumed .* FederatedQuotaEnforcement/)],
    })
  })

  it('assumes nothing of federated quotas where one has refused a binding', () => {
    const status = {
      conditions: [{ type: 'Scheduled', status: 'False', reason: 'QuotaExceeded', message: '' }],
    } as never
    const found = explained([quota({}, { cpu: '1' })], [unscheduled, { ...scheduled, status }])
    expect(found).toMatchObject({ failure: { reason: 'QuotaExceeded' }, assumptions: [] })
  })
})

it('quotas for some pods only are left out', () => {
  const template = (spec: object) => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q' },
    spec,
  })
  const bound = {
    ...scheduled,
    metadata: { namespace: 'shop', name: 'q-resourcequota' },
    status: {
      aggregatedStatus: [{ clusterName: 'north', status: { hard: { cpu: '1' }, used: { cpu: '0' } } }],
    },
  } as PlacedBinding
  expect(namespaceQuotas([], [template({})], [bound]).inMembers('north')).toEqual([
    { name: 'q', hard: { cpu: '1' }, used: { cpu: '0' } },
  ])
  expect(namespaceQuotas([], [template({ scopes: ['BestEffort'] })], [bound]).inMembers('north')).toEqual([])
})

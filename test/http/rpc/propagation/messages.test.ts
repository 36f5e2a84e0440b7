import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { bindingMessage, isWanted } from '../../../../http/rpc/propagation/binding.js'
import { carries, withoutSecretValues, workMessage } from '../../../../http/rpc/propagation/work.js'
import { claimMarks } from '../../../../karmada/matching/claim.js'
import type { PropagationPolicy } from '../../../../karmada/objects/propagation-policy.js'
import type { Binding } from '../../../../karmada/objects/resource-binding.js'
import type { Work } from '../../../../karmada/objects/work.js'
import { PlacementSchema } from '../../../../proto/gen/kairship/policy_spec_pb.js'
import {
  ClusterResourceBindingSchema,
  ResourceBindingSchema,
  WorkSchema,
} from '../../../../proto/gen/kairship/propagation_pb.js'
import { missingFields } from '../missing-fields.js'
import { binding } from '../objects/binding.js'
import { unsetFields } from '../unset-fields.js'

const here = { instance: 'eu-west' }
const conditions = [
  {
    ...{ type: 'Scheduled', status: 'True', reason: 'Success', message: 'scheduled', observedGeneration: 3 },
    ...{ lastTransitionTime: '2026-11-20T10:00:00Z', lastUpdateTime: '2026-11-20T10:00:00Z' },
  },
]
const statePreservation = { rules: [{ aliasLabelName: 'replicas', jsonPath: '{.updatedReplicas}' }] }
const requirements = {
  resourceRequest: { cpu: '100m', memory: 134217728 },
  ...{ namespace: 'shop', priorityClassName: 'high' },
}

/** A binding with every field that Karmada 1.18 writes. */
const full = binding(
  {
    resource: {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
      ...{ uid: 'u-1', resourceVersion: '41' },
    },
    replicaRequirements: requirements,
    placement: { clusterAffinity: { clusterNames: ['a', 'b'] } },
    requiredBy: [{ namespace: 'shop', name: 'shop-deployment', clusters: [{ name: 'c', replicas: 1 }] }],
    gracefulEvictionTasks: [
      {
        ...{ fromCluster: 'd', purgeMode: 'Gracefully', replicas: 2, reason: 'TaintUntolerated' },
        ...{ message: 'it is away', producer: 'TaintManager', gracePeriodSeconds: 600 },
        ...{ suppressDeletion: false, creationTimestamp: '2026-11-20T10:00:00Z' },
      },
    ],
    ...{ schedulerName: 'default-scheduler', propagateDeps: true, conflictResolution: 'Overwrite' },
    preserveResourcesOnDeletion: true,
    suspension: { dispatching: true, dispatchingOnClusters: { clusterNames: ['a'] }, scheduling: true },
    rescheduleTriggeredAt: '2026-11-20T11:00:00Z',
    failover: {
      application: {
        ...{ decisionConditions: { tolerationSeconds: 1 }, purgeMode: 'Gracefully', gracePeriodSeconds: 9 },
        statePreservation,
      },
      cluster: { purgeMode: 'Directly', statePreservation },
    },
    components: [{ name: 'worker', replicas: 2, replicaRequirements: requirements }],
    schedulePriority: { priority: 5 },
  },
  {
    conditions,
    ...{ schedulerObservedGeneration: 3, schedulerObservingAffinityName: 'first' },
    lastScheduledTime: '2026-11-20T10:00:00Z',
  },
)
const policy = {
  kind: 'PropagationPolicy',
  metadata: { name: 'web', namespace: 'shop', labels: { 'propagationpolicy.karmada.io/permanent-id': 'p' } },
} as unknown as PropagationPolicy
const claimed: Binding = { ...full, metadata: { ...full.metadata, ...claimMarks(policy) } }

const secret = {
  ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque', data: { password: 'YzRuNHJ5' } },
  metadata: {
    ...{ name: 'db', namespace: 'shop', uid: '' },
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"password":"YzRuNHJ5"}}' },
  },
}
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' } }
const identifier = { ordinal: 0, group: 'apps', version: 'v1', kind: 'Deployment', resource: '' }
const work = {
  apiVersion: 'work.karmada.io/v1alpha1',
  kind: 'Work',
  metadata: { name: 'web-5d4f8c7b6', namespace: 'karmada-es-member-1' },
  spec: {
    workload: { manifests: [deployment, secret] },
    ...{ suspendDispatching: true, preserveResourcesOnDeletion: true },
  },
  status: {
    conditions,
    manifestStatuses: [
      {
        identifier: { ...identifier, namespace: 'shop', name: 'web' },
        ...{ status: { readyReplicas: 2 }, health: 'Healthy' },
      },
      { identifier: { ...identifier, group: '', kind: 'Secret', namespace: 'shop', name: 'db' } },
    ],
  },
} as unknown as Work

describe('the message of a binding', () => {
  const message = create(ResourceBindingSchema, bindingMessage(claimed, here))

  it.each([
    ['resourcebindings', ResourceBindingSchema],
    ['clusterresourcebindings', ClusterResourceBindingSchema],
  ] as const)('has a field for every field of Karmada’s %s', (resource, schema) => {
    const missing = missingFields(`${resource}.work.karmada.io`, schema, [PlacementSchema.typeName])
    // Karmada's older versions kept the replicas in the reference of the template.
    expect(missing).toEqual(['spec.resource.replicas', 'spec.resource.resourcePerReplicas'])
  })

  it('has every value, and where the clusters are, what they report and whose policy it is', () => {
    const placement =
      /^(Placement|ClusterAffinity|Toleration|Spread|Replica(?!Req)|Static|Workload|Label|ClusterF|ClusterS|Dynamic|ClusterPref|Overflow)/
    const unset = unsetFields(ResourceBindingSchema, message).filter(field => !placement.test(field))
    expect(unset).toEqual([])
    expect(message.spec?.clusters).toMatchObject([
      { name: 'b', replicas: 1 },
      { name: 'a', replicas: 2 },
    ])
    expect(message.spec?.policy).toMatchObject({ kind: 'PropagationPolicy', namespace: 'shop', name: 'web' })
    expect(message.spec?.gracefulEvictionTasks[0]?.suppressDeletion).toBe(false)
    expect(message.spec?.replicaRequirements?.resourceRequest).toEqual({ cpu: '100m', memory: '134217728' })
    const [a, b] = message.status?.aggregatedStatus ?? []
    expect(JSON.parse(a?.status ?? '')).toEqual({ replicas: 2, readyReplicas: 2, availableReplicas: 2 })
    expect(b).toMatchObject({ status: '', applied: false, appliedMessage: 'namespaces "shop" not found' })
  })

  it('is complete for a binding that is not scheduled and has no policy', () => {
    const { status: _, ...bare } = binding({ clusters: undefined, placement: undefined })
    const shown = create(ResourceBindingSchema, bindingMessage(bare, here))
    expect(shown.spec).toMatchObject({ clusters: [], resource: { name: 'web' } })
    expect([shown.spec?.policy, shown.spec?.placement, shown.status?.aggregatedStatus]).toEqual([
      undefined,
      undefined,
      [],
    ])
  })
})

it.each([
  [{}, true],
  [{ kind: 'Deployment', kindName: 'web' }, true],
  [{ kind: 'ConfigMap' }, false],
  [{ kindName: 'we' }, false],
  [{ targetCluster: 'a' }, true],
  [{ targetCluster: 'c' }, true],
  [{ targetCluster: 'd' }, false],
])('a binding of %j is wanted: %s', (filter, wanted) => {
  expect(isWanted({ kind: '', kindName: '', targetCluster: '', ...filter })(full)).toBe(wanted)
})

describe('the message of a Work', () => {
  const message = create(WorkSchema, workMessage(work, here))

  it('has every value, and what its manifests are', () => {
    expect(missingFields('works.work.karmada.io', WorkSchema)).toEqual([
      // They are `manifests` and `object` here.
      ...['spec.workload', 'status.manifestStatuses[].identifier'],
    ])
    expect(unsetFields(WorkSchema, message)).toEqual([])
    expect(message).toMatchObject({
      targetCluster: 'member-1',
      spec: {
        manifests: [
          { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
          { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'db' },
        ],
      },
      status: {
        manifestStatuses: [
          { object: { apiVersion: 'apps/v1' }, status: '{"readyReplicas":2}', health: 'Healthy' },
          { object: { apiVersion: 'v1', kind: 'Secret' }, status: '', health: '' },
        ],
      },
    })
  })

  it('names no cluster for a Work outside the namespace of one', () => {
    const elsewhere = { ...work, metadata: { ...work.metadata, namespace: 'shop' } }
    expect(workMessage(elsewhere, here).targetCluster).toBe('')
  })

  it('is no place for values of Secrets, and neither is its JSON', () => {
    const annotations = {
      ...{
        team: 'shop',
        'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"password":"YzRuNHJ5"}}',
      },
    }
    const applied = { ...work, metadata: { ...work.metadata, annotations } }
    const message = create(WorkSchema, workMessage(applied, here))
    const shown = withoutSecretValues(applied)
    expect([shown.metadata.annotations, message.metadata?.annotations]).toEqual([
      { team: 'shop' },
      { team: 'shop' },
    ])
    expect(JSON.stringify(shown)).not.toContain('YzRuNHJ5')
    expect(shown.spec.workload.manifests).toMatchObject([
      deployment,
      { kind: 'Secret', data: { password: '' } },
    ])
    expect(
      JSON.stringify(message, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
    ).not.toContain('YzRuNHJ5')
  })
})

it.each([
  [{ kind: 'Secret' }, true],
  [{ kind: 'Secret', kindName: 'db' }, true],
  [{ kind: 'Secret', kindName: 'web' }, false],
  [{ kindName: 'web', kindNamespace: 'shop' }, true],
  [{ kindName: 'web', kindNamespace: 'other' }, false],
])('a Work with a manifest of %j is wanted: %s', (filter, wanted) => {
  expect(carries({ kind: '', kindName: '', kindNamespace: '', ...filter })(work)).toBe(wanted)
})

import fc from 'fast-check'
import type { Resource } from '../../karmada/interpreter/workload.js'
import { pruned } from '../../karmada/propagation/prune.js'
import type { KubeObject } from '../../manifests/kube.js'
import { resources } from './interpreter-scenarios.js'

/** Objects as API servers return them, policies, bindings and Works, with whatever propagation reads of them. */

const defined = <T>(value: unknown): T => JSON.parse(JSON.stringify(value)) as T
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const from = <T>(...values: readonly T[]) => fc.constantFrom(...values)
const some = (keys: readonly string[], values: readonly string[] = ['a', 'b']) =>
  optional(fc.dictionary(from(...keys), from(...values), { maxKeys: 4 }))

const KINDS = [
  ...(['apps/v1 Deployment', 'apps/v1 StatefulSet', 'apps/v1 DaemonSet', 'batch/v1 Job'] as const),
  ...(['batch/v1 CronJob', 'v1 Pod', 'v1 Service', 'v1 PersistentVolumeClaim'] as const),
  ...(['networking.k8s.io/v1 Ingress', 'policy/v1 PodDisruptionBudget'] as const),
]

const LABELS = ['app', 'karmada.io/managed', 'work.karmada.io/permanent-id', 'controller-uid', 'tier']
const ANNOTATIONS = [
  ...['note', 'deployment.kubernetes.io/revision', 'volume.kubernetes.io/selected-node'],
  ...['resourcetemplate.karmada.io/uid', 'work.karmada.io/name', 'kubernetes.io/service-account.uid'],
]

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'owner', uid: 'o1' }
/** What an API server adds to the metadata of an object. */
const served = fc.record({
  uid: from('u1', 'u2'),
  resourceVersion: from('7', '8'),
  generation: optional(fc.integer({ min: 1, max: 3 })),
  creationTimestamp: optional(fc.constant('2026-01-01T00:00:00Z')),
  labels: some(LABELS, ['a', 'true']),
  annotations: some(ANNOTATIONS),
  finalizers: optional(fc.subarray(['a/b', 'foregroundDeletion'])),
  ownerReferences: optional(fc.constant([owner])),
  managedFields: optional(fc.constant([{ manager: 'm', operation: 'Update' }])),
})

const plain = fc.oneof(
  resources(...KINDS),
  fc
    .record({ data: some(['a', 'b']), immutable: optional(fc.boolean()) })
    .map(rest => ({ apiVersion: 'v1', kind: 'ConfigMap', ...rest })),
  fc
    .record({ type: from('Opaque', 'kubernetes.io/service-account-token'), data: some(['token']) })
    .map(rest => ({ apiVersion: 'v1', kind: 'Secret', ...rest })),
  fc
    .record({ secrets: optional(fc.array(from({ name: 'web-token-1' }, { name: 'own' }), { maxLength: 2 })) })
    .map(rest => ({ apiVersion: 'v1', kind: 'ServiceAccount', ...rest })),
)
const clusterScoped = fc
  .record({ rules: fc.constant([{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]) })
  .map(rest => ({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', ...rest }))

/** Fields of a Job and a Service that are taken out of what members get. */
const extras = fc.record({
  ttlSecondsAfterFinished: optional(fc.constant(10)),
  manualSelector: optional(fc.boolean()),
  clusterIPs: optional(fc.constant(['10.1.1.1'])),
})

/** A template as karmada-apiserver returns it. */
export const templates: fc.Arbitrary<Resource> = fc
  .record({
    object: fc.oneof({ weight: 5, arbitrary: plain }, { weight: 1, arbitrary: clusterScoped }),
    metadata: served,
    extra: extras,
  })
  .map(({ object, metadata, extra: { ttlSecondsAfterFinished, manualSelector, clusterIPs } }) => {
    const { spec, ...rest } = object as Resource
    return defined<Resource>({
      ...rest,
      metadata: {
        ...metadata,
        name: 'web',
        ...(object.kind !== 'ClusterRole' && { namespace: 'default' }),
      },
      ...(spec && {
        spec: {
          ...spec,
          ...(object.kind === 'Job' && { ttlSecondsAfterFinished, manualSelector }),
          ...(object.kind === 'Service' && { clusterIPs }),
        },
      }),
    })
  })

const clusterNames = optional(fc.subarray(['m1', 'm2'], { minLength: 1 }))
const placement = fc.record({
  clusterAffinity: optional(fc.record({ clusterNames })),
  clusterTolerations: optional(fc.constant([{ key: 'k', operator: 'Exists', tolerationSeconds: 0 }])),
  spreadConstraints: optional(
    fc.array(
      fc.record({
        spreadByField: from(undefined, '', 'region', 'cluster'),
        spreadByLabel: from(undefined, '', 'tier'),
        minGroups: from(undefined, 0, 1, 2),
        maxGroups: from(undefined, 0, 3),
      }),
      { maxLength: 2 },
    ),
  ),
  replicaScheduling: optional(
    fc.record({
      replicaSchedulingType: from(undefined, 'Duplicated', 'Divided'),
      replicaDivisionPreference: from(undefined, 'Weighted', 'Aggregated'),
    }),
  ),
})

const rules = fc.constant([{ aliasLabelName: 'kept', jsonPath: '{.replicas}' }])
const purgeMode = from(undefined, 'Directly', 'Gracefully', 'Never')
const failover = fc.record({
  application: optional(
    fc.record({
      decisionConditions: fc.constant({}),
      purgeMode,
      gracePeriodSeconds: from(undefined, 0, 5),
      statePreservation: optional(fc.record({ rules })),
    }),
  ),
  cluster: optional(fc.record({ purgeMode })),
})
const suspension = fc.record({
  dispatching: optional(fc.boolean()),
  dispatchingOnClusters: optional(fc.record({ clusterNames })),
})

const selectors = fc.array(
  fc.record({
    apiVersion: from('apps/v1', 'multicluster.x-k8s.io/v1alpha1'),
    kind: from('Deployment', 'ServiceImport'),
    namespace: from(undefined, '', 'default', 'other'),
    name: from(undefined, 'web'),
  }),
  { minLength: 1, maxLength: 2 },
)

/** A policy as a person writes it, or as it is stored. */
export const policies: fc.Arbitrary<KubeObject> = fc
  .record({
    wide: fc.boolean(),
    labels: some(['app', 'propagationpolicy.karmada.io/permanent-id']),
    finalizers: optional(
      fc.subarray([
        'karmada.io/propagation-policy-controller',
        'karmada.io/cluster-propagation-policy-controller',
      ]),
    ),
    spec: fc.record({
      resourceSelectors: selectors,
      placement: optional(placement),
      propagateDeps: optional(fc.boolean()),
      schedulerName: from(undefined, 'default-scheduler'),
      conflictResolution: from(undefined, 'Abort', 'Overwrite'),
      preserveResourcesOnDeletion: optional(fc.boolean()),
      failover: optional(failover),
      suspension: optional(suspension),
    }),
  })
  .map(({ wide, labels, finalizers, spec }) =>
    defined<KubeObject>({
      apiVersion: 'policy.karmada.io/v1alpha1',
      kind: wide ? 'ClusterPropagationPolicy' : 'PropagationPolicy',
      metadata: { name: 'p', ...(!wide && { namespace: 'default' }), labels, finalizers },
      spec,
    }),
  )

/** A policy that has been admitted. */
export const storedPolicies: fc.Arbitrary<KubeObject> = policies.map(policy => ({
  ...policy,
  metadata: {
    ...policy.metadata,
    labels: {
      [`${policy.kind === 'PropagationPolicy' ? '' : 'cluster'}propagationpolicy.karmada.io/permanent-id`]:
        'p-1',
    },
  },
  spec: { placement: {}, ...(policy as { spec?: object }).spec },
}))

const targets = fc.subarray([{ name: 'm1', replicas: 3 }, { name: 'm2', replicas: 2 }, { name: 'm3' }])
const snapshots = optional(
  fc.array(fc.record({ namespace: fc.constant('default'), name: from('one', 'two'), clusters: targets }), {
    maxLength: 2,
  }),
)

/** What the scheduler and others write into a binding. */
export const scheduled = fc.record({
  clusters: targets,
  requiredBy: snapshots,
  suspension: optional(
    fc.record({
      scheduling: optional(fc.boolean()),
      dispatching: optional(fc.boolean()),
      dispatchingOnClusters: optional(fc.record({ clusterNames })),
    }),
  ),
  rescheduleTriggeredAt: optional(fc.constant('2026-01-02T00:00:00Z')),
  gracefulEvictionTasks: optional(
    fc.array(
      fc.record({
        fromCluster: from('m1', 'm2', 'm3'),
        purgeMode: from('Directly', 'Gracefully'),
        reason: fc.constant('TaintUntolerated'),
        producer: fc.constant('TaintManager'),
        preservedLabelState: optional(fc.constant({ kept: '2' })),
        clustersBeforeFailover: optional(fc.subarray(['m1', 'm2'])),
      }),
      { maxLength: 2 },
    ),
  ),
})

/** Labels and annotations that a binding, a Work or an object in a member may have already. */
export const present = fc.record({
  labels: some(['app', 'old', 'work.karmada.io/permanent-id', 'karmada.io/managed'], ['a', 'true']),
  annotations: some(['note', 'old', 'policy.karmada.io/applied-overrides']),
  finalizers: optional(
    fc.subarray(['x/y', 'karmada.io/execution-controller', 'karmada.io/binding-controller']),
  ),
})

/** A manifest for a member, and the object of that name in the member. */
export const inMembers = fc
  .record({
    manifest: templates,
    observed: templates,
    same: fc.boolean(),
    managed: fc.boolean(),
    overwrite: fc.boolean(),
    wasManaged: optional(fc.subarray(['app', 'tier', 'note'])),
  })
  .map(({ manifest: template, observed, same, managed, overwrite, wasManaged }) => {
    const manifest = pruned(template)
    const other = same ? template : { ...observed, apiVersion: manifest.apiVersion, kind: manifest.kind }
    const listed = wasManaged?.join(',')
    return defined<{ manifest: Resource; observed: Resource }>({
      manifest: {
        ...manifest,
        metadata: {
          ...manifest.metadata,
          labels: { ...manifest.metadata.labels, 'karmada.io/managed': 'true' },
          annotations: {
            ...manifest.metadata.annotations,
            'work.karmada.io/conflict-resolution': overwrite ? 'overwrite' : 'abort',
          },
        },
      },
      observed: {
        ...(observed.kind === manifest.kind ? observed : other),
        metadata: {
          ...observed.metadata,
          namespace: manifest.metadata.namespace,
          labels: { ...other.metadata.labels, ...(managed && { 'karmada.io/managed': 'true' }) },
          annotations: {
            ...other.metadata.annotations,
            ...(listed !== undefined && {
              'resourcetemplate.karmada.io/managed-labels': listed,
              'resourcetemplate.karmada.io/managed-annotations': listed,
            }),
          },
        },
      },
    })
  })

import { describe, expect, it } from 'vitest'
import { mutated } from '../../karmada/admission/mutate.js'
import type { Resource } from '../../karmada/interpreter/workload.js'
import { claimed, isClaimedBy, unclaimed } from '../../karmada/matching/claim.js'
import { isNamespacePropagated, mayBePropagated } from '../../karmada/matching/propagated.js'
import { workName } from '../../karmada/names.js'
import type { Cluster } from '../../karmada/objects/cluster.js'
import type { PropagationPolicy } from '../../karmada/objects/propagation-policy.js'
import type { Binding, PlacedBinding } from '../../karmada/objects/resource-binding.js'
import type { Work } from '../../karmada/objects/work.js'
import { newBinding, renewedBinding } from '../../karmada/propagation/binding-of.js'
import { updateInMember } from '../../karmada/propagation/in-member.js'
import { pruned } from '../../karmada/propagation/prune.js'
import { aggregated, fullyApplied } from '../../karmada/propagation/report.js'
import { workOf } from '../../karmada/propagation/work-of.js'
import { schedulingTrigger } from '../../karmada/scheduling/triggers.js'

const ID = 'propagationpolicy.karmada.io/permanent-id'
const policy = mutated(
  {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { namespace: 'default', name: 'p' },
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
      placement: {
        replicaScheduling: { replicaSchedulingType: 'Divided' },
        spreadConstraints: [{ maxGroups: 2 }],
      },
      conflictResolution: 'Abort',
    },
  } as PropagationPolicy,
  () => 'id-1',
)
const template: Resource = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    namespace: 'default',
    name: 'nginx',
    uid: 'u1',
    generation: 3,
    resourceVersion: '7',
    annotations: { 'deployment.kubernetes.io/revision': '2', note: 'x' },
  },
  spec: {
    replicas: 5,
    template: { spec: { containers: [{ name: 'a', resources: { requests: { cpu: '100m' } } }] } },
  },
  status: { replicas: 5 },
}
const cluster = (name: string) => ({ metadata: { name }, spec: { syncMode: 'Push' } }) as unknown as Cluster
const none = { clusterWide: [], namespaced: [] }
const binding = (): PlacedBinding => {
  const made = mutated(newBinding(template, policy), () => 'rb-1')
  return {
    ...made,
    spec: {
      ...made.spec,
      clusters: [
        { name: 'm1', replicas: 3 },
        { name: 'm2', replicas: 2 },
      ],
    },
  }
}
const work = (present?: Work) =>
  workOf(binding(), template, { name: 'm1', replicas: 3 }, cluster('m1'), none, present)

describe('admission', () => {
  it('adds the id, the finalizer and the defaults to a policy, once', () => {
    expect(policy.metadata).toMatchObject({
      labels: { [ID]: 'id-1' },
      finalizers: ['karmada.io/propagation-policy-controller'],
    })
    expect(policy.spec.resourceSelectors[0]?.namespace).toBe('default')
    expect(policy.spec.placement).toEqual({
      replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' },
      spreadConstraints: [{ maxGroups: 2, spreadByField: 'cluster', minGroups: 1 }],
    })
    expect(mutated(policy, () => 'id-2', 'UPDATE')).toEqual(policy)
  })

  it('gives a new policy its own id, and keeps a changed policy without finalizer and id', () => {
    expect(mutated(policy, () => 'id-2').metadata.labels?.[ID]).toBe('id-2')
    const stripped = { ...policy, metadata: { ...policy.metadata, finalizers: [], labels: {} } }
    expect(mutated(stripped, () => 'id-2', 'UPDATE').metadata).toEqual(stripped.metadata)
    expect(mutated(template, () => 'id-2')).toBe(template)
  })

  it('defaults failover to ten minutes, propagates dependencies of imports, and limits override policies to their namespace', () => {
    const application = { decisionConditions: {}, purgeMode: 'Gracefully' } as const
    const selector = { apiVersion: 'multicluster.x-k8s.io/v1alpha1', kind: 'ServiceImport' }
    const wanted = {
      ...policy,
      spec: { ...policy.spec, failover: { application }, resourceSelectors: [selector] },
    }
    expect(mutated(wanted, () => 'x', 'UPDATE').spec).toMatchObject({
      failover: { application: { gracePeriodSeconds: 600 } },
      propagateDeps: true,
    })
    const override = {
      apiVersion: 'policy.karmada.io/v1alpha1',
      kind: 'OverridePolicy',
      metadata: { namespace: 'default', name: 'o' },
      spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'Secret' }], overrideRules: [] },
    }
    expect(mutated(override, () => 'x').spec.resourceSelectors).toEqual([
      { apiVersion: 'v1', kind: 'Secret', namespace: 'default' },
    ])
  })

  it('writes a Work’s id into its manifest', () => {
    const [manifest] = mutated(work(), () => 'w-1').spec.workload.manifests
    expect(manifest?.metadata.labels).toMatchObject({ 'work.karmada.io/permanent-id': 'w-1' })
    expect(manifest?.metadata.annotations?.['resourcetemplate.karmada.io/managed-labels']).toContain(
      'work.karmada.io/permanent-id',
    )
  })
})

describe('claims', () => {
  it('are added and removed, and other labels stay', () => {
    const owned = claimed({ ...template, metadata: { ...template.metadata, labels: { app: 'x' } } }, policy)
    expect(isClaimedBy(owned, policy)).toBe(true)
    expect(claimed(owned, policy)).toBe(owned)
    expect(unclaimed(owned, 'PropagationPolicy').metadata).toMatchObject({ labels: { app: 'x' } })
    expect(isClaimedBy(unclaimed(owned, 'PropagationPolicy'), policy)).toBe(false)
  })

  it('of a policy replace those of a cluster policy', () => {
    const wide = {
      ...policy,
      kind: 'ClusterPropagationPolicy',
      metadata: { name: 'c', labels: { 'clusterpropagationpolicy.karmada.io/permanent-id': 'c1' } },
    }
    const owned = claimed(claimed(template, wide), policy)
    expect(isClaimedBy(owned, wide)).toBe(false)
    expect(isClaimedBy(owned, policy)).toBe(true)
  })

  it.each([
    ['an object of kube-system', { namespace: 'kube-system', name: 'x' }, false],
    ['an object of an execution namespace', { namespace: 'karmada-es-m1', name: 'x' }, false],
    [
      'one that something else claims',
      { namespace: 'a', name: 'x', labels: { 'resourcetemplate.karmada.io/claimed-by': 'y' } },
      false,
    ],
    ['any other', { namespace: 'a', name: 'x' }, true],
  ])('%s: %o can be propagated: %s', (_, metadata, expected) => {
    expect(mayBePropagated({ apiVersion: 'v1', kind: 'ConfigMap', metadata })).toBe(expected)
  })

  it.each([
    ['default', {}, false],
    ['kube-system', {}, false],
    ['shop', {}, true],
    ['shop', { 'namespace.karmada.io/skip-auto-propagation': 'True' }, false],
  ])('namespace %s with labels %o is synced to all clusters: %s', (name, labels, expected) => {
    expect(isNamespacePropagated({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } })).toBe(
      expected,
    )
  })
})

describe('a binding', () => {
  it('has its template, its replicas and the placement', () => {
    expect(newBinding(template, policy)).toMatchObject({
      kind: 'ResourceBinding',
      metadata: {
        name: 'nginx-deployment',
        namespace: 'default',
        labels: { [ID]: 'id-1' },
        finalizers: ['karmada.io/binding-controller'],
        ownerReferences: [
          { kind: 'Deployment', name: 'nginx', uid: 'u1', controller: true, blockOwnerDeletion: true },
        ],
      },
      spec: {
        resource: {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          namespace: 'default',
          name: 'nginx',
          uid: 'u1',
          resourceVersion: '7',
        },
        replicas: 5,
        replicaRequirements: { resourceRequest: { cpu: '100m' } },
        placement: policy.spec.placement,
        conflictResolution: 'Abort',
      },
    })
  })

  it('keeps the scheduler’s fields when it is updated, and drops fields that the policy no longer has', () => {
    const before = { ...binding(), spec: { ...binding().spec, propagateDeps: true } }
    const renewed = renewedBinding(before, template, policy)
    expect(renewed.spec.clusters).toEqual(binding().spec.clusters)
    expect(renewed.spec.propagateDeps).toBeUndefined()
    expect(renewedBinding(renewed, template, policy)).toEqual(renewed)
  })

  it('of an earlier object with the same name is not taken over', () => {
    const other = { ...template, metadata: { ...template.metadata, uid: 'u2' } }
    expect(() => renewedBinding(binding(), other, policy)).toThrow('different owner reference UID')
  })
})

describe('a scheduling trigger', () => {
  const scheduled = (
    spec: object = {},
    clusters: Binding['spec']['clusters'] = [{ name: 'm1', replicas: 5 }],
  ): PlacedBinding => {
    const made = binding()
    const annotations = { 'policy.karmada.io/applied-placement': JSON.stringify(made.spec.placement) }
    return {
      ...made,
      metadata: { ...made.metadata, annotations },
      spec: { ...made.spec, clusters, ...spec } as PlacedBinding['spec'],
    }
  }

  it.each<[string, PlacedBinding, string | undefined]>([
    ['a binding that was never scheduled', binding(), 'placement'],
    ['a placement that changed', scheduled({ placement: {} }), 'placement'],
    ['replicas that do not add up', scheduled({ replicas: 6 }), 'replicas'],
    ['nothing', scheduled(), undefined],
  ])('is %s', (_, one, expected) => {
    expect(schedulingTrigger(one, [])).toBe(expected)
  })

  it('is a reschedule request newer than the last scheduling, or a target that is removed', () => {
    const status = { lastScheduledTime: '2026-01-01T00:00:00Z' }
    expect(
      schedulingTrigger({ ...scheduled({ rescheduleTriggeredAt: '2026-01-02T00:00:00Z' }), status }, []),
    ).toBe('asked')
    const going = { ...cluster('m1'), metadata: { name: 'm1', deletionTimestamp: 'now' } } as Cluster
    expect(schedulingTrigger(scheduled(), [going])).toBe('terminating')
  })
})

describe('a Work', () => {
  it('has one manifest with the replicas of its cluster, pruned and labelled', () => {
    const { metadata, spec } = work()
    expect(metadata).toMatchObject({
      name: workName('Deployment', 'nginx', 'default'),
      namespace: 'karmada-es-m1',
      labels: { 'resourcebinding.karmada.io/permanent-id': 'rb-1' },
      annotations: {
        'resourcebinding.karmada.io/namespace': 'default',
        'resourcebinding.karmada.io/name': 'nginx-deployment',
        'work.karmada.io/conflict-resolution': 'abort',
      },
      finalizers: ['karmada.io/execution-controller'],
    })
    const [manifest] = spec.workload.manifests
    expect(manifest?.spec?.replicas).toBe(3)
    expect(manifest?.status).toBeUndefined()
    expect(Object.keys(manifest?.metadata ?? {}).sort()).toEqual([
      'annotations',
      'labels',
      'name',
      'namespace',
    ])
    expect(manifest?.metadata.annotations).toMatchObject({
      note: 'x',
      'resourcetemplate.karmada.io/uid': 'u1',
      'resourcetemplate.karmada.io/generation': '3',
      'work.karmada.io/name': metadata.name,
      'work.karmada.io/namespace': 'karmada-es-m1',
    })
    expect(manifest?.metadata.annotations).not.toHaveProperty('deployment.kubernetes.io/revision')
  })

  it('does not change when it already has an id', () => {
    const stored = mutated(work(), () => 'w-1')
    expect(work(stored).spec).toEqual(stored.spec)
  })

  it('divides a Job’s completions in proportion to its replicas', () => {
    const job: Resource = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { namespace: 'default', name: 'j', uid: 'u' },
      spec: { parallelism: 4, completions: 8 },
    }
    const made = newBinding(job, policy)
    const clusters = [
      { name: 'm1', replicas: 3 },
      { name: 'm2', replicas: 1 },
    ]
    const one = { ...made, spec: { ...made.spec, clusters } }
    const completions = clusters.map(
      target => workOf(one, job, target, cluster(target.name), none).spec.workload.manifests[0]?.spec,
    )
    expect(completions.map(spec => [spec?.parallelism, spec?.completions])).toEqual([
      [3, 6],
      [1, 2],
    ])
  })

  it.each<[string, Resource, object]>([
    [
      'a Service loses its address',
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 's' },
        spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], type: 'ClusterIP' },
      },
      { spec: { type: 'ClusterIP' } },
    ],
    [
      'a headless Service stays headless',
      { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { clusterIP: 'None' } },
      { spec: { clusterIP: 'None' } },
    ],
    [
      'a Job loses its life time',
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'j' },
        spec: { ttlSecondsAfterFinished: 5, parallelism: 1 },
      },
      { spec: { parallelism: 1 } },
    ],
  ])('%s', (_, object, expected) => {
    expect(pruned(object)).toEqual({ ...object, ...expected })
  })
})

describe('an object in a member', () => {
  const manifest = (): Resource => mutated(work(), () => 'w-1').spec.workload.manifests[0] as Resource

  it('keeps fields that controllers there added, and loses fields that the template lost', () => {
    const was = manifest()
    const observed = {
      ...was,
      metadata: { ...was.metadata, resourceVersion: '9', labels: { ...was.metadata.labels, theirs: 'y' } },
      status: {},
    }
    expect(updateInMember(was, observed, 'm1')).toBeUndefined()
    const { note: _, ...annotations } = was.metadata.annotations ?? {}
    const next = updateInMember({ ...was, metadata: { ...was.metadata, annotations } }, observed, 'm1')
    expect(next?.metadata.annotations).not.toHaveProperty('note')
    expect(next?.metadata).toMatchObject({ resourceVersion: '9', labels: { theirs: 'y' } })
  })

  it('is not changed when Karmada did not create it', () => {
    expect(() => updateInMember(manifest(), template, 'm1')).toThrow('Karmada will not manage this resource')
  })
})

describe('the status of a binding', () => {
  const at = (name: string, status: 'True' | 'False', message = ''): Work => ({
    ...work(),
    metadata: { ...work().metadata, namespace: `karmada-es-${name}` },
    status: { conditions: [{ type: 'Applied', status, reason: 'r', message, lastTransitionTime: 't' }] },
  })

  it('is applied only when every target is applied', () => {
    const all = aggregated([at('m2', 'True'), at('m1', 'True')])
    expect(all.map(({ clusterName }) => clusterName)).toEqual(['m1', 'm2'])
    expect(fullyApplied(binding(), all).status).toBe('True')
    expect(fullyApplied(binding(), aggregated([at('m1', 'True')])).status).toBe('False')
    const failed = aggregated([at('m1', 'True'), at('m2', 'False', 'no')])
    expect(failed[1]).toEqual({ clusterName: 'm2', appliedMessage: 'no', health: 'Unknown' })
    expect(fullyApplied(binding(), failed).status).toBe('False')
  })
})

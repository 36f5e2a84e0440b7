import { describe, expect, it } from 'vitest'
import { mutated } from '../../karmada/admission/mutate.js'
import { claimed, isClaimedBy, unclaimed } from '../../karmada/matching/claim.js'
import { isNamespacePropagated, mayBePropagated } from '../../karmada/matching/propagated.js'
import type { Cluster } from '../../karmada/objects/cluster.js'
import type { Binding, PlacedBinding } from '../../karmada/objects/resource-binding.js'
import { newBinding, renewedBinding } from '../../karmada/propagation/binding-of.js'
import { schedulingTrigger } from '../../karmada/scheduling/triggers.js'
import { binding, cluster, ID, policy, template, work } from './propagated-objects.js'

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

  it('has the priority of its policy’s PriorityClass, as long as the policy names one', () => {
    const prior = newBinding(template, policy, 1_000)
    expect(prior.spec.schedulePriority).toEqual({ priority: 1_000 })
    expect(renewedBinding(prior, template, policy, 2_000).spec.schedulePriority).toEqual({ priority: 2_000 })
    expect(renewedBinding(prior, template, policy).spec).not.toHaveProperty('schedulePriority')
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

describe('the binding of a cluster-scoped template', () => {
  const role = { ...template, kind: 'ClusterRole', metadata: { name: 'r', uid: 'u' } }
  const wide = (spec: object) => ({
    ...policy,
    kind: 'ClusterPropagationPolicy',
    spec: { ...policy.spec, ...spec },
  })

  it('gets no priority, and keeps what its first policy said of dependencies, as in Karmada', () => {
    expect(newBinding(role, wide({}), 5).spec).not.toHaveProperty('schedulePriority')
    const made = newBinding(role, wide({ propagateDeps: true }))
    expect(made.spec.propagateDeps).toBe(true)
    expect(renewedBinding(made, role, wide({})).spec.propagateDeps).toBe(true)
    // Not even as undefined, which an API server refuses.
    for (const later of [wide({}), wide({ propagateDeps: true })])
      expect(renewedBinding(newBinding(role, wide({})), role, later).spec).not.toHaveProperty('propagateDeps')
  })
})

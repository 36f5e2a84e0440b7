import { describe, expect, it } from 'vitest'
import { customKind } from '../../console/objects/kinds.js'
import { isPropagatedNamespace, isPropagatedType } from '../../console/objects/propagated.js'
import { isReservedNamespace, isPropagatedType as karmadas } from '../../karmada/matching/propagated.js'

const types = [
  ['work.karmada.io', 'v1alpha1', 'works', 'Work'],
  ['work.karmada.io', 'v1alpha2', 'resourcebindings', 'ResourceBinding'],
  ['policy.karmada.io', 'v1alpha1', 'propagationpolicies', 'PropagationPolicy'],
  ['cluster.karmada.io', 'v1alpha1', 'clusters', 'Cluster'],
  ['config.karmada.io', 'v1alpha1', 'resourceinterpretercustomizations', 'ResourceInterpreterCustomization'],
  ['networking.karmada.io', 'v1alpha1', 'multiclusterservices', 'MultiClusterService'],
  ['autoscaling.karmada.io', 'v1alpha1', 'federatedhpas', 'FederatedHPA'],
  ['remedy.karmada.io', 'v1alpha1', 'remedies', 'Remedy'],
  ['apps.karmada.io', 'v1alpha1', 'workloadrebalancers', 'WorkloadRebalancer'],
  ['', 'v1', 'events', 'Event'],
  ['events.k8s.io', 'v1', 'events', 'Event'],
  ['coordination.k8s.io', 'v1', 'leases', 'Lease'],
  ['', 'v1', 'configmaps', 'ConfigMap'],
  ['example.com', 'v1', 'boats', 'Boat'],
  ['works.example.com', 'v1', 'works', 'Work'],
] as const

describe('the way of an object to its members', () => {
  it.each(types)('is shown for %s/%s %s where Karmada propagates them', (group, version, resource, kind) => {
    const isPropagated = karmadas(group === '' ? version : `${group}/${version}`, kind)
    expect(isPropagatedType({ group, resource })).toBe(isPropagated)
    expect(customKind({ group, version, resource, kind, isNamespaced: true }).isPlaced).toBe(isPropagated)
  })

  it.each(['karmada-system', 'karmada-cluster', 'karmada-es-north', 'kube-system', 'default', 'shop', ''])(
    'is shown in namespace “%s” where Karmada propagates from there',
    namespace => {
      expect(isPropagatedNamespace(namespace)).toBe(!isReservedNamespace(namespace))
    },
  )

  it('is prepared by no policy beside the first text of an object that stays', () => {
    const work = customKind({
      group: 'work.karmada.io',
      version: 'v1alpha1',
      resource: 'works',
      kind: 'Work',
      isNamespaced: true,
    })
    expect(work.sketch('shop')).not.toContain('PropagationPolicy')
  })
})

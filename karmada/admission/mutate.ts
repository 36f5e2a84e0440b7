import type { KubeObject } from '../../manifests/kube.js'
import { CLAIMS } from '../matching/policies.js'
import type { Placement, SpreadConstraint } from '../objects/placement.js'
import type { PropagationPolicy } from '../objects/propagation-policy.js'
import { BINDINGS } from '../objects/resource-binding.js'
import { MARKS, type Work } from '../objects/work.js'
import { pruned } from '../propagation/prune.js'
import { withWorkId } from '../propagation/work-of.js'

/** Keep a policy until its claims are gone. */
export const POLICY_FINALIZERS = {
  PropagationPolicy: 'karmada.io/propagation-policy-controller',
  ClusterPropagationPolicy: 'karmada.io/cluster-propagation-policy-controller',
} as const

/** By kind: the label that holds the permanent id. */
const IDS: Readonly<Record<string, string>> = {
  'policy.karmada.io PropagationPolicy': CLAIMS.policy.id,
  'policy.karmada.io ClusterPropagationPolicy': CLAIMS.clusterPolicy.id,
  'work.karmada.io ResourceBinding': BINDINGS.namespaced.id,
  'work.karmada.io ClusterResourceBinding': BINDINGS.clusterWide.id,
  'work.karmada.io Work': MARKS.workId,
}

/**
 * What Karmada's mutating webhook makes of a new or changed object: a permanent id, a policy's finalizer and defaults, a
 * Work's manifests pruned. The same object where there is nothing to do.
 * @param newId makes the permanent id of an object without one
 */
export function mutated<T extends KubeObject>(object: T, newId: () => string): T {
  const [group = ''] = object.apiVersion.split('/')
  const label = IDS[`${group} ${object.kind}`]
  if (label === undefined) return object
  const identified = object.metadata.labels?.[label] ? object : withLabel(object, label, newId())
  if (group === 'policy.karmada.io')
    return withPolicyDefaults(identified as unknown as PropagationPolicy) as unknown as T
  return object.kind === 'Work'
    ? (withPrunedManifests(identified as unknown as Work, label) as unknown as T)
    : identified
}

const withLabel = <T extends KubeObject>(object: T, key: string, value: string): T => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, [key]: value } },
})

function withPrunedManifests(work: Work, label: string): Work {
  const id = work.metadata.labels?.[label] ?? ''
  const { manifests = [] } = work.spec?.workload ?? {}
  return {
    ...work,
    spec: { ...work.spec, workload: { manifests: manifests.map(one => withWorkId(pruned(one), id)) } },
  }
}

function withPolicyDefaults(policy: PropagationPolicy): PropagationPolicy {
  const { metadata, spec } = policy
  const finalizer = POLICY_FINALIZERS[policy.kind as keyof typeof POLICY_FINALIZERS]
  const finalizers = metadata.finalizers ?? []
  const isGoing = metadata.deletionTimestamp !== undefined
  const selectors = spec?.resourceSelectors ?? []
  const namespace = policy.kind === 'PropagationPolicy' ? metadata.namespace : undefined
  return {
    ...policy,
    metadata:
      isGoing || finalizers.includes(finalizer)
        ? metadata
        : { ...metadata, finalizers: [...finalizers, finalizer] },
    spec: {
      ...spec,
      resourceSelectors: namespace
        ? selectors.map(one => (one.namespace ? one : { ...one, namespace }))
        : selectors,
      ...(spec?.placement && { placement: withPlacementDefaults(spec.placement) }),
    },
  }
}

function withPlacementDefaults(placement: Placement): Placement {
  const { spreadConstraints, replicaScheduling } = placement
  const { replicaSchedulingType, replicaDivisionPreference } = replicaScheduling ?? {}
  const isUndecided = replicaSchedulingType === 'Divided' && !replicaDivisionPreference
  return {
    ...placement,
    ...(spreadConstraints && { spreadConstraints: spreadConstraints.map(withSpreadDefaults) }),
    ...(isUndecided && {
      replicaScheduling: { ...replicaScheduling, replicaDivisionPreference: 'Weighted' },
    }),
  }
}

const withSpreadDefaults = (one: SpreadConstraint): SpreadConstraint => ({
  ...one,
  ...(!one.spreadByField && !one.spreadByLabel && { spreadByField: 'cluster' }),
  minGroups: one.minGroups || 1,
})

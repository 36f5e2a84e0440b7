import type { KubeObject } from '../../manifests/kube.js'
import type { FederatedHpa } from '../autoscaling/federated-hpa.js'
import { withHpaDefaults } from '../autoscaling/hpa-spec.js'
import { CLAIMS } from '../matching/policies.js'
import { OF_MCS } from '../networking/marks.js'
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
  'networking.karmada.io MultiClusterService': OF_MCS.id,
}

/** Whether an object is written for the first time. */
export type Operation = 'CREATE' | 'UPDATE'

/**
 * What Karmada's mutating webhooks make of a new or changed object: a permanent id, a policy's finalizer and defaults, a
 * Work's manifests pruned. The same object where there is nothing to do. A new policy gets an id of its own also where it
 * brings one along; a binding and a Work keep theirs.
 * @param newId makes a permanent id
 */
export function mutated<T extends KubeObject>(
  object: T,
  newId: () => string,
  operation: Operation = 'CREATE',
): T {
  const [group = ''] = object.apiVersion.split('/')
  const kind = `${group} ${object.kind}`
  if (kind === 'policy.karmada.io OverridePolicy') return withSelectorNamespaces(object)
  if (kind === 'autoscaling.karmada.io FederatedHPA') {
    const { spec } = object as unknown as Partial<FederatedHpa>
    // What is no spec is for the CRD to refuse.
    return typeof spec === 'object' && spec !== null ? { ...object, spec: withHpaDefaults(spec) } : object
  }
  const label = IDS[kind]
  if (label === undefined) return object
  const isNew = operation === 'CREATE'
  if (group === 'policy.karmada.io') {
    const policy = withPolicyDefaults(object as unknown as PropagationPolicy) as unknown as T
    return isNew ? withFinalizer(withLabel(policy, label, newId())) : policy
  }
  const lacksId = !object.metadata.labels?.[label]
  // A MultiClusterService that has none gets one with each write.
  if (object.kind !== 'Work')
    return (isNew || object.kind === 'MultiClusterService') && lacksId
      ? withLabel(object, label, newId())
      : object
  const identified = lacksId ? withLabel(object, label, newId()) : object
  return withPrunedManifests(identified as unknown as Work, label) as unknown as T
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

function withFinalizer<T extends KubeObject>(policy: T): T {
  const finalizer = POLICY_FINALIZERS[policy.kind as keyof typeof POLICY_FINALIZERS]
  const { finalizers = [] } = policy.metadata
  if (finalizers.includes(finalizer)) return policy
  return { ...policy, metadata: { ...policy.metadata, finalizers: [...finalizers, finalizer] } }
}

/** Seconds that an application may take to run elsewhere before it goes, where a policy does not say. */
const GRACE_SECONDS = 600

function withPolicyDefaults(policy: PropagationPolicy): PropagationPolicy {
  const { spec } = policy.kind === 'PropagationPolicy' ? withSelectorNamespaces(policy) : policy
  const { placement, failover, resourceSelectors = [] } = spec ?? {}
  const application = failover?.application
  const lacksGrace = application?.purgeMode === 'Gracefully' && application.gracePeriodSeconds === undefined
  const takesImports = resourceSelectors.some(
    ({ apiVersion, kind }) => apiVersion === 'multicluster.x-k8s.io/v1alpha1' && kind === 'ServiceImport',
  )
  return {
    ...policy,
    spec: {
      ...spec,
      ...(placement && { placement: withPlacementDefaults(placement) }),
      ...(takesImports && { propagateDeps: true }),
      ...(lacksGrace && {
        failover: { ...failover, application: { ...application, gracePeriodSeconds: GRACE_SECONDS } },
      }),
    },
  }
}

/** Selectors of a policy in a namespace select there, unless they say where. */
function withSelectorNamespaces<T extends KubeObject>(policy: T): T {
  const { spec, metadata } = policy as T & { readonly spec?: PropagationPolicy['spec'] }
  const { namespace } = metadata
  if (!namespace || !spec?.resourceSelectors) return policy
  const resourceSelectors = spec.resourceSelectors.map(one => (one.namespace ? one : { ...one, namespace }))
  return { ...policy, spec: { ...spec, resourceSelectors } }
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

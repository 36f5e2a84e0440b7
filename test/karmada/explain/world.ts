import { mutated } from '../../../karmada/admission/mutate.js'
import type { MemberObject, Propagated } from '../../../karmada/explain/propagated.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import { claimed } from '../../../karmada/matching/claim.js'
import type { Cluster, Taint } from '../../../karmada/objects/cluster.js'
import type { OverridePolicy } from '../../../karmada/objects/override-policy.js'
import type { PropagationPolicy, PropagationSpec } from '../../../karmada/objects/propagation-policy.js'
import { APPLIED_PLACEMENT, type PlacedBinding } from '../../../karmada/objects/resource-binding.js'
import type { Work } from '../../../karmada/objects/work.js'
import { newBinding } from '../../../karmada/propagation/binding-of.js'
import { applied } from '../../../karmada/propagation/report.js'
import { targetsOf, workOf } from '../../../karmada/propagation/work-of.js'
import { schedule } from '../../../karmada/scheduling/schedule.js'

/** Objects as Karmada's controllers would have made them of one template: a healthy propagation, for tests to break. */

export const SINCE = '2026-01-01T00:00:00Z'
export const NO_OVERRIDES = { clusterWide: [], namespaced: [] }

export const deployment = (replicas = 2): Resource => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    namespace: 'shop',
    name: 'web',
    uid: 'u-web',
    generation: 1,
    resourceVersion: '7',
    labels: { app: 'web' },
  },
  spec: {
    replicas,
    template: {
      spec: { containers: [{ name: 'web', image: 'web:1', resources: { requests: { cpu: '1' } } }] },
    },
  },
})

export const member = (
  name: string,
  {
    cpu = '10',
    taints = [],
    ready = true,
  }: { cpu?: string; taints?: readonly Taint[]; ready?: boolean } = {},
): Cluster => ({
  apiVersion: 'cluster.karmada.io/v1alpha1',
  kind: 'Cluster',
  metadata: { name, labels: { region: name } },
  spec: { syncMode: 'Push', taints },
  status: {
    apiEnablements: [{ groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] }],
    conditions: [
      ready
        ? {
            type: 'Ready',
            status: 'True',
            reason: 'ClusterReady',
            message: 'cluster is healthy and ready to accept workloads',
            lastTransitionTime: SINCE,
          }
        : {
            type: 'Ready',
            status: 'False',
            reason: 'ClusterNotReachable',
            message: 'cluster is not reachable',
            lastTransitionTime: SINCE,
          },
    ],
    resourceSummary: { allocatable: { cpu, pods: '110' } },
  },
})

export const policyOf = (
  spec: Partial<PropagationSpec> = {},
  { name = 'web', namespace = 'shop', kind = 'PropagationPolicy' } = {},
): PropagationPolicy =>
  mutated<PropagationPolicy>(
    {
      apiVersion: 'policy.karmada.io/v1alpha1',
      kind,
      metadata: { name, ...(kind === 'PropagationPolicy' && { namespace }) },
      spec: {
        resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
        placement: { clusterAffinity: { clusterNames: ['north', 'south'] } },
        ...spec,
      },
    },
    () => `id-${kind}-${namespace}-${name}`,
  )

export interface Options {
  readonly template?: Resource
  readonly policy?: PropagationPolicy
  readonly clusters?: readonly Cluster[]
  readonly overrides?: readonly OverridePolicy[]
}

/** A Deployment that a policy has brought to `north` and `south`, healthy in both. */
export function propagated({
  template: plain = deployment(),
  policy = policyOf(),
  clusters = [member('north'), member('south'), member('west')],
  overrides: namespaced = [],
}: Options = {}): Propagated & { readonly template: Resource; readonly binding: PlacedBinding } {
  const template = claimed(plain, policy)
  const overrides = { clusterWide: [], namespaced }
  const binding = scheduled(
    mutated(newBinding(template, policy), () => 'rb-1'),
    clusters,
  )
  const works = targetsOf(binding).flatMap((target): Work[] => {
    const cluster = clusters.find(({ metadata }) => metadata.name === target.name)
    if (!cluster) return []
    const work = workOf(binding, template, target, cluster, overrides)
    return [{ ...work, status: { conditions: [{ ...applied(), lastTransitionTime: SINCE }] } }]
  })
  const members = new Map(
    works.map((work): [string, MemberObject] => [
      (work.metadata.namespace ?? '').replace('karmada-es-', ''),
      { kind: 'found', object: healthy(work.spec.workload.manifests[0] as Resource) },
    ]),
  )
  const { apiVersion, kind, metadata } = template
  return {
    wanted: { apiVersion, kind, namespace: 'shop', name: metadata.name },
    template,
    policies: policy.kind === 'PropagationPolicy' ? [policy] : [],
    clusterPolicies: policy.kind === 'PropagationPolicy' ? [] : [policy],
    overrides,
    binding,
    clusters,
    works,
    members,
  }
}

/** The binding as the scheduler leaves it. */
export function scheduled(binding: PlacedBinding, clusters: readonly Cluster[]): PlacedBinding {
  const { clusters: targets, failure } = schedule(binding.spec, binding.status ?? {}, clusters)
  const { metadata, spec } = binding
  return {
    ...binding,
    metadata: {
      ...metadata,
      generation: 2,
      annotations: { ...metadata.annotations, [APPLIED_PLACEMENT]: JSON.stringify(spec.placement) },
    },
    spec: { ...spec, clusters: targets },
    status: {
      schedulerObservedGeneration: 2,
      conditions: [
        failure
          ? { type: 'Scheduled', status: 'False', ...failure, lastTransitionTime: SINCE }
          : { type: 'Scheduled', status: 'True', reason: 'Success', message: '', lastTransitionTime: SINCE },
      ],
    },
  }
}

/** The object as a member runs it when all is well. */
export const healthy = (object: Resource): Resource => ({
  ...object,
  metadata: { ...object.metadata, generation: 1 },
  status: {
    observedGeneration: 1,
    replicas: object.spec?.replicas,
    updatedReplicas: object.spec?.replicas,
    availableReplicas: object.spec?.replicas,
  },
})

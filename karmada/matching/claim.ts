import type { KubeObject } from '../../manifests/kube.js'
import type { PropagationPolicy } from '../objects/propagation-policy.js'
import { without } from '../without.js'
import { CLAIMS } from './policies.js'

/** How a policy is named on what it claims. */
const marksOf = ({ kind }: KubeObject) =>
  kind === 'PropagationPolicy' ? CLAIMS.policy : CLAIMS.clusterPolicy

/** A policy's permanent id; undefined before it has one. */
export const policyId = (policy: KubeObject): string | undefined =>
  policy.metadata.labels?.[marksOf(policy).id]

/** Whether the object is claimed by this very policy, not by an older one of its name. */
export function isClaimedBy({ metadata }: KubeObject, policy: KubeObject): boolean {
  const id = policyId(policy)
  return id !== undefined && metadata.labels?.[marksOf(policy).id] === id
}

/** The labels and annotations by which a policy claims an object. */
export function claimMarks(policy: PropagationPolicy): {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
} {
  const marks = marksOf(policy)
  const { name, namespace } = policy.metadata
  return {
    labels: { [marks.id]: policyId(policy) ?? '' },
    annotations: {
      [marks.name]: name,
      ...('namespace' in marks && namespace && { [marks.namespace]: namespace }),
    },
  }
}

/** The object, claimed by the policy; the same object when it is already. A PropagationPolicy ends a cluster policy's claim. */
export function claimed<T extends KubeObject>(object: T, policy: PropagationPolicy): T {
  const base = policy.kind === 'PropagationPolicy' ? unclaimed(object, 'ClusterPropagationPolicy') : object
  const { labels, annotations } = claimMarks(policy)
  const { metadata } = base
  const has = (present: Readonly<Record<string, string>> | undefined, wanted: typeof labels) =>
    Object.entries(wanted).every(([key, value]) => present?.[key] === value)
  if (has(metadata.labels, labels) && has(metadata.annotations, annotations)) return base
  return {
    ...base,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...labels },
      annotations: { ...metadata.annotations, ...annotations },
    },
  }
}

/**
 * The object without the claim of a kind of policy; the same object when it has none.
 * @param id only of the policy with this permanent id: another one's claim stays
 */
export function unclaimed<T extends KubeObject>(object: T, kind: string, id?: string): T {
  const marks: Readonly<Record<string, string>> =
    kind === 'PropagationPolicy' ? CLAIMS.policy : CLAIMS.clusterPolicy
  const keys = Object.values(marks)
  const { labels = {}, annotations = {} } = object.metadata
  if (id !== undefined && labels[marks.id as string] !== id) return object
  if (!keys.some(key => key in labels || key in annotations)) return object
  return {
    ...object,
    metadata: { ...object.metadata, labels: without(labels, keys), annotations: without(annotations, keys) },
  }
}

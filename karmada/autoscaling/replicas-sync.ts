import { RETAIN_REPLICAS } from '../interpreter/retain.js'
import type { Resource } from '../interpreter/workload.js'
import type { Binding } from '../objects/resource-binding.js'

/**
 * The replicas that a Deployment's template is to have, when autoscalers in members changed them there (Karmada's
 * deploymentReplicasSyncer). Only divided replicas add up to those of the template.
 * @returns undefined where the template stays as it is; `wait` while what the members report is not complete
 */
export function replicasToSync(template: Resource, binding: Binding): number | 'wait' | undefined {
  const { labels = {} } = template.metadata
  if (labels[RETAIN_REPLICAS.label] !== RETAIN_REPLICAS.value) return undefined
  if (binding.spec.placement?.replicaScheduling?.replicaSchedulingType !== 'Divided') return undefined
  const replicas = template.spec?.replicas
  const reported = replicasIn(template.status)
  const counts = (binding.status?.aggregatedStatus ?? []).map(({ status }) => replicasIn(status))
  // The template's status follows the binding's a moment later, and no change of the binding reports it.
  const isCurrent = counts.reduce((sum, count) => sum + count, 0) === reported
  if (replicas === reported) return isCurrent ? undefined : 'wait'
  return isCurrent && isCollected(binding, replicas, counts) ? reported : 'wait'
}

function isCollected(
  { metadata, spec, status = {} }: Binding,
  replicas: unknown,
  counts: readonly number[],
): boolean {
  if (replicas !== (spec.replicas ?? 0) || metadata.generation !== status.schedulerObservedGeneration)
    return false
  // An autoscaler keeps at least one: none means that the member has not reported yet.
  return counts.length === (spec.clusters ?? []).length && counts.every(count => count > 0)
}

const replicasIn = (status: unknown): number =>
  (status as { readonly replicas?: number } | undefined)?.replicas ?? 0

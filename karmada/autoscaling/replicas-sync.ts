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
  if (replicas === reported) return undefined
  return isCollected(binding, replicas, reported) ? reported : 'wait'
}

function isCollected({ metadata, spec, status = {} }: Binding, replicas: unknown, reported: number): boolean {
  const { aggregatedStatus = [], schedulerObservedGeneration } = status
  if (replicas !== (spec.replicas ?? 0) || metadata.generation !== schedulerObservedGeneration) return false
  if (aggregatedStatus.length !== (spec.clusters ?? []).length) return false
  const counts = aggregatedStatus.map(one => replicasIn(one.status))
  // An autoscaler keeps at least one: none means that the member has not reported yet.
  return counts.every(count => count > 0) && counts.reduce((sum, count) => sum + count, 0) === reported
}

const replicasIn = (status: unknown): number =>
  (status as { readonly replicas?: number } | undefined)?.replicas ?? 0

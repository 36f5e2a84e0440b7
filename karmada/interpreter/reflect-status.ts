import type { Status } from '../objects/member-status.js'
import { type Resource, typeOf } from './workload.js'

/** A template's generation, written on what is made of it; members report it back. */
const GENERATION = 'resourcetemplate.karmada.io/generation'

/** A kind's fields that are reported; `federated` ones come with the generations that they belong to. */
interface Reported {
  readonly fields: readonly string[]
  readonly federated?: boolean
  /** An empty report means that there is none yet. */
  readonly notEmpty?: boolean
}

const reported: Readonly<Record<string, Reported>> = {
  'apps/v1 Deployment': {
    fields: [
      ...['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'unavailableReplicas'],
      'observedGeneration',
    ],
    federated: true,
    notEmpty: true,
  },
  'apps/v1 ReplicaSet': {
    fields: ['replicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
    federated: true,
  },
  'apps/v1 StatefulSet': {
    // Karmada leaves out observedGeneration here, so that it always counts as 0.
    fields: ['availableReplicas', 'currentReplicas', 'readyReplicas', 'replicas', 'updatedReplicas'],
    federated: true,
  },
  'apps/v1 DaemonSet': {
    fields: [
      ...['currentNumberScheduled', 'desiredNumberScheduled', 'numberAvailable', 'numberMisscheduled'],
      ...['numberReady', 'updatedNumberScheduled', 'numberUnavailable', 'observedGeneration'],
    ],
    federated: true,
  },
  'batch/v1 Job': {
    fields: ['active', 'succeeded', 'failed', 'conditions', 'startTime', 'completionTime'],
  },
  'policy/v1 PodDisruptionBudget': {
    fields: ['disruptionsAllowed', 'expectedPods', 'desiredHealthy', 'currentHealthy', 'disruptedPods'],
  },
  'autoscaling/v2 HorizontalPodAutoscaler': { fields: ['currentReplicas', 'desiredReplicas'] },
}

/**
 * What is reported upwards of a member's object (`ReflectStatus`): for known kinds the fields that are added up, for others
 * the status as it is.
 * @returns undefined when there is nothing to report
 */
export function reflectedStatus(resource: Resource): Status | undefined {
  const { status, spec, metadata } = resource
  if (typeOf(resource) === 'v1 Service' && spec?.type !== 'LoadBalancer') return
  if (!status) return
  if (typeOf(resource) === 'v1 Service') return { loadBalancer: status.loadBalancer ?? {} }
  const kind = reported[typeOf(resource)]
  if (!kind) return status
  const picked = Object.fromEntries(
    kind.fields.filter(field => status[field]).map(field => [field, status[field]]),
  )
  const report = kind.federated ? { ...generations(metadata), ...picked } : picked
  return kind.notEmpty && Object.keys(report).length === 0 ? undefined : report
}

function generations({ generation = 0, annotations = {} }: Resource['metadata']): Status {
  const resourceTemplateGeneration = Number(annotations[GENERATION] ?? 0)
  return {
    ...(generation !== 0 && { generation }),
    ...(resourceTemplateGeneration !== 0 && { resourceTemplateGeneration }),
  }
}

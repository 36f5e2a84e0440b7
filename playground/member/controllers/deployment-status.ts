import type { Deployment, ReplicaSet, WorkloadCondition } from '../workloads.js'
import { maxUnavailable, replicasOf } from './deployment-rollout.js'
import { nonZero } from './pods.js'
import { freshCondition, withCondition, withoutCondition } from './workload-conditions.js'

/** "No deadline": the largest int32, as `kubectl` writes it. */
const NO_DEADLINE = 2_147_483_647
type Status = NonNullable<Deployment['status']>

/** What the deployment controller reports. @param newest the ReplicaSet of the present template */
export function deploymentStatus(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  newest: ReplicaSet | undefined,
  now: number,
): { readonly status: Status; readonly again: number | undefined } {
  const counts = countsOf(sets, newest)
  const before = deployment.status?.conditions ?? []
  const isEnough = counts.availableReplicas >= replicasOf(deployment) - maxUnavailable(deployment)
  const available = withCondition(before, isEnough ? ENOUGH : TOO_FEW, now)
  const { conditions, again } = withProgress(deployment, counts, newest, available, now)
  const failure = sets
    .flatMap(({ status }) => status?.conditions ?? [])
    .find(({ type }) => type === 'ReplicaFailure')
  const { collisionCount } = deployment.status ?? {}
  const { terminatingReplicas, ...others } = counts
  const status: Status = {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...nonZero(others),
    terminatingReplicas,
    ...(collisionCount !== undefined && { collisionCount }),
    conditions: failure
      ? withCondition(conditions, failure, now)
      : withoutCondition(conditions, 'ReplicaFailure'),
  }
  return { status, again }
}

type Counts = ReturnType<typeof countsOf>

function countsOf(sets: readonly ReplicaSet[], newest: ReplicaSet | undefined) {
  const sum = (count: (one: ReplicaSet) => number | undefined) =>
    sets.reduce((total, one) => total + (count(one) ?? 0), 0)
  const availableReplicas = sum(({ status }) => status?.availableReplicas)
  return {
    replicas: sum(({ status }) => status?.replicas),
    updatedReplicas: newest?.status?.replicas ?? 0,
    readyReplicas: sum(({ status }) => status?.readyReplicas),
    availableReplicas,
    unavailableReplicas: Math.max(0, sum(({ spec }) => spec.replicas) - availableReplicas),
    terminatingReplicas: sum(({ status }) => status?.terminatingReplicas),
  }
}

const ENOUGH = {
  type: 'Available',
  status: 'True',
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
} as const
const TOO_FEW = {
  type: 'Available',
  status: 'False',
  reason: 'MinimumReplicasUnavailable',
  message: 'Deployment does not have minimum availability.',
} as const

const progressing = (status: 'True' | 'False' | 'Unknown', reason: string, message: string) =>
  ({ type: 'Progressing', status, reason, message }) as const

/** The ReplicaSet of a template was made just now. */
export const created = (name: string) =>
  progressing('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`)
export const paused = () => progressing('Unknown', 'DeploymentPaused', 'Deployment is paused')
export const resumed = () => progressing('Unknown', 'DeploymentResumed', 'Deployment is resumed')

export const hasDeadline = ({ spec }: Deployment): boolean =>
  spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== NO_DEADLINE

function withProgress(
  deployment: Deployment,
  counts: Counts,
  newest: ReplicaSet | undefined,
  conditions: readonly WorkloadCondition[],
  now: number,
): { readonly conditions: readonly WorkloadCondition[]; readonly again?: number } {
  if (!hasDeadline(deployment)) return { conditions: withoutCondition(conditions, 'Progressing') }
  const current = conditions.find(({ type }) => type === 'Progressing')
  const isOver = counts.replicas === counts.updatedReplicas && current?.reason === 'NewReplicaSetAvailable'
  if (isOver || deployment.spec.paused) return { conditions }
  const subject = newest ? `ReplicaSet "${newest.metadata.name}"` : `Deployment "${deployment.metadata.name}"`
  if (isComplete(deployment, counts)) {
    const complete = progressing('True', 'NewReplicaSetAvailable', `${subject} has successfully progressed.`)
    return { conditions: withCondition(conditions, complete, now) }
  }
  if (hasProgressed(deployment, counts)) {
    const moved = progressing('True', 'ReplicaSetUpdated', `${subject} is progressing.`)
    const rest = withoutCondition(conditions, 'Progressing')
    return {
      conditions: [...rest, freshCondition(moved, now, current)],
      ...untilDeadline(deployment, now, now),
    }
  }
  const since = Date.parse(current?.lastUpdateTime ?? '') || now
  const left = untilDeadline(deployment, since, now)
  if (left.again > 0) return { conditions, ...left }
  const late = progressing('False', 'ProgressDeadlineExceeded', `${subject} has timed out progressing.`)
  return { conditions: withCondition(conditions, late, now) }
}

const untilDeadline = ({ spec }: Deployment, since: number, now: number) => ({
  again: Math.max(0, since + (spec.progressDeadlineSeconds ?? 0) * 1000 - now),
})

const isComplete = (deployment: Deployment, counts: Counts): boolean => {
  const wanted = replicasOf(deployment)
  return [counts.updatedReplicas, counts.replicas, counts.availableReplicas].every(count => count === wanted)
}

/** More new pods, fewer old ones, or more that are ready or available than last reported. */
function hasProgressed({ status = {} }: Deployment, counts: Counts): boolean {
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = status
  return (
    counts.updatedReplicas > updatedReplicas ||
    counts.replicas - counts.updatedReplicas < replicas - updatedReplicas ||
    counts.readyReplicas > readyReplicas ||
    counts.availableReplicas > availableReplicas
  )
}

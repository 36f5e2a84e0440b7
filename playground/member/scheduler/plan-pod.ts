import type { NodeCondition, Pod } from '../../objects/core.js'
import { timestamp } from '../../objects/timestamp.js'
import type { Plan, World } from '../controllers/plan.js'
import { hasFinished, isTerminating, note, warning } from '../controllers/pods.js'
import { decide } from './decide.js'

/** True for a pod that this scheduler has to find a node for. */
export const isWaiting = (pod: Pod): boolean =>
  !pod.spec?.nodeName &&
  !isTerminating(pod) &&
  !hasFinished(pod) &&
  (pod.spec?.schedulerName ?? 'default-scheduler') === 'default-scheduler'

/** The scheduler: a node for each pod that waits for one, or the reason why there is none. */
export function schedulePod(pod: Pod, world: World): Plan {
  if (!isWaiting(pod)) return {}
  if ((pod.spec?.schedulingGates ?? []).length > 0)
    return {
      status: withScheduled(
        pod,
        'SchedulingGated',
        'Scheduling is blocked due to non-empty scheduling gates',
        world.now,
      ),
    }
  const decision = decide(pod, world)
  const { namespace, name } = pod.metadata
  if ('node' in decision)
    return {
      changes: [{ bind: pod, node: decision.node }],
      notes: [note('Scheduled', `Successfully assigned ${namespace}/${name} to ${decision.node}`)],
    }
  return {
    status: withScheduled(pod, 'Unschedulable', decision.unschedulable, world.now),
    notes: [warning('FailedScheduling', decision.unschedulable)],
  }
}

function withScheduled({ status = {} }: Pod, reason: string, message: string, now: number): object {
  const conditions = status.conditions ?? []
  const current = conditions.find(({ type }) => type === 'PodScheduled')
  if (current?.reason === reason && current.message === message) return status
  const condition: NodeCondition = {
    type: 'PodScheduled',
    status: 'False',
    reason,
    message,
    lastTransitionTime: current?.lastTransitionTime ?? timestamp(now),
  }
  return { ...status, conditions: [...conditions.filter(one => one !== current), condition] }
}

import { stamped } from '../../machines/instance/conditions.js'
import type { ConditionFact } from '../../machines/instance/requirements.js'
import type { Instance, InstanceStatus } from '../../manifests/instance.js'
import type { Condition } from '../../manifests/kube.js'
import type { InstanceState, InstanceView } from '../../ports/fleet.js'

/** What a view shows of a control plane besides state and conditions. */
export type Figures = Pick<InstanceStatus, 'endpoint' | 'kubernetesVersion' | 'karmadaVersion' | 'summary'>

/** Pure: the view of an instance; figures that are not known are left out. */
export function viewOf(
  instance: Instance,
  stands: Pick<InstanceView, 'state' | 'since' | 'conditions'>,
  { endpoint, kubernetesVersion, karmadaVersion, summary }: Figures,
): InstanceView {
  return {
    name: instance.metadata.name,
    instance,
    ...stands,
    ...(endpoint !== undefined && { endpoint }),
    ...(kubernetesVersion !== undefined && { kubernetesVersion }),
    ...(karmadaVersion !== undefined && { karmadaVersion }),
    ...(summary && { summary }),
  }
}

/**
 * Pure: the state that an earlier process wrote into the CR. For an actor that never came up: the CR is all there is, and
 * only single fields of it are read, because its data may be what crashed the actor.
 */
export function recordedState({ metadata, status }: Instance): InstanceState {
  if (metadata.deletionTimestamp !== undefined) return 'deleting'
  return status?.phase === 'Ready' || status?.phase === 'Degraded' ? 'degraded' : 'registering'
}

/** Why an Instance whose turn has not come is not ready: `startup-queue.ts`. */
export const AWAITING_TURN: ConditionFact = {
  type: 'Ready',
  status: 'Unknown',
  reason: 'AwaitingTurn',
  message: 'other instances come up first, a few at a time',
}

/** Pure: the conditions that an earlier process wrote into the CR; what is no condition is left out, as above. */
export function recordedConditions({ status }: Instance): readonly Condition[] {
  const recorded: unknown = status?.conditions
  return Array.isArray(recorded) ? recorded.filter(each => typeof each === 'object' && each !== null) : []
}

/** The last conditions, with the one that says why there is no actor in the place of its predecessor. */
export function withReason(
  before: readonly Condition[],
  reason: ConditionFact | undefined,
  { metadata: { generation } }: Instance,
): readonly Condition[] {
  if (!reason) return before
  const others = before.filter(({ type }) => type !== reason.type)
  return [...others, ...stamped([reason], { before, now: new Date().toISOString(), generation })]
}

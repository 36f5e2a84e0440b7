import { timestamp } from '../../objects/timestamp.js'
import type { WorkloadCondition } from '../workloads.js'

/** A condition without its times. */
export type ObservedCondition = Pick<WorkloadCondition, 'type' | 'status' | 'reason' | 'message'>

/**
 * Sets a condition as the controllers of workloads do: one with the same status and reason stays as it is, and the time of
 * the transition moves only with the status. New ones go last.
 */
export function withCondition(
  conditions: readonly WorkloadCondition[],
  observed: ObservedCondition,
  now: number,
): readonly WorkloadCondition[] {
  const current = conditions.find(({ type }) => type === observed.type)
  if (current?.status === observed.status && current.reason === observed.reason) return conditions
  return [...conditions.filter(one => one !== current), freshCondition(observed, now, current)]
}

/** The condition as of now. @param current what it replaces */
export function freshCondition(
  observed: ObservedCondition,
  now: number,
  current?: WorkloadCondition,
): WorkloadCondition {
  const time = timestamp(now)
  const lastTransitionTime = current?.status === observed.status ? current.lastTransitionTime : time
  return { ...observed, lastTransitionTime, lastUpdateTime: time }
}

export const withoutCondition = (
  conditions: readonly WorkloadCondition[],
  type: string,
): readonly WorkloadCondition[] => conditions.filter(one => one.type !== type)

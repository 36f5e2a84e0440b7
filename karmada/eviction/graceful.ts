import type { Binding, EvictionTask } from '../objects/resource-binding.js'

/** Karmada waits so long for a replacement unless the task says otherwise, seconds (`--graceful-eviction-timeout`). */
const TIMEOUT_S = 600

/** What becomes of a binding's eviction tasks. */
export interface Assessment {
  readonly kept: readonly EvictionTask[]
  /** The clusters whose tasks are over: their Works go. */
  readonly over: readonly string[]
  /** Milliseconds until the first task ends by itself; undefined where none does. */
  readonly nextMs?: number
}

/**
 * Which eviction tasks are over: those whose time is up, and all of them once the binding was scheduled anew and runs healthily
 * wherever it goes now (Karmada's graceful eviction controller). A new task gets the time at which it began.
 * @param now milliseconds
 */
export function assessed(binding: Binding, now: number): Assessment {
  const { spec, status = {}, metadata } = binding
  const hasScheduled = (status.schedulerObservedGeneration ?? 0) === (metadata.generation ?? 0)
  const isReplaced =
    hasScheduled &&
    (spec.clusters ?? []).every(
      ({ name }) =>
        status.aggregatedStatus?.find(({ clusterName }) => clusterName === name)?.health === 'Healthy',
    )
  const tasks = spec.gracefulEvictionTasks ?? []
  const isOver = (task: EvictionTask): boolean => {
    if (task.creationTimestamp === undefined) return false
    if (task.suppressDeletion !== undefined) return !task.suppressDeletion
    return now > endOf(task) || isReplaced
  }
  const kept = tasks
    .filter(task => !isOver(task))
    .map(task => (task.creationTimestamp ? task : { ...task, creationTimestamp: secondsOf(now) }))
  const ends = kept.filter(({ suppressDeletion }) => suppressDeletion === undefined).map(endOf)
  return {
    kept,
    over: tasks.filter(isOver).map(({ fromCluster }) => fromCluster),
    ...(ends.length > 0 && { nextMs: Math.max(0, Math.min(...ends) - now) }),
  }
}

const endOf = ({ creationTimestamp = '', gracePeriodSeconds = TIMEOUT_S }: EvictionTask): number =>
  Date.parse(creationTimestamp) + gracePeriodSeconds * 1_000

const secondsOf = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`

import type { Binding, EvictionTask } from '../objects/resource-binding.js'
import { without } from '../without.js'

/** How a binding is to leave a cluster, and who says so. */
export type EvictionOptions = Omit<EvictionTask, 'fromCluster' | 'replicas' | 'creationTimestamp'>

/**
 * The binding without one of its clusters, and with a task that says how its object leaves there
 * (`ResourceBindingSpec.GracefulEvictCluster` of Karmada). The same object when it does not go to that cluster.
 */
export function evicted<T extends Binding>(binding: T, cluster: string, options: EvictionOptions): T {
  const { clusters = [], gracefulEvictionTasks = [] } = binding.spec
  const target = clusters.find(({ name }) => name === cluster)
  if (!target) return binding
  const isLeaving = gracefulEvictionTasks.some(({ fromCluster }) => fromCluster === cluster)
  const { replicas = 0 } = target
  const rest = clusters.filter(one => one !== target)
  const task: EvictionTask = { fromCluster: cluster, ...options, ...(replicas > 0 && { replicas }) }
  return {
    ...binding,
    spec: {
      ...without(binding.spec, ['clusters']),
      // Go leaves out an empty list.
      ...(rest.length > 0 && { clusters: rest }),
      ...(!isLeaving && { gracefulEvictionTasks: [...gracefulEvictionTasks, task] }),
    },
  }
}

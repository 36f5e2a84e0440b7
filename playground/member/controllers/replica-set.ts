import type { Pod } from '../../objects/core.js'
import { PODS } from '../../objects/core-types.js'
import type { ReplicaSet } from '../workloads.js'
import type { Plan, World } from './plan.js'
import {
  countPods,
  createPod,
  deletePods,
  hasFinished,
  isActive,
  isReady,
  isTerminating,
  nonZero,
  podOf,
} from './pods.js'

/** The annotation that makes a pod cheaper or dearer to delete when its ReplicaSet shrinks. */
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'
/** Pods made in one go: Kubernetes' burst. */
const BURST = 500

/** The ReplicaSet controller: as many pods as wanted. */
export function planReplicaSet(set: ReplicaSet, world: World): Plan {
  const pods = world.owned<Pod>(PODS, set)
  const active = pods.filter(isActive)
  const wanted = set.spec.replicas ?? 1
  const { minReadySeconds = 0, template } = set.spec
  const missing = set.metadata.deletionTimestamp ? 0 : Math.min(BURST, wanted - active.length)
  const created = Array.from({ length: Math.max(0, missing) }, () =>
    createPod(podOf(set, template, { generateName: `${set.metadata.name}-` })),
  )
  const surplus = set.metadata.deletionTimestamp ? [] : leastMissed(active, active.length - wanted)
  const deleted = deletePods(surplus)
  const { ready, available, again } = countPods(active, minReadySeconds, world.now)
  const labels = Object.entries(template.metadata?.labels ?? {})
  const labelled = active.filter(({ metadata }) =>
    labels.every(([key, value]) => metadata.labels?.[key] === value),
  )
  const { conditions } = set.status ?? {}
  return {
    changes: [...created, ...deleted.changes],
    status: {
      replicas: active.length,
      ...nonZero({
        fullyLabeledReplicas: labelled.length,
        readyReplicas: ready,
        availableReplicas: available,
      }),
      terminatingReplicas: pods.filter(pod => isTerminating(pod) && !hasFinished(pod)).length,
      observedGeneration: set.metadata.generation ?? 0,
      ...(conditions && { conditions }),
    },
    notes: deleted.notes,
    ...(again !== undefined && { again }),
  }
}

/**
 * The pods to delete when there are too many: without a node before those with one, waiting before running, not ready before
 * ready, the cheaper, those with more of their kind on the node, the younger.
 */
export function leastMissed(pods: readonly Pod[], count: number): readonly Pod[] {
  if (count <= 0) return []
  const perNode = new Map<string, number>()
  for (const { spec } of pods) perNode.set(spec?.nodeName ?? '', (perNode.get(spec?.nodeName ?? '') ?? 0) + 1)
  const rank = (pod: Pod): readonly number[] => [
    pod.spec?.nodeName ? 1 : 0,
    pod.status?.phase === 'Running' ? 1 : 0,
    isReady(pod) ? 1 : 0,
    Number(pod.metadata.annotations?.[DELETION_COST] ?? 0) || 0,
    -(perNode.get(pod.spec?.nodeName ?? '') ?? 0),
    -(Date.parse(pod.metadata.creationTimestamp ?? '') || 0),
  ]
  return [...pods].sort((one, other) => compare(rank(one), rank(other))).slice(0, count)
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [index, value] of one.entries()) if (value !== other[index]) return value - (other[index] ?? 0)
  return 0
}

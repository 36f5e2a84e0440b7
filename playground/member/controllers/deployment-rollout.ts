import type { Deployment, ReplicaSet } from '../workloads.js'
import { scaled } from './pods.js'

/** How many replicas each ReplicaSet should have, by name; those that stay as they are may be missing. */
export type Sizes = ReadonlyMap<string, number>

export const replicasOf = ({ spec }: ReplicaSet | Deployment): number => spec.replicas ?? 1
const availableOf = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0
const sum = (sets: readonly ReplicaSet[], count: (one: ReplicaSet) => number): number =>
  sets.reduce((total, one) => total + count(one), 0)
const isRolling = ({ spec }: Deployment): boolean => spec.strategy?.type !== 'Recreate'
const byAge = (one: ReplicaSet, other: ReplicaSet): number =>
  (one.metadata.creationTimestamp ?? '') < (other.metadata.creationTimestamp ?? '') ? -1 : 1

/** How many pods there may be beyond those wanted while a Deployment rolls. */
export const maxSurge = (deployment: Deployment): number =>
  isRolling(deployment)
    ? scaled(deployment.spec.strategy?.rollingUpdate?.maxSurge, replicasOf(deployment), 'up')
    : 0

/** How many pods may be missing while a Deployment rolls. One, where both bounds would come to nothing. */
export function maxUnavailable(deployment: Deployment): number {
  const wanted = replicasOf(deployment)
  if (!isRolling(deployment) || wanted === 0) return 0
  const bound = scaled(deployment.spec.strategy?.rollingUpdate?.maxUnavailable, wanted, 'down')
  return Math.min(wanted, bound === 0 && maxSurge(deployment) === 0 ? 1 : bound)
}

/** The size that the newest ReplicaSet may grow to now. @param others all ReplicaSets but the newest */
export function newestSize(deployment: Deployment, size: number, others: readonly ReplicaSet[]): number {
  const wanted = replicasOf(deployment)
  if (!isRolling(deployment)) return wanted
  const room = wanted + maxSurge(deployment) - size - sum(others, replicasOf)
  return room <= 0 ? size : size + Math.min(room, Math.max(0, wanted - size))
}

/** One step of a rolling update: the newest grows as far as it may, else the others shrink as far as they may. */
export function rollingStep(deployment: Deployment, newest: ReplicaSet, old: readonly ReplicaSet[]): Sizes {
  const wanted = replicasOf(deployment)
  const size = replicasOf(newest) > wanted ? wanted : newestSize(deployment, replicasOf(newest), old)
  if (size !== replicasOf(newest)) return new Map([[newest.metadata.name, size]])
  return shrunk(deployment, newest, old)
}

function shrunk(deployment: Deployment, newest: ReplicaSet, old: readonly ReplicaSet[]): Sizes {
  const least = replicasOf(deployment) - maxUnavailable(deployment)
  const all = sum(old, replicasOf) + replicasOf(newest)
  const most = all - least - (replicasOf(newest) - availableOf(newest))
  const sizes = new Map<string, number>()
  if (sum(old, replicasOf) === 0 || most <= 0) return sizes
  const sizeOf = (one: ReplicaSet) => sizes.get(one.metadata.name) ?? replicasOf(one)
  const take = (one: ReplicaSet, count: number) => {
    if (count > 0) sizes.set(one.metadata.name, sizeOf(one) - count)
    return Math.max(0, count)
  }
  const oldestFirst = [...old].sort(byAge)
  // Pods that are not available go first: they serve no requests.
  let cleaned = 0
  for (const one of oldestFirst)
    cleaned += take(one, Math.min(most - cleaned, sizeOf(one) - availableOf(one)))
  let spare = sum([...old, newest], availableOf) - least
  for (const one of oldestFirst) spare -= take(one, Math.min(spare, sizeOf(one)))
  return sizes
}

/** One step of a Recreate: first everything old goes, then the newest comes. @param pods pods of old ReplicaSets that still run */
export function recreateStep(
  deployment: Deployment,
  newest: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): Sizes {
  const active = old.filter(one => replicasOf(one) > 0)
  if (active.length > 0) return new Map(active.map(one => [one.metadata.name, 0]))
  if (!newest || replicasOf(newest) === replicasOf(deployment)) return new Map()
  return new Map([[newest.metadata.name, replicasOf(deployment)]])
}

const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas'

/** Sizes after a Deployment was scaled, also one that is paused or in the middle of a rollout: each in proportion. */
export function scaleStep(
  deployment: Deployment,
  newest: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): Sizes {
  const all = newest ? [newest, ...old] : old
  const active = all.filter(one => replicasOf(one) > 0)
  const wanted = replicasOf(deployment)
  if (active.length <= 1) {
    const only = active[0] ?? newest ?? [...old].sort(byAge).at(-1)
    return new Map(only && replicasOf(only) !== wanted ? [[only.metadata.name, wanted]] : [])
  }
  if (newest && isSaturated(deployment, newest))
    return new Map(old.filter(one => replicasOf(one) > 0).map(one => [one.metadata.name, 0]))
  return isRolling(deployment) ? proportional(deployment, active) : new Map()
}

const isSaturated = (deployment: Deployment, newest: ReplicaSet): boolean =>
  replicasOf(newest) === replicasOf(deployment) && availableOf(newest) === replicasOf(deployment)

function proportional(deployment: Deployment, active: readonly ReplicaSet[]): Sizes {
  const wanted = replicasOf(deployment)
  const allowed = wanted > 0 ? wanted + maxSurge(deployment) : 0
  const change = allowed - sum(active, replicasOf)
  if (change === 0) return new Map()
  // The largest first; of equals the newest when growing, the oldest when shrinking.
  const ordered = [...active].sort(
    (one, other) =>
      replicasOf(other) - replicasOf(one) || (change > 0 ? -byAge(one, other) : byAge(one, other)),
  )
  let added = 0
  const sizes = new Map<string, number>()
  for (const one of ordered) {
    const share = shareOf(one, deployment)
    const part = change > 0 ? Math.min(share, change - added) : Math.max(share, change - added)
    sizes.set(one.metadata.name, replicasOf(one) + part)
    added += part
  }
  const [largest] = ordered
  if (largest)
    sizes.set(largest.metadata.name, Math.max(0, (sizes.get(largest.metadata.name) ?? 0) + change - added))
  return sizes
}

function shareOf(one: ReplicaSet, deployment: Deployment): number {
  const size = replicasOf(one)
  if (replicasOf(deployment) === 0) return -size
  const before = Number(one.metadata.annotations?.[MAX_REPLICAS]) || (deployment.status?.replicas ?? 0)
  if (before === 0) return 0
  return Math.round((size * (replicasOf(deployment) + maxSurge(deployment))) / before) - size
}

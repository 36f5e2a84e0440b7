import { isWorkload } from '../objects/binding.js'
import type { Cluster } from '../objects/cluster.js'
import type { Placement } from '../objects/placement.js'
import { APPLIED_PLACEMENT, type PlacedBinding } from '../objects/resource-binding.js'
import { sameJson } from '../same-json.js'

/** Why a binding is scheduled now; undefined when its result stands (`Scheduler.doScheduleBinding` of Karmada). */
export type Trigger = 'placement' | 'replicas' | 'asked' | 'duplicated' | 'terminating'

export function schedulingTrigger(binding: PlacedBinding, clusters: readonly Cluster[]): Trigger | undefined {
  if (isPlacementChanged(binding)) return 'placement'
  if (areReplicasChanged(binding)) return 'replicas'
  if (isAskedFor(binding)) return 'asked'
  if (!isWorkload(binding.spec) || typeOf(binding.spec.placement) === 'Duplicated') return 'duplicated'
  const terminating = clusters.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
  const isLost = ({ name }: { readonly name: string }) =>
    terminating.some(({ metadata }) => metadata.name === name)
  return binding.spec.clusters?.some(isLost) ? 'terminating' : undefined
}

const typeOf = ({ replicaScheduling }: Placement): string =>
  replicaScheduling ? (replicaScheduling.replicaSchedulingType ?? '') : 'Duplicated'

/** Of affinity groups only the one in use counts. */
function isPlacementChanged({ metadata, spec: { placement }, status }: PlacedBinding): boolean {
  const text = metadata.annotations?.[APPLIED_PLACEMENT]
  if (!text) return true
  const before = parsed(text)
  // Karmada leaves an annotation alone that it cannot read.
  if (!before || sameJson(placement, before)) return false
  const parts = ['clusterAffinity', 'clusterTolerations', 'spreadConstraints', 'replicaScheduling'] as const
  if (parts.some(part => !sameJson(placement[part], before[part]))) return true
  const inUse = ({ clusterAffinities = [] }: Placement) =>
    clusterAffinities.find(({ affinityName }) => affinityName === status?.schedulerObservingAffinityName)
  const [now, then] = [inUse(placement), inUse(before)]
  return !now || !then || !sameJson(now, then)
}

function parsed(text: string): Placement | undefined {
  try {
    return JSON.parse(text) as Placement
  } catch {
    return undefined
  }
}

function areReplicasChanged({ spec }: PlacedBinding): boolean {
  const { replicas = 0, clusters = [], components = [], placement } = spec
  if (!placement.replicaScheduling) return false
  if (components.length > 0 && clusters.length === 0) return true
  const type = placement.replicaScheduling.replicaSchedulingType
  if (type === 'Duplicated') return clusters.some(one => (one.replicas ?? 0) !== replicas)
  if (type !== 'Divided') return false
  return clusters.reduce((sum, one) => sum + (one.replicas ?? 0), 0) !== replicas
}

function isAskedFor({ spec, status }: PlacedBinding): boolean {
  const { rescheduleTriggeredAt } = spec
  const { lastScheduledTime } = status ?? {}
  if (!rescheduleTriggeredAt || !lastScheduledTime) return false
  return Date.parse(rescheduleTriggeredAt) > Date.parse(lastScheduledTime)
}

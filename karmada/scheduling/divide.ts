import type { BindingSpec, BindingStatus, TargetCluster } from '../objects/binding.js'
import type { Candidate } from './candidate.js'
import { matchesAffinity } from './cluster-affinity.js'
import { during, Unplaceable } from './outcome.js'
import { divideByWeight } from './webster.js'

/** A cluster and the replicas that it runs, or can run. */
type Share = Required<TargetCluster>

/**
 * Divides a template's replicas among the chosen clusters (`core.AssignReplicas` of Karmada). What has no replicas, and what
 * has several components, goes to all of them as it is.
 * @param chosen in the order in which they were chosen
 * @returns only clusters that get replicas, where there are replicas to get
 * @throws Unplaceable when the clusters cannot hold the replicas
 */
export function divide(
  chosen: readonly Candidate[],
  spec: BindingSpec,
  status: BindingStatus,
): readonly TargetCluster[] {
  if (chosen.length === 0) throw new Unplaceable('no clusters available to schedule')
  const { replicas = 0, replicaRequirements, components = [] } = spec
  const hasReplicas = replicas > 0 || replicaRequirements !== undefined
  if (!hasReplicas || components.length > 1) return chosen.map(({ name }) => ({ name }))
  return overflows(spec, status) ? divideByTiers(chosen, spec, status) : divideAmong(chosen, spec, status)
}

/** Whether the affinity group that was chosen may spill over into others. */
const overflows = ({ placement }: BindingSpec, { schedulerObservingAffinityName }: BindingStatus): boolean =>
  !placement.clusterAffinity &&
  Boolean(schedulerObservingAffinityName) &&
  (placement.clusterAffinities ?? []).some(
    ({ affinityName, overflowAffinities }) =>
      affinityName === schedulerObservingAffinityName && overflowAffinities !== undefined,
  )

/** The group's own clusters are filled first, then those of each overflow affinity in turn. */
function divideByTiers(
  chosen: readonly Candidate[],
  spec: BindingSpec,
  status: BindingStatus,
): readonly Share[] {
  const orders = [...new Set(chosen.map(({ overflowOrder }) => overflowOrder))].sort((a, b) => a - b)
  const shares: Share[] = []
  let left = spec.replicas ?? 0
  for (const order of orders) {
    const tier = chosen.filter(({ overflowOrder }) => overflowOrder === order)
    const room = tier.reduce((sum, { available }) => sum + available, 0)
    const replicas = Math.min(left, room)
    shares.push(...divideAmong(tier, { ...spec, replicas }, status))
    left -= replicas
    if (left <= 0) return shares
  }
  throw new Unplaceable('Clusters available replicas are not enough to schedule.', 'Unschedulable')
}

function divideAmong(
  chosen: readonly Candidate[],
  spec: BindingSpec,
  status: BindingStatus,
): readonly Share[] {
  const {
    replicaSchedulingType = '',
    replicaDivisionPreference = '',
    weightPreference,
  } = spec.placement.replicaScheduling ?? { replicaSchedulingType: 'Duplicated' }
  const replicas = spec.replicas ?? 0
  const shares = (): readonly Share[] => {
    if (replicaSchedulingType === 'Duplicated') return chosen.map(({ name }) => ({ name, replicas }))
    if (replicaSchedulingType === 'Divided' && replicaDivisionPreference === 'Aggregated')
      return divideByRoom(chosen, spec, status, true)
    if (replicaSchedulingType === 'Divided' && replicaDivisionPreference === 'Weighted')
      return weightPreference?.dynamicWeight
        ? divideByRoom(chosen, spec, status, false)
        : divideStatically(chosen, spec)
    throw new Unplaceable(
      `unsupported replica scheduling strategy, replicaSchedulingType: ${replicaSchedulingType}, replicaDivisionPreference: ${replicaDivisionPreference}, please try another scheduling strategy`,
    )
  }
  return shares().filter(share => share.replicas > 0)
}

/** By the weights that the policy names; a cluster that no rule names gets none. Previous results do not matter. */
function divideStatically(chosen: readonly Candidate[], spec: BindingSpec): readonly Share[] {
  const rules = spec.placement.replicaScheduling?.weightPreference?.staticWeightList ?? []
  const weights = new Map<string, number>()
  for (const { name, cluster } of chosen) {
    const matching = rules.filter(({ targetCluster }) => matchesAffinity(cluster, targetCluster))
    const weight = Math.max(0, ...matching.map(rule => rule.weight))
    if (weight > 0) weights.set(name, weight)
  }
  // Weights that name no chosen cluster are no weights: all clusters count alike.
  const equal = new Map(chosen.map(({ name }) => [name, 1]))
  return divideByWeight(spec.replicas ?? 0, weights.size > 0 ? weights : equal, [], spec.resource.uid)
}

/**
 * By the room that clusters have. What runs already stays where it is as far as it can: only replicas that come are given
 * out, and those that go are taken proportionally; a rescheduling on demand begins from nothing.
 * @param few in as few clusters as possible (Aggregated), else in proportion to their room
 */
function divideByRoom(
  chosen: readonly Candidate[],
  spec: BindingSpec,
  status: BindingStatus,
  few: boolean,
): readonly Share[] {
  const replicas = spec.replicas ?? 0
  const running = (spec.clusters ?? [])
    .filter(({ name }) => chosen.some(candidate => candidate.name === name))
    .map(({ name, replicas = 0 }) => ({ name, replicas }))
  const assigned = sumOf(running)
  const room = chosen.map(({ name, allocatable }) => ({ name, replicas: allocatable }))
  const uid = spec.resource.uid
  if (isFresh(spec, status))
    return during('do fresh scale', () => give(replicas, [], largestFirst(added(room, running)), few, uid))
  if (assigned > replicas)
    return during('scale down', () => give(replicas, [], largestFirst(running), few, uid))
  if (assigned < replicas)
    return during('scale up', () => give(replicas - assigned, running, largestFirst(room), few, uid))
  return running
}

/** Whether a new distribution was requested since the last one, as by a WorkloadRebalancer. */
const isFresh = ({ rescheduleTriggeredAt }: BindingSpec, { lastScheduledTime }: BindingStatus): boolean =>
  rescheduleTriggeredAt !== undefined &&
  lastScheduledTime !== undefined &&
  Date.parse(rescheduleTriggeredAt) > Date.parse(lastScheduledTime)

/**
 * Gives `count` replicas to clusters in proportion to `room`, on top of what they run.
 * @throws Unplaceable when there is less room than that
 */
function give(
  count: number,
  running: readonly Share[],
  room: readonly Share[],
  few: boolean,
  uid: string | undefined,
): readonly Share[] {
  const total = sumOf(room)
  if (total < count)
    throw new Unplaceable(`Clusters available replicas ${total} are not enough to schedule.`, 'Unschedulable')
  const taken = few ? fewest(runningFirst(room, running), count) : room
  const given = divideByWeight(count, new Map(taken.map(one => [one.name, one.replicas])), [], uid)
  return added(given, running, true)
}

/** The first clusters that together have room for `count`, added in 32 bits. */
function fewest(room: readonly Share[], count: number): readonly Share[] {
  let sum = 0
  const last = room.findIndex(({ replicas }) => {
    sum = (sum + replicas) | 0
    return sum >= count
  })
  return last < 0 ? room : room.slice(0, last + 1)
}

function runningFirst(room: readonly Share[], running: readonly Share[]): readonly Share[] {
  const runs = new Set(running.filter(({ replicas }) => replicas > 0).map(({ name }) => name))
  return [...room.filter(({ name }) => runs.has(name)), ...room.filter(({ name }) => !runs.has(name))]
}

/**
 * Largest first; equals stay in the order of choice. Karmada sorts with Go's `sort.Sort`, which leaves the order of more than
 * twelve equals open.
 */
const largestFirst = (shares: readonly Share[]): readonly Share[] =>
  [...shares].sort((a, b) => b.replicas - a.replicas)

/** Adds shares by name, in 32 bits. @param all whether clusters that only the second list names come along */
function added(shares: readonly Share[], more: readonly Share[], all = false): readonly Share[] {
  const extra = new Map(more.map(({ name, replicas }) => [name, replicas]))
  const sums = shares.map(({ name, replicas }) => ({
    name,
    replicas: (replicas + (extra.get(name) ?? 0)) | 0,
  }))
  const names = new Set(shares.map(({ name }) => name))
  return all ? [...sums, ...more.filter(({ name }) => !names.has(name))] : sums
}

/** In 32 bits, as Karmada adds replicas. */
const sumOf = (shares: readonly Share[]): number =>
  shares.reduce((sum, { replicas }) => (sum + replicas) | 0, 0)

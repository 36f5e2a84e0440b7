import { parseQuantity, type Quantity, subtractQuantities, wholeUnits } from '../../manifests/quantity.js'
import type { BindingSpec, Component } from '../objects/binding.js'
import type { Cluster, ResourceSummary } from '../objects/cluster.js'
import { milliUnits } from './milli-units.js'
import { modelNodes, setsOnNodes } from './model-nodes.js'

/**
 * Whether a workload is scheduled by its components: it has some, and its placement takes exactly one cluster
 * (`isMultiTemplateSchedulingApplicable` of Karmada).
 */
export const isScheduledBySets = ({ components = [], placement }: BindingSpec): boolean =>
  components.length > 0 &&
  (placement.spreadConstraints ?? []).some(
    ({ spreadByField, minGroups, maxGroups }) =>
      spreadByField === 'cluster' && minGroups === 1 && maxGroups === 1,
  )

/**
 * How many whole sets of components a cluster has room for, by its own summary and by the grades of its nodes
 * (`MaxAvailableComponentSets` of Karmada's general estimator).
 */
export function availableSets({ spec, status }: Cluster, components: readonly Component[]): number {
  const summary = status?.resourceSummary
  if (!summary) return 0
  const pods = freePods(summary)
  if (pods <= 0n) return 0
  const podsOfSet = components.reduce((sum, { replicas }) => sum + BigInt(replicas), 0n)
  if (podsOfSet <= 0n) return to32Bits(pods)
  const sets = setsByResources(summary, components, to32Bits(pods / podsOfSet))
  const counts = summary.allocatableModelings ?? []
  const nodes = sets > 0 && counts.length > 0 ? modelNodes(spec.resourceModels ?? [], counts) : undefined
  return nodes ? setsOnNodes(nodes, components, sets) : sets
}

function setsByResources(summary: ResourceSummary, components: readonly Component[], most: number): number {
  let sets = most
  for (const [name, requested] of requestedBySet(components)) {
    if (requested <= 0n) continue
    const free = freeOf(summary, name)
    if (free <= 0n) return 0
    sets = Math.min(sets, to32Bits(free / requested))
  }
  return sets
}

function requestedBySet(components: readonly Component[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { replicas, replicaRequirements } of components)
    for (const [name, text] of Object.entries(replicaRequirements?.resourceRequest ?? {}))
      sums.set(name, (sums.get(name) ?? 0n) + units(parseQuantity(text)) * BigInt(replicas))
  return sums
}

function freeOf({ allocatable, allocated, allocating }: ResourceSummary, name: string): bigint {
  const total = allocatable?.[name]
  if (total === undefined) return 0n
  const used = [allocated?.[name], allocating?.[name]].filter(one => one !== undefined)
  return units(used.reduce((free, one) => subtractQuantities(free, parseQuantity(one)), parseQuantity(total)))
}

/** Karmada compares thousandths with whole units where one quantity has a decimal suffix and the other a binary one. */
const units = (quantity: Quantity): bigint =>
  quantity.format === 'BinarySI' ? wholeUnits(quantity) : milliUnits(quantity)

function freePods({ allocatable, allocated, allocating }: ResourceSummary): bigint {
  const podsOf = (list: ResourceSummary['allocatable']) => wholeUnits(parseQuantity(list?.pods ?? 0))
  return podsOf(allocatable) - podsOf(allocated) - podsOf(allocating)
}

/** Go's conversion of an int64 to an int32: higher bits are lost. */
const to32Bits = (value: bigint): number => Number(BigInt.asIntN(32, value))

import { parseQuantity, type Quantity, subtractQuantities, wholeUnits } from '../../manifests/quantity.js'
import type { BindingSpec } from '../objects/binding.js'
import type { Cluster, ResourceSummary } from '../objects/cluster.js'
import { availableSets, isScheduledBySets } from './component-sets.js'
import { milliUnits } from './milli-units.js'
import { replicasByModels } from './node-models.js'
import { type MemberQuota, type QuotaLimit, strictestLimit } from './quota-room.js'
import { requestOfSet } from './request-of-set.js'

type ResourceList = Readonly<Record<string, string | number>>

/** Karmada counts replicas in 32 bits; the largest number means that nothing limits them. */
const NO_LIMIT = 2 ** 31 - 1

/** How many more replicas of a template, or sets of its components, a cluster can take. */
export interface Room {
  readonly replicas: number
  /** The quota that leaves less room than the cluster has. */
  readonly limit?: QuotaLimit & { readonly replicasWithout: number }
}

/**
 * How many more replicas of a template a cluster can take, by the cluster's own summary: `GeneralEstimator` of Karmada
 * (`pkg/estimator/client/general.go`). A cluster without a summary takes none.
 * Of a workload that is scheduled by its components, whole sets of them are counted.
 * @param quotas the cluster's quotas in the template's namespace
 */
export function roomIn(cluster: Cluster, binding: BindingSpec, quotas: readonly MemberQuota[] = []): Room {
  const { replicas = 0, components = [], replicaRequirements } = binding
  if (replicas === 0 && components.length === 0) return { replicas: NO_LIMIT }
  const bySets = isScheduledBySets(binding)
  const request = bySets ? requestOfSet(components) : (replicaRequirements?.resourceRequest ?? {})
  const fitting = bySets ? availableSets(cluster, components) : estimate(cluster, binding)
  const wanted = (estimated: number) => (estimated === NO_LIMIT ? replicas : estimated)
  const limit = strictestLimit(quotas, request)
  if (!limit || limit.room >= fitting) return { replicas: wanted(fitting) }
  return { replicas: Number(limit.room), limit: { ...limit, replicasWithout: wanted(fitting) } }
}

function estimate({ spec, status }: Cluster, binding: BindingSpec): number {
  const summary = status?.resourceSummary
  if (!summary) return 0
  const pods = freePods(summary)
  if (pods <= 0n) return 0
  const { replicaRequirements } = binding
  if (!replicaRequirements) return to32Bits(pods)
  const request = replicaRequirements.resourceRequest ?? {}
  const models = summary.allocatableModelings ?? []
  const byModels =
    models.length > 0 ? replicasByModels(spec.resourceModels ?? [], models, request) : undefined
  const byResources = byModels ?? replicasBySummary(summary, request)
  return to32Bits(byResources === undefined || byResources > pods ? pods : byResources)
}

function freePods({ allocatable, allocated, allocating }: ResourceSummary): bigint {
  const podsOf = (list: ResourceList | undefined) => wholeUnits(parseQuantity(list?.pods ?? 0))
  return podsOf(allocatable) - podsOf(allocated) - podsOf(allocating)
}

/** Undefined when the request limits nothing. */
function replicasBySummary(summary: ResourceSummary, request: ResourceList): bigint | undefined {
  let most: bigint | undefined
  for (const [name, text] of Object.entries(request)) {
    const requested = parseQuantity(text)
    if (wholeUnits(requested) <= 0n) continue
    const free = freeOf(summary, name)
    if (free === undefined || wholeUnits(free) <= 0n) return 0n
    const replicas =
      name === 'cpu' ? milliUnits(free) / milliUnits(requested) : wholeUnits(free) / wholeUnits(requested)
    if (most === undefined || replicas < most) most = replicas
  }
  return most
}

function freeOf({ allocatable, allocated, allocating }: ResourceSummary, name: string): Quantity | undefined {
  const total = allocatable?.[name]
  if (total === undefined) return
  return [allocated?.[name], allocating?.[name]]
    .filter(used => used !== undefined)
    .reduce((free, used) => subtractQuantities(free, parseQuantity(used)), parseQuantity(total))
}

/** Go's conversion of an int64 to an int32: higher bits are lost. */
const to32Bits = (value: bigint): number => Number(BigInt.asIntN(32, value))

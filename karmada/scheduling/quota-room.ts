import {
  formatQuantity,
  parseQuantity,
  type Quantity,
  type ResourceSum,
  subtractQuantities,
  wholeUnits,
} from '../../manifests/quantity.js'
import type { Resources } from '../objects/federated-resource-quota.js'
import { milliUnits } from './milli-units.js'

/** What a ResourceQuota of a member allows, and what is used of it. */
export interface MemberQuota {
  /** Its name, for explanations. */
  readonly name?: string
  readonly hard?: Resources
  readonly used?: Resources
}

/** The ResourceQuotas in a binding's namespace that a member is known to have. */
export type QuotasOfMember = (cluster: string) => readonly MemberQuota[]

/** The quota that leaves the least room, and of which resource. */
export interface QuotaLimit {
  readonly quota: MemberQuota
  readonly resource: string
  readonly hard: string | number
  readonly used: string | number
  /** What a replica requests of the resource. */
  readonly each: string | number
  /** Replicas. */
  readonly room: bigint
}

/**
 * How many more replicas the quotas of a member leave room for (the ResourceQuota plugin of karmada-scheduler-estimator).
 * Requests for cpu, memory and extended resources count; limits and numbers of objects do not.
 * @returns undefined where nothing limits them
 */
export function strictestLimit(quotas: readonly MemberQuota[], request: Resources): QuotaLimit | undefined {
  let least: QuotaLimit | undefined
  for (const quota of quotas)
    for (const [resource, each] of Object.entries(request)) {
      const entry = entryOf(resource, quota)
      if (!entry) continue
      const free = subtractQuantities(parseQuantity(entry.hard), parseQuantity(entry.used))
      const room = replicasIn(free, parseQuantity(each), resource === 'cpu')
      if (room !== undefined && (!least || room < least.room))
        least = { quota, resource, ...entry, each, room }
    }
  return least
}

/**
 * A quota with what is under way: of a resource at least that is used which bindings request in the member, although its
 * pods may not be there yet (Karmada's feature gate SchedulingOvercommitProtection).
 */
export function withRequested(quota: MemberQuota, requested: ResourceSum): MemberQuota {
  const { hard = {}, used = {} } = quota
  const assumed = Object.entries(used).map(([name, amount]) => {
    const wanted = requested.get(name.replace(/^requests\./, ''))
    return [name, wanted.nano > parseQuantity(amount).nano ? formatQuantity(wanted) : amount]
  })
  return { ...quota, hard, used: Object.fromEntries(assumed) }
}

/** `cpu` and `requests.cpu` are the same; of both the last one by name counts. */
function entryOf(
  resource: string,
  { hard = {}, used = {} }: MemberQuota,
): Pick<QuotaLimit, 'hard' | 'used'> | undefined {
  for (const key of [`requests.${resource}`, resource]) {
    const [limit, taken] = [hard[key], used[key]]
    if (limit !== undefined && taken !== undefined) return { hard: limit, used: taken }
  }
  return undefined
}

function replicasIn(free: Quantity, each: Quantity, isCpu: boolean): bigint | undefined {
  const unitsOf = isCpu ? milliUnits : wholeUnits
  const wanted = unitsOf(each)
  if (wanted <= 0n) return undefined
  const room = unitsOf(free) / wanted
  return room < 0n ? 0n : room
}

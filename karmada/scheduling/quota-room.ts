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
  readonly hard?: Resources
  readonly used?: Resources
}

/** The ResourceQuotas in a binding's namespace that a member is known to have. */
export type QuotasOfMember = (cluster: string) => readonly MemberQuota[]

/**
 * How many more replicas the quotas of a member leave room for (the ResourceQuota plugin of karmada-scheduler-estimator).
 * Requests for cpu, memory and extended resources count; limits and numbers of objects do not.
 * @returns undefined where nothing limits them
 */
export function roomInQuotas(quotas: readonly MemberQuota[], request: Resources): bigint | undefined {
  let least: bigint | undefined
  for (const { hard = {}, used = {} } of quotas)
    for (const [name, amount] of Object.entries(request)) {
      const free = freeOf(name, hard, used)
      const room = free && replicasIn(free, parseQuantity(amount), name === 'cpu')
      if (room !== undefined && (least === undefined || room < least)) least = room
    }
  return least
}

/**
 * A quota with what is under way: of a resource at least that is used which bindings request in the member, although its
 * pods may not be there yet (Karmada's feature gate SchedulingOvercommitProtection).
 */
export function withRequested({ hard = {}, used = {} }: MemberQuota, requested: ResourceSum): MemberQuota {
  const assumed = Object.entries(used).map(([name, amount]) => {
    const wanted = requested.get(name.replace(/^requests\./, ''))
    return [name, wanted.nano > parseQuantity(amount).nano ? formatQuantity(wanted) : amount]
  })
  return { hard, used: Object.fromEntries(assumed) }
}

/** `cpu` and `requests.cpu` are the same; of both the last one by name counts. */
function freeOf(name: string, hard: Resources, used: Resources): Quantity | undefined {
  for (const key of [`requests.${name}`, name]) {
    const [limit, taken] = [hard[key], used[key]]
    if (limit !== undefined && taken !== undefined)
      return subtractQuantities(parseQuantity(limit), parseQuantity(taken))
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

import type { Binding } from '../objects/resource-binding.js'
import { type QuotasOfMember, withRequested } from '../scheduling/quota-room.js'
import { requestedInEach } from './usage.js'

/**
 * The quotas of members with what is under way there.
 * @param reported what the members report
 * @param bindings those of the quotas' namespace, also the one that is scheduled
 */
export function withUnderWay(reported: QuotasOfMember, bindings: () => readonly Binding[]): QuotasOfMember {
  let requested: ReturnType<typeof requestedInEach> | undefined
  return cluster => {
    const quotas = reported(cluster)
    if (quotas.length === 0) return quotas
    requested ??= requestedInEach(bindings())
    const here = requested.get(cluster)
    return here ? quotas.map(quota => withRequested(quota, here)) : quotas
  }
}

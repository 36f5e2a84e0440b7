import { formatQuantity, parseQuantity, ResourceSum } from '../../manifests/quantity.js'
import type { Refusal } from '../admission/validate.js'
import type { FederatedResourceQuota, Resources } from '../objects/federated-resource-quota.js'
import type { Binding } from '../objects/resource-binding.js'
import { addTimes, requestOfSet } from '../scheduling/request-of-set.js'

/** The reason in the Status of a refusal, and of the condition Scheduled, when a quota is exceeded. */
export const QUOTA_EXCEEDED = 'QuotaExceeded'

/** A binding as far as its requests go. */
interface Requesting {
  readonly spec: Pick<Binding['spec'], 'clusters' | 'components' | 'replicaRequirements'>
}

/**
 * What the replicas or components of bindings request in all clusters together (`helper.CalculateResourceUsage` of Karmada).
 * Bindings that are not scheduled request nothing.
 */
export function requestedBy(bindings: readonly Requesting[]): ResourceSum {
  const total = new ResourceSum()
  for (const { spec } of bindings)
    for (const { replicas = 0 } of spec.clusters ?? []) addRequests(total, spec, replicas)
  return total
}

/** The same for each cluster that is a target. */
export function requestedInEach(bindings: readonly Requesting[]): ReadonlyMap<string, ResourceSum> {
  const totals = new Map<string, ResourceSum>()
  for (const { spec } of bindings)
    for (const { name, replicas = 0 } of spec.clusters ?? []) {
      const total = totals.get(name) ?? new ResourceSum()
      totals.set(name, total)
      addRequests(total, spec, replicas)
    }
  return totals
}

function addRequests(total: ResourceSum, spec: Requesting['spec'], replicas: number): void {
  if (spec.components?.length) addTimes(total, requestOfSet(spec.components), 1)
  else addTimes(total, spec.replicaRequirements?.resourceRequest ?? {}, replicas)
}

/** What bindings use of the resources that a quota limits. @param bindings those of the quota's namespace */
export function usedOf(
  { spec: { overall = {} } }: FederatedResourceQuota,
  bindings: readonly Binding[],
): Resources {
  const used = requestedBy(bindings).toResourceList()
  return Object.fromEntries(Object.entries(used).filter(([name]) => name in overall))
}

/**
 * Why a binding may not be written: with it, the bindings of its namespace would use more than a quota allows (Karmada's
 * webhook of ResourceBindings with the feature gate FederatedQuotaEnforcement). A binding whose requests stay the same is not
 * refused.
 * @param quotas those of the binding's namespace
 * @param others the other bindings of the namespace
 * @param old the binding as it is, where there is one
 */
export function quotaRefusalOf(
  binding: Requesting,
  old: Requesting | undefined,
  quotas: readonly FederatedResourceQuota[],
  others: readonly Requesting[],
): Refusal | undefined {
  const [now, before] = [requestedBy([binding]), requestedBy(old ? [old] : [])]
  for (const { metadata, spec } of quotas) {
    const limits = Object.entries(spec.overall ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
    if (limits.every(([name]) => now.get(name).nano === before.get(name).nano)) continue
    const sum = requestedBy([...others, binding])
    for (const [name, amount] of limits) {
      const [wanted, limit] = [sum.get(name), parseQuantity(amount)]
      if (wanted.nano <= limit.nano) continue
      return {
        webhook: 'resourcebinding.karmada.io',
        message: `FederatedResourceQuota(${metadata.namespace}/${metadata.name}) exceeded for resource ${name}: requested sum ${formatQuantity(wanted)}, limit ${formatQuantity(limit)}.`,
        reason: QUOTA_EXCEEDED,
      }
    }
  }
  return undefined
}

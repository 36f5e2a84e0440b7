import { bindingName } from '../names.js'
import type { BindingSpec, TargetCluster } from '../objects/binding.js'
import type { Binding } from '../objects/resource-binding.js'
import type { NamespaceQuotas } from '../quota/namespace-quotas.js'
import { withUnderWay } from '../quota/under-way.js'
import { QUOTA_EXCEEDED, quotaRefusalOf } from '../quota/usage.js'
import type { Candidate } from '../scheduling/candidate.js'
import { isScheduledBySets } from '../scheduling/component-sets.js'
import type { QuotasOfMember } from '../scheduling/quota-room.js'
import type { ScheduleFailure } from '../scheduling/schedule.js'

/**
 * Whether the feature gate ResourceQuotaEstimate of karmada-controller-manager is on, by what it writes into bindings: with the gate alone
 * a request names its namespace. Undefined where no binding says.
 */
export function isEstimatedByQuota(
  bindings: readonly Pick<Binding, 'metadata' | 'spec'>[],
): boolean | undefined {
  const requests = bindings.flatMap(({ spec }) => spec.replicaRequirements ?? [])
  return requests.length === 0 ? undefined : requests.some(({ namespace }) => namespace !== undefined)
}

/** The quotas of members that a decision depends on, and what it assumes of them. */
export interface QuotasInForce {
  readonly quotasOf?: QuotasOfMember
  /** One sentence for each. */
  readonly assumptions: readonly string[]
}

/**
 * Whether the quotas of members count. Karmada has the feature gate off by default, and does not report it: where nothing shows that it is
 * off, they count, and the decision is the cautious one.
 * @param clusters names of those that might be chosen
 */
export function quotasInForce(
  { inMembers, bindings }: NamespaceQuotas,
  clusters: readonly string[],
): QuotasInForce {
  const isThere = clusters.some(cluster => inMembers(cluster).length > 0)
  if (!isThere) return { assumptions: [] }
  const isOn = isEstimatedByQuota(bindings)
  if (isOn === false) return { assumptions: [GATE_IS_OFF] }
  const quotasOf = withUnderWay(inMembers, () => bindings)
  return { quotasOf, assumptions: isOn ? [] : [GATE_IS_UNKNOWN] }
}

const GATE_IS_OFF =
  'ResourceQuotas of member clusters do not limit replicas: Karmada’s feature gate ResourceQuotaEstimate is off here, as the bindings of the namespace show.'
const GATE_IS_UNKNOWN =
  'It is assumed that ResourceQuotas of member clusters limit replicas, as with Karmada’s feature gate ResourceQuotaEstimate: it is off by default, and whether it is on here is unknown.'

/** Said of a refusal by a FederatedResourceQuota, where no binding shows that Karmada refuses any. */
const ENFORCEMENT_IS_UNKNOWN =
  'It is assumed that FederatedResourceQuotas refuse what exceeds them, as with Karmada’s feature gate FederatedQuotaEnforcement: it is off by default, and whether it is on here is unknown.'

/** Why a FederatedResourceQuota refuses the result of a decision, as the condition Scheduled says it. */
export function federatedRefusal(
  spec: BindingSpec,
  clusters: readonly TargetCluster[],
  { federated, bindings }: NamespaceQuotas,
): { readonly failure: ScheduleFailure; readonly assumptions: readonly string[] } | undefined {
  const { kind, name } = spec.resource
  const others = bindings.filter(({ metadata }) => metadata.name !== bindingName(kind, name))
  const refusal = quotaRefusalOf({ spec: { ...spec, clusters } }, { spec }, federated, others)
  if (!refusal) return undefined
  const isSeen = bindings.some(({ status }) =>
    status?.conditions?.some(({ type, reason }) => type === 'Scheduled' && reason === QUOTA_EXCEEDED),
  )
  const message = `admission webhook "${refusal.webhook}" denied the request: ${refusal.message}`
  return {
    failure: { reason: QUOTA_EXCEEDED, message },
    assumptions: isSeen ? [] : [ENFORCEMENT_IS_UNKNOWN],
  }
}

/** In words how a quota limits a cluster; undefined where none does. */
export function quotaWords(
  { quotaLimit: limit }: Pick<Candidate, 'quotaLimit'>,
  spec: BindingSpec,
): string | undefined {
  if (!limit) return undefined
  const { quota, resource, hard, used, each, room, replicasWithout } = limit
  const many = isScheduledBySets(spec) ? 'sets of its components' : 'replicas'
  const name = quota.name === undefined ? 'A ResourceQuota' : `ResourceQuota ${quota.name}`
  return `${name} of the cluster leaves room for ${room} more ${many}: ${used} of ${hard} ${resource} are used, and each requests ${each}. Without it there would be room for ${replicasWithout}.`
}

import { qualifiedName } from '../../manifests/name-format.js'
import { policyId } from '../matching/claim.js'
import { CLAIMS } from '../matching/policies.js'
import type { Failover, PropagationPolicy, PropagationSpec } from '../objects/propagation-policy.js'
import { invalidField, refusalOf } from './field-refusal.js'
import { placementRefusals } from './validate-placement.js'

/** Why Karmada's webhook refuses a PropagationPolicy or ClusterPropagationPolicy; undefined where it does not. */
export function policyRefusal(policy: PropagationPolicy, old?: PropagationPolicy): string | undefined {
  const label = policy.kind === 'PropagationPolicy' ? CLAIMS.policy.id : CLAIMS.clusterPolicy.id
  if (old && (policy.spec.schedulerName ?? '') !== (old.spec.schedulerName ?? ''))
    return 'the schedulerName should not be updated'
  // A policy from before there were ids may get one.
  if (old && policyId(old) !== undefined && policyId(policy) !== policyId(old))
    return `label ${label} is immutable, it can only be set by the system during creation`
  if (policyId(policy) === undefined)
    return `label ${label} is required, it should be set by the mutating admission webhook during creation`
  return refusalOf(specRefusals(policy))
}

function specRefusals({ spec, metadata }: PropagationPolicy): readonly string[] {
  const { failover, propagateDeps = false, resourceSelectors = [], preemption } = spec
  const path = 'spec.resourceSelectors'
  return [
    ...placementRefusals(spec.placement ?? {}, 'spec.placement'),
    ...(failover?.application && !propagateDeps
      ? [
          invalidField(
            'spec.propagateDeps',
            propagateDeps,
            'application failover is set, propagateDeps must be true',
          ),
        ]
      : []),
    ...failoverRefusals(failover),
    ...selectorRefusals(resourceSelectors, metadata.namespace),
    ...(preemption === 'Always'
      ? resourceSelectors.flatMap(({ name = '' }, at) =>
          name === ''
            ? [
                invalidField(
                  `${path}[${at}].name`,
                  name,
                  'name cannot be empty if preemption is Always, the empty name may cause unexpected resources preemption',
                ),
              ]
            : [],
        )
      : []),
    ...suspensionRefusals(spec.suspension),
  ]
}

/** Selectors of a policy in a namespace stay in it. */
export const selectorRefusals = (
  selectors: readonly { readonly namespace?: string }[],
  namespace: string | undefined,
): readonly string[] =>
  namespace
    ? selectors.flatMap((one, at) =>
        one.namespace === namespace
          ? []
          : [
              invalidField(
                `spec.resourceSelectors[${at}].namespace`,
                one.namespace ?? '',
                'namespace of resource selector must be the same as the namespace of the policy',
              ),
            ],
      )
    : []

function failoverRefusals(failover: Failover | undefined): readonly string[] {
  const { application, cluster } = (failover ?? {}) as Failover & {
    readonly application?: Preserving
    readonly cluster?: Preserving
  }
  return [
    ...(application ? applicationRefusals(application) : []),
    ...stateRefusals(application, 'spec.failover.application'),
    ...stateRefusals(cluster, 'spec.failover.cluster'),
  ]
}

function applicationRefusals({
  decisionConditions,
  purgeMode,
  gracePeriodSeconds,
}: NonNullable<Failover['application']>): readonly string[] {
  const path = 'spec.failover.application'
  const { tolerationSeconds = 300 } = decisionConditions
  const isGraceful = purgeMode === 'Gracefully'
  const ofGrace = (detail: string) =>
    invalidField(`${path}.gracePeriodSeconds`, gracePeriodSeconds ?? null, detail)
  return [
    ...(tolerationSeconds < 0
      ? [
          invalidField(
            `${path}.decisionConditions.tolerationSeconds`,
            tolerationSeconds,
            'must be greater than or equal to 0',
          ),
        ]
      : []),
    ...(!isGraceful && gracePeriodSeconds !== undefined
      ? [ofGrace('only takes effect when purgeMode is gracefully')]
      : []),
    ...(isGraceful && gracePeriodSeconds === undefined
      ? [ofGrace('should not be empty when purgeMode is gracefully')]
      : []),
    ...(gracePeriodSeconds !== undefined && gracePeriodSeconds <= 0
      ? [ofGrace('must be greater than 0')]
      : []),
  ]
}

interface Preserving {
  readonly statePreservation?: { readonly rules?: readonly { readonly aliasLabelName?: string }[] }
}

const stateRefusals = (behavior: Preserving | undefined, path: string): readonly string[] =>
  (behavior?.statePreservation?.rules ?? []).flatMap(({ aliasLabelName = '' }, at) =>
    qualifiedName(aliasLabelName).map(one =>
      invalidField(`${path}.statePreservation.rules[${at}].aliasLabelName`, aliasLabelName, one),
    ),
  )

function suspensionRefusals(suspension: PropagationSpec['suspension']): readonly string[] {
  const { dispatching, dispatchingOnClusters } = (suspension ?? {}) as {
    readonly dispatching?: boolean
    readonly dispatchingOnClusters?: { readonly clusterNames?: readonly string[] }
  }
  if (!dispatching || !dispatchingOnClusters?.clusterNames?.length) return []
  return [
    invalidField(
      'spec.suspension.suspension',
      suspension,
      'suspension dispatching cannot co-exist with dispatchingOnClusters.clusterNames',
    ),
  ]
}

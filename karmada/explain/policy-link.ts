import type { KubeObject } from '../../manifests/kube.js'
import { isClaimedBy } from '../matching/claim.js'
import { type Claim, claimOf, policyFor } from '../matching/policies.js'
import { bestPrecision, Precision } from '../matching/resource-selector.js'
import type { PropagationPolicy } from '../objects/propagation-policy.js'
import { broken, done, type Finding, type LinkedObject, linkTo, nameOf, waiting } from './link.js'
import { nearMiss } from './near-miss.js'
import type { Propagated } from './propagated.js'

/** Which policy holds the template, or why none does. */
export function policyLink(propagated: Propagated): Finding {
  const { template, policies, clusterPolicies } = propagated
  if (!template) return waiting('NoTemplate', 'There is no template that a policy could select.')
  const claim = claimOf(template)
  if (claim) return claimedLink(template, claim, propagated)
  const policy = policyFor(template, policies, clusterPolicies)
  if (!policy) return noPolicy(propagated, template)
  const object = linkTo(policy)
  const missing = missingOverrides(policy, propagated)
  if (missing.length > 0)
    return broken(
      'DependentOverridesMissing',
      `${nameOf(object)} selects it, but waits for the override policies that it depends on: ${missing.join(', ')}.`,
      'Create them, or take them out of spec.dependentOverrides.',
      object,
    )
  return waiting(
    'NotClaimedYet',
    `${nameOf(object)} selects it, and Karmada has not put it in effect yet.`,
    object,
    policy.spec.activationPreference === 'Lazy'
      ? 'Its activationPreference is Lazy: change the template to put it in effect.'
      : 'If this lasts longer than a few seconds, see whether karmada-controller-manager runs.',
  )
}

function claimedLink(template: KubeObject, claim: Claim, { policies, clusterPolicies }: Propagated): Finding {
  const object: LinkedObject = {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: claim.kind,
    ...(claim.namespace && { namespace: claim.namespace }),
    name: claim.name,
  }
  const those = claim.kind === 'PropagationPolicy' ? policies : clusterPolicies
  const policy = those.find(
    ({ metadata }) => metadata.name === claim.name && metadata.namespace === claim.namespace,
  )
  if (!policy || !isClaimedBy(template, policy))
    return waiting(
      'PolicyGone',
      `It is claimed by ${nameOf(object)}, which is gone; what was propagated stays until another policy claims it.`,
      object,
      'Create a policy that selects it, or delete the template.',
    )
  if (policy.metadata.deletionTimestamp)
    return waiting('PolicyDeleting', `${nameOf(object)} holds it, and is being deleted.`, object)
  if (bestPrecision(template, policy.spec.resourceSelectors) === Precision.none)
    return waiting(
      'NoLongerSelected',
      `${nameOf(object)} holds it, but no longer selects it: Karmada lets it go.`,
      object,
    )
  return done('Claimed', `${nameOf(object)} holds it.`, object)
}

/** Names of the override policies that the policy depends on and that are not there. */
function missingOverrides(
  { metadata, spec }: PropagationPolicy,
  { overrides }: Propagated,
): readonly string[] {
  const there =
    metadata.namespace === undefined
      ? overrides.clusterWide
      : overrides.namespaced.filter(one => one.metadata.namespace === metadata.namespace)
  return (spec.dependentOverrides ?? []).filter(name => !there.some(one => one.metadata.name === name))
}

function noPolicy({ policies, clusterPolicies }: Propagated, template: KubeObject): Finding {
  const { namespace, name } = template.metadata
  const where = namespace ? `no PropagationPolicy of namespace ${namespace} and ` : ''
  const near = nearMiss(template, [...policies, ...clusterPolicies])
  return broken(
    'NoPolicy',
    `${upper(`${where}no ClusterPropagationPolicy`)} selects it.${near ? ` ${near.message}` : ''}`,
    near?.fix ??
      `Create one with a resource selector {apiVersion: ${template.apiVersion}, kind: ${template.kind}, name: ${name}}.`,
    near?.object,
  )
}

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

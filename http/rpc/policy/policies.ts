import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf'
import type { ResourceSelector } from '../../../karmada/objects/override-policy.js'
import type { KubeObject } from '../../../manifests/kube.js'
import type { PropagationPolicySchema } from '../../../proto/gen/kairship/policy_pb.js'
import {
  OverridePolicySpecSchema,
  PropagationPolicySpecSchema,
} from '../../../proto/gen/kairship/policy_spec_pb.js'
import type { Place } from '../../objects/object-type.js'
import type { Kind } from '../kind/kind-handlers.js'
import { type KubeMessage, kubeMessage } from '../kind/kube-message.js'
import { objectMeta } from '../kind/object-meta.js'

/** A policy of any of the four kinds, as far as what it selects is read from it. */
export interface Policy extends KubeObject {
  readonly spec?: { readonly resourceSelectors?: readonly ResourceSelector[] }
}

/** The message of a policy: each of the four kinds has metadata and a spec, and Karmada keeps no status of them. */
interface PolicyMessage<Spec extends DescMessage> {
  readonly metadata: MessageInitShape<typeof PropagationPolicySchema>['metadata']
  readonly spec: KubeMessage<Spec>
}

/** PropagationPolicies. */
export const propagationPolicies = policies('PropagationPolicy', true, PropagationPolicySpecSchema)
/** ClusterPropagationPolicies. */
export const clusterPropagationPolicies = policies(
  'ClusterPropagationPolicy',
  false,
  PropagationPolicySpecSchema,
)
/** OverridePolicies. */
export const overridePolicies = policies('OverridePolicy', true, OverridePolicySpecSchema)
/** ClusterOverridePolicies. */
export const clusterOverridePolicies = policies('ClusterOverridePolicy', false, OverridePolicySpecSchema)

function policies<Spec extends DescMessage>(
  kind: string,
  namespaced: boolean,
  spec: Spec,
): Kind<Policy, PolicyMessage<Spec>> {
  const resource = `${kind.toLowerCase().slice(0, -1)}ies`
  return {
    type: { group: 'policy.karmada.io', version: 'v1alpha1', resource, kind, namespaced },
    message: (policy: Policy, place: Place) => ({
      metadata: objectMeta(policy, place),
      spec: kubeMessage(spec, policy.spec),
    }),
  }
}

import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf'
import type { ResourceSelector } from '../../../karmada/objects/override-policy.js'
import type { KubeObject } from '../../../manifests/kube.js'
import type { PropagationPolicySchema } from '../../../proto/gen/kairship/policy_pb.js'
import {
  OverridePolicySpecSchema,
  PropagationPolicySpecSchema,
} from '../../../proto/gen/kairship/policy_spec_pb.js'
import type { ObjectType, Place } from '../../objects/object-type.js'
import type { Kind } from '../kind/kind-handlers.js'
import { type KubeMessage, kubeMessage } from '../kind/kube-message.js'
import { objectMeta } from '../kind/object-meta.js'
import {
  CLUSTER_OVERRIDE_POLICY,
  CLUSTER_PROPAGATION_POLICY,
  OVERRIDE_POLICY,
  PROPAGATION_POLICY,
} from '../kind/object-types.js'

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
export const propagationPolicies = policies(PROPAGATION_POLICY, PropagationPolicySpecSchema)
/** ClusterPropagationPolicies. */
export const clusterPropagationPolicies = policies(CLUSTER_PROPAGATION_POLICY, PropagationPolicySpecSchema)
/** OverridePolicies. */
export const overridePolicies = policies(OVERRIDE_POLICY, OverridePolicySpecSchema)
/** ClusterOverridePolicies. */
export const clusterOverridePolicies = policies(CLUSTER_OVERRIDE_POLICY, OverridePolicySpecSchema)

function policies<Spec extends DescMessage>(type: ObjectType, spec: Spec): Kind<Policy, PolicyMessage<Spec>> {
  return {
    type,
    message: (policy: Policy, place: Place) => ({
      metadata: objectMeta(policy, place),
      spec: kubeMessage(spec, policy.spec),
    }),
  }
}

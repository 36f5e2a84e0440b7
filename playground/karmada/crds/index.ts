import { type CustomResourceDefinition, customResourceDefinition } from '../../objects/custom-resource.js'
import { autoscalingResources } from './autoscaling.js'
import { interpreterResources } from './interpreter.js'
import { networkingResources } from './networking.js'
import { operationsResources } from './operations.js'
import { policyResources } from './policy.js'
import { workResources } from './work.js'

/**
 * Every CustomResourceDefinition of a Karmada control plane (`clusters` is not among them: it is an aggregated API).
 * Built once and shared by all embedded control planes.
 */
export const karmadaCustomResourceDefinitions: readonly CustomResourceDefinition[] = [
  ...policyResources,
  ...workResources,
  ...interpreterResources,
  ...autoscalingResources,
  ...networkingResources,
  ...operationsResources,
].map(customResourceDefinition)

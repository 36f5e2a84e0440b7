import type { KubeObject } from '../../manifests/kube.js'
import type { CronFederatedHpa } from '../autoscaling/cron-scaling.js'
import type { FederatedHpa } from '../autoscaling/federated-hpa.js'
import type { ClusterTaintPolicy } from '../eviction/taint-policies.js'
import type { MultiClusterService } from '../networking/multi-cluster-service.js'
import type { FederatedResourceQuota } from '../objects/federated-resource-quota.js'
import type { OverridePolicy } from '../objects/override-policy.js'
import type { PropagationPolicy } from '../objects/propagation-policy.js'
import type { Binding } from '../objects/resource-binding.js'
import { duplicateField, invalidField, refusalOf } from './field-refusal.js'
import { cronFederatedHpaRefusal } from './validate-cron-hpa.js'
import { federatedHpaRefusal } from './validate-hpa.js'
import type { IngressSpec } from './validate-ingress.js'
import { multiClusterIngressRefusal, multiClusterServiceRefusal } from './validate-networking.js'
import { overrideRefusal } from './validate-override.js'
import { policyRefusal } from './validate-policy.js'
import { quotaRefusal } from './validate-quota.js'

/** A refusal by one of Karmada's validating webhooks. */
export interface Refusal {
  /** The webhook's name in Karmada's configuration. */
  readonly webhook: string
  readonly message: string
  /** The reason of the Status; `Forbidden` unless given. */
  readonly reason?: string
}

type Check = (object: KubeObject, old: KubeObject | undefined) => string | undefined

const policyCheck: Check = (object, old) =>
  policyRefusal(object as PropagationPolicy, old as PropagationPolicy | undefined)
const overrideCheck: Check = object => overrideRefusal(object as unknown as OverridePolicy)

/** By kind of Karmada; the webhook is called as the kind in small letters. */
const CHECKS: Readonly<Record<string, Check>> = {
  PropagationPolicy: policyCheck,
  ClusterPropagationPolicy: policyCheck,
  OverridePolicy: overrideCheck,
  ClusterOverridePolicy: overrideCheck,
  ClusterTaintPolicy: object => taintPolicyRefusal(object as ClusterTaintPolicy),
  FederatedResourceQuota: object => quotaRefusal(object as FederatedResourceQuota),
  FederatedHPA: object => federatedHpaRefusal(object as FederatedHpa),
  CronFederatedHPA: object => cronFederatedHpaRefusal(object as CronFederatedHpa),
  MultiClusterService: (object, old) =>
    multiClusterServiceRefusal(object as MultiClusterService, old as MultiClusterService | undefined),
  MultiClusterIngress: object => {
    const { spec = {} } = object as KubeObject & { readonly spec?: IngressSpec }
    return multiClusterIngressRefusal(object.metadata.name, spec)
  },
}

const GROUPS = /^(policy|autoscaling|networking)\.karmada\.io\//

/** Why a new or changed object is refused; undefined where it is not. @param old absent when the object is new */
export function writeRefusal(object: KubeObject, old?: KubeObject): Refusal | undefined {
  if (object.kind === 'ResourceBinding') return componentsRefusal(object as Binding)
  if (!GROUPS.test(object.apiVersion)) return undefined
  const message = CHECKS[object.kind]?.(object, old)
  return message === undefined ? undefined : { webhook: `${object.kind.toLowerCase()}.karmada.io`, message }
}

/** The components of a binding have names, each another one. */
function componentsRefusal({ apiVersion, spec: { components = [] } }: Binding): Refusal | undefined {
  if (!apiVersion.startsWith('work.karmada.io/')) return undefined
  const refusals = components.flatMap(({ name }, at) => {
    const path = `spec.components[${at}].name`
    if (name === '') return [invalidField(path, name, 'component names must be non-empty')]
    return components.slice(0, at).some(other => other.name === name)
      ? [invalidField(path, name, 'component names must be unique')]
      : []
  })
  const message = refusalOf(refusals)
  return message === undefined ? undefined : { webhook: 'resourcebinding.karmada.io', message }
}

const PROTECTED = 'resourcetemplate.karmada.io/deletion-protected'

/** Why an object may not be deleted; undefined where it may. */
export const deletionRefusal = ({ metadata }: KubeObject): Refusal | undefined =>
  metadata.labels?.[PROTECTED] === 'Always'
    ? {
        webhook: 'resourcedeletionprotection.karmada.io',
        message: `This resource is protected, please make sure to remove the label: ${PROTECTED}`,
      }
    : undefined

function taintPolicyRefusal({ spec }: ClusterTaintPolicy): string | undefined {
  const refusals = spec.taints.flatMap(({ key, effect }, at) => {
    const isTwice = spec.taints.slice(at + 1).some(other => other.key === key && other.effect === effect)
    return isTwice
      ? [
          duplicateField(
            `spec.taints[${at}]`,
            `Duplicate taint with the same key(${key}) and effect(${effect}) is not allowed`,
          ),
        ]
      : []
  })
  return refusalOf(refusals)
}

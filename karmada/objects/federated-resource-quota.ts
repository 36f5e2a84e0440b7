import type { KubeObject } from '../../manifests/kube.js'

/** `federatedresourcequotas.policy.karmada.io/v1alpha1`. */
export const FEDERATED_RESOURCE_QUOTAS = {
  group: 'policy.karmada.io',
  version: 'v1alpha1',
  resource: 'federatedresourcequotas',
} as const

/** Quantities by the name of a resource, as Kubernetes writes them. */
export type Resources = Readonly<Record<string, string | number>>

/** policy.karmada.io/v1alpha1 FederatedResourceQuota: what a namespace may use over all member clusters together. */
export interface FederatedResourceQuota extends KubeObject {
  readonly spec: {
    readonly overall?: Resources
    /** The ResourceQuotas of single members. */
    readonly staticAssignments?: readonly { readonly clusterName: string; readonly hard?: Resources }[]
  }
  readonly status?: QuotaStatus
}

export interface QuotaStatus {
  readonly overall?: Resources
  /** What the bindings of the namespace request. */
  readonly overallUsed?: Resources
  /** What the members report of their ResourceQuotas. */
  readonly aggregatedStatus?: readonly ClusterQuotaStatus[]
}

export interface ClusterQuotaStatus {
  readonly clusterName: string
  readonly hard?: Resources
  readonly used?: Resources
}

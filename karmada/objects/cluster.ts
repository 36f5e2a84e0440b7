import type { Condition, ObjectMeta } from '../../manifests/kube.js'

/** `clusters.cluster.karmada.io/v1alpha1`: the aggregated resource that holds a Karmada control plane's members. */
export const CLUSTERS = { group: 'cluster.karmada.io', version: 'v1alpha1', resource: 'clusters' } as const
/** Keeps a Cluster until its execution namespace is gone. */
export const CLUSTER_FINALIZER = 'karmada.io/cluster-controller'
/** Where credentials of members live, in the control plane and, by the same name, in the member. */
export const CLUSTER_NAMESPACE = 'karmada-cluster'
/** On everything Karmada makes for itself. */
export const SYSTEM_LABELS = { 'karmada.io/system': 'true' } as const

/** cluster.karmada.io/v1alpha1 Cluster. */
export interface Cluster {
  readonly apiVersion: 'cluster.karmada.io/v1alpha1'
  readonly kind: 'Cluster'
  readonly metadata: ObjectMeta
  readonly spec: ClusterSpec
  readonly status?: ClusterStatus
}

export interface ClusterSpec {
  /** uid of the member's kube-system namespace. */
  readonly id?: string
  readonly syncMode: 'Push' | 'Pull'
  readonly apiEndpoint?: string
  readonly secretRef?: SecretReference
  readonly impersonatorSecretRef?: SecretReference
  readonly insecureSkipTLSVerification?: boolean
  readonly provider?: string
  readonly region?: string
  /** Deprecated by Karmada in favour of `zones`. */
  readonly zone?: string
  readonly zones?: readonly string[]
  readonly taints?: readonly Taint[]
  readonly resourceModels?: readonly ResourceModel[]
}

interface SecretReference {
  readonly namespace: string
  readonly name: string
}

/** core/v1 Taint. */
export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
  readonly timeAdded?: string
}

/** One grade of node sizes, by resource, from `min` (inclusive) to `max`. */
export interface ResourceModel {
  readonly grade: number
  /** Karmada stores null where none were given. */
  readonly ranges: readonly ResourceRange[] | null
}

/** From `min` (inclusive) to `max`, Kubernetes quantities. */
export interface ResourceRange {
  readonly name: string
  readonly min: string
  readonly max: string
}

export interface ClusterStatus {
  readonly kubernetesVersion?: string
  readonly apiEnablements?: readonly ApiEnablement[]
  readonly conditions?: readonly Condition[]
  /** What Remedies want to be done about the cluster. */
  readonly remedyActions?: readonly string[]
  readonly nodeSummary?: NodeSummary
  readonly resourceSummary?: ResourceSummary
}

/** A group version the member serves, with its resources. */
export interface ApiEnablement {
  readonly groupVersion: string
  readonly resources?: readonly { readonly name: string; readonly kind: string }[]
}

/** Zero is left out, as Go's omitempty does. */
export interface NodeSummary {
  readonly totalNum?: number
  readonly readyNum?: number
}

export interface ResourceSummary {
  readonly allocatable?: Readonly<Record<string, string>>
  readonly allocating?: Readonly<Record<string, string>>
  readonly allocated?: Readonly<Record<string, string>>
  readonly allocatableModelings?: readonly { readonly grade: number; readonly count: number }[]
}

import type { Condition, KubeObject, SecretReference } from './kube.js'

/** API group of Kairship's own resources. */
export const KAIRSHIP_GROUP = 'kairship.io'
/** The served and stored version of Kairship's own resources. */
export const KAIRSHIP_VERSION = 'v1alpha1'
/** `instances.kairship.io/v1alpha1`, cluster-scoped. */
export const INSTANCES = { group: KAIRSHIP_GROUP, version: KAIRSHIP_VERSION, resource: 'instances' } as const

/** One Karmada control plane under management. */
export interface Instance extends KubeObject {
  readonly apiVersion: 'kairship.io/v1alpha1'
  readonly kind: 'Instance'
  readonly spec: InstanceSpec
  readonly status?: InstanceStatus
}

/** The desired state. Exactly one of `kubeconfigSecretRef` (adopt) and `install` is set; the schema refuses others. */
export interface InstanceSpec {
  /** A name for people, at most 63 characters. */
  readonly alias?: string
  /** At most 512 characters. */
  readonly description?: string
  /** Adopt: the Secret holding a kubeconfig of a running Karmada control plane; key `kubeconfig` unless named. */
  readonly kubeconfigSecretRef?: SecretReference
  /** Install: let karmada-operator bring one up from a `Karmada` object that Kairship writes. */
  readonly install?: InstallSpec
  /**
   * What happens to a control plane that Kairship installed when the Instance is deleted. Retain (default) forgets it,
   * Delete uninstalls it. An adopted control plane is never uninstalled.
   */
  readonly deletionPolicy?: 'Retain' | 'Delete'
  /** What Container Management indexes; the default set when absent. */
  readonly index?: { readonly resources: readonly IndexedResources[] }
}

/** Where and how karmada-operator installs the control plane. */
export interface InstallSpec {
  /** Namespace of the `Karmada` object on the host cluster; defaults to `karmada-<instance>`. */
  readonly namespace?: string
  /** Credentials of the cluster to install on; absent means the host cluster (`Karmada.spec.hostCluster.secretRef`). */
  readonly hostCluster?: { readonly secretRef: SecretReference }
  /** Merged over the `spec` of the `Karmada` object: components, feature gates, registries, in karmada-operator's own words. */
  readonly karmadaSpec?: Readonly<Record<string, unknown>>
}

/** One entry of PediaCluster `spec.syncResources`. */
export interface IndexedResources {
  readonly group: string
  readonly versions?: readonly string[]
  readonly resources: readonly string[]
}

/** The public names of the instance machine's states (design, section 4), as `status.phase` writes them. */
export type InstancePhase = 'Registering' | 'VirtualClusterSynced' | 'Ready' | 'Degraded' | 'Deleting'

/** A state of the instance machine as everybody reads it: in the CR, in the API and on the command line. */
export const phaseOf = (state: Uncapitalize<InstancePhase>): InstancePhase =>
  `${state.charAt(0).toUpperCase()}${state.slice(1)}` as InstancePhase

/** What was observed, written back by the leader and only when it changed. */
export interface InstanceStatus {
  readonly observedGeneration?: number
  readonly phase?: InstancePhase
  readonly conditions?: readonly Condition[]
  /** The control plane's API server URL. */
  readonly endpoint?: string
  /** uid of the control plane's kube-system namespace: the identity by which duplicates are found. */
  readonly controlPlaneID?: string
  /** gitVersion of the control plane's kube-apiserver. */
  readonly kubernetesVersion?: string
  /** Version of Karmada itself, where it can be known (aggregated API server, operator). */
  readonly karmadaVersion?: string
  readonly summary?: InstanceSummary
}

/** Why an Instance is not accepted whose control plane an older Instance manages: the reason of its condition `Accepted`. */
export type DuplicateReason = 'DuplicateEndpoint' | 'DuplicateControlPlane'

/** Counters of the control plane and its member clusters. Quantities are exact Kubernetes quantity strings. */
export interface InstanceSummary {
  readonly resourceTotalNum: Readonly<Record<string, number>>
  readonly policyTotalNum: Readonly<Record<string, number>>
  readonly clusterSummary: NumStatistic
  readonly nodeSummary: NumStatistic
  readonly resourceSummary: {
    readonly allocatable: Readonly<Record<string, string>>
    readonly allocating?: Readonly<Record<string, string>>
    readonly allocated: Readonly<Record<string, string>>
  }
  readonly workLoadSummary: Readonly<Record<string, NumStatistic>>
}

/** How many there are and how many of them are ready. */
export interface NumStatistic {
  readonly totalNum: number
  readonly readyNum: number
}

/** The hidden cluster's name in Container Management: `k-<instance>`, as Clusterpedia's shadow annotation will show it. */
export const virtualClusterName = (instance: string): string => `k-${instance}`

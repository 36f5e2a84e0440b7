import type { Condition, KubeObject } from '../../manifests/kube.js'
import * as declared from '../../manifests/pedia-cluster.js'

/** `pediaclusters.cluster.clusterpedia.io/v1alpha2`: one cluster to index. */
export const PEDIA_CLUSTERS = {
  group: 'cluster.clusterpedia.io',
  version: 'v1alpha2',
  resource: 'pediaclusters',
} as const
/** `clustersyncresources.cluster.clusterpedia.io/v1alpha2`: a list of types that several clusters share. */
export const CLUSTER_SYNC_RESOURCES = { ...PEDIA_CLUSTERS, resource: 'clustersyncresources' } as const
/** Keeps a PediaCluster until what was indexed of it is gone. */
export const PEDIA_CLUSTER_FINALIZER = 'clusterpedia.io/cluster-synchro-controller'
/**
 * What this engine's index can do beyond Clusterpedia's, written on every PediaCluster it serves: `lossless` (managedFields
 * and last-applied are kept), `list-resource-version` and `watch` (on single-cluster paths).
 */
export const CAPABILITIES = declared.CAPABILITIES.join(',')

/** cluster.clusterpedia.io/v1alpha2 PediaCluster. */
export interface PediaCluster extends KubeObject {
  readonly spec: PediaClusterSpec
  readonly status?: PediaClusterStatus
}

export interface PediaClusterSpec {
  /** Base64. When set it is the source of endpoint and credentials. */
  readonly kubeconfig?: string
  readonly apiserver?: string
  readonly tokenData?: string
  readonly caData?: string
  readonly certData?: string
  readonly keyData?: string
  readonly authenticationFrom?: unknown
  readonly syncResources: readonly GroupResources[]
  readonly syncAllCustomResources?: boolean
  readonly syncResourcesRefName?: string
  readonly shardingName?: string
}

/** Types to index of one group; '*' stands for all of them. */
export interface GroupResources {
  readonly group: string
  readonly versions?: readonly string[]
  readonly resources: readonly string[]
}

/** cluster.clusterpedia.io/v1alpha2 ClusterSyncResources. */
export interface ClusterSyncResources extends KubeObject {
  readonly spec?: { readonly syncResources: readonly GroupResources[] }
}

export interface PediaClusterStatus {
  readonly apiserver?: string
  readonly version?: string
  readonly shardingName?: string
  readonly conditions?: readonly Condition[]
  readonly syncResources?: readonly GroupResourcesStatus[]
}

export interface GroupResourcesStatus {
  readonly group: string
  readonly resources: readonly ResourceStatus[]
}

export interface ResourceStatus {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
  readonly syncConditions: readonly SyncCondition[]
}

/** How the collection of one type in one version goes. Only Syncing without initialListPhase can be read from. */
export interface SyncCondition {
  readonly version: string
  readonly storageVersion?: string
  readonly status: 'Pending' | 'Syncing' | 'Stop' | 'Unknown' | 'Error'
  readonly reason?: string
  readonly message?: string
  readonly initialListPhase?: boolean
  readonly lastTransitionTime: string
}

import type { Condition, KubeObject } from '../../manifests/kube.js'
import type { BindingSpec, BindingStatus, TargetCluster } from './binding.js'
import type { Status } from './member-status.js'
import type { Placement } from './placement.js'
import type { Failover, PurgeMode } from './propagation-policy.js'
import type { Health } from './work.js'

const work = (resource: string) => ({ group: 'work.karmada.io', version: 'v1alpha2', resource }) as const

/** What differs between the bindings of namespaced templates and those of others. */
export const BINDINGS = {
  namespaced: {
    type: work('resourcebindings'),
    kind: 'ResourceBinding',
    finalizer: 'karmada.io/binding-controller',
    id: 'resourcebinding.karmada.io/permanent-id',
    name: 'resourcebinding.karmada.io/name',
    namespace: 'resourcebinding.karmada.io/namespace',
  },
  clusterWide: {
    type: work('clusterresourcebindings'),
    kind: 'ClusterResourceBinding',
    finalizer: 'karmada.io/cluster-resource-binding-controller',
    id: 'clusterresourcebinding.karmada.io/permanent-id',
    name: 'clusterresourcebinding.karmada.io/name',
  },
} as const

/** The row of `BINDINGS` for a template or binding. */
export const bindingScopeOf = ({ metadata }: KubeObject) =>
  metadata.namespace ? BINDINGS.namespaced : BINDINGS.clusterWide

/** The placement that the last scheduling was made for, as JSON. */
export const APPLIED_PLACEMENT = 'policy.karmada.io/applied-placement'

/** work.karmada.io/v1alpha2 ResourceBinding or ClusterResourceBinding. */
export interface Binding extends KubeObject {
  readonly spec: FullBindingSpec
  readonly status?: FullBindingStatus
}

/** A binding that a policy placed. */
export interface PlacedBinding extends Binding {
  readonly spec: FullBindingSpec & { readonly placement: Placement }
}

/** Whether a policy placed a binding; else it goes where others go that need its template. */
export const isPlaced = (binding: Binding): binding is PlacedBinding => binding.spec.placement !== undefined

export interface FullBindingSpec extends Omit<BindingSpec, 'placement'> {
  /** Absent where no policy selected the template: it goes where others go that need it. */
  readonly placement?: Placement
  readonly schedulerName?: string
  readonly schedulePriority?: { readonly priority: number }
  readonly propagateDeps?: boolean
  readonly failover?: Failover
  readonly conflictResolution?: 'Abort' | 'Overwrite'
  readonly preserveResourcesOnDeletion?: boolean
  readonly suspension?: Suspension
  /** The bindings whose workloads need this template. */
  readonly requiredBy?: readonly BindingSnapshot[]
  readonly gracefulEvictionTasks?: readonly EvictionTask[]
}

/** How a template leaves a cluster. */
export interface EvictionTask {
  readonly fromCluster: string
  /** `Directly` deletes at once, `Gracefully` when the replacement is healthy or the time is up. */
  readonly purgeMode?: PurgeMode
  readonly replicas?: number
  readonly reason: string
  readonly message?: string
  readonly producer: string
  readonly gracePeriodSeconds?: number
  /** True keeps the object there until it is set to false. */
  readonly suppressDeletion?: boolean
  /** Labels for the application in its next cluster. */
  readonly preservedLabelState?: Readonly<Record<string, string>>
  /** Where the application was; it gets no such labels there. */
  readonly clustersBeforeFailover?: readonly string[]
  readonly creationTimestamp?: string
}

/** A binding that needs another one's template, and where its own goes. */
export interface BindingSnapshot {
  readonly namespace?: string
  readonly name: string
  readonly clusters?: readonly TargetCluster[]
}

/** What is held back for the time being. */
export interface Suspension {
  readonly dispatching?: boolean
  readonly dispatchingOnClusters?: { readonly clusterNames?: readonly string[] }
  readonly scheduling?: boolean
}

export interface FullBindingStatus extends BindingStatus {
  readonly conditions?: readonly Condition[]
  readonly schedulerObservedGeneration?: number
  readonly aggregatedStatus?: readonly AggregatedStatusItem[]
}

/** What one cluster reports of the template. */
export interface AggregatedStatusItem {
  readonly clusterName: string
  readonly status?: Status
  readonly applied?: boolean
  readonly appliedMessage?: string
  readonly health?: Health
}

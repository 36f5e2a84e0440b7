import type { Placement } from './placement.js'

/** A cluster and how many replicas of the template it runs; none for what has no replicas. */
export interface TargetCluster {
  readonly name: string
  readonly replicas?: number
}

/** work.karmada.io/v1alpha2 ResourceBindingSpec, as far as scheduling reads it. */
export interface BindingSpec {
  readonly resource: ObjectReference
  readonly replicas?: number
  readonly replicaRequirements?: ReplicaRequirements
  /** The pod templates of a workload that consists of several. */
  readonly components?: readonly Component[]
  readonly clusters?: readonly TargetCluster[]
  readonly placement: Placement
  /** The groups of workloads that the template belongs to by its labels. */
  readonly workloadAffinityGroups?: AffinityGroups
  readonly gracefulEvictionTasks?: readonly { readonly fromCluster: string }[]
  /** RFC 3339. Later than the last scheduling: the previous result is not looked at. */
  readonly rescheduleTriggeredAt?: string
}

/** Groups of workloads, as `<label key>=<label value>`. */
export interface AffinityGroups {
  /** Goes where the others of this group are. */
  readonly affinityGroup?: string
  /** Avoids the clusters where others of this group are. */
  readonly antiAffinityGroup?: string
}

export interface ObjectReference {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly uid?: string
  readonly resourceVersion?: string
}

/** One of several pod templates of a workload. */
export interface Component {
  readonly name: string
  readonly replicas: number
  readonly replicaRequirements?: ReplicaRequirements
}

/** What one replica asks for. */
export interface ReplicaRequirements {
  readonly resourceRequest?: Readonly<Record<string, string | number>>
  readonly nodeClaim?: Readonly<Record<string, unknown>>
  readonly namespace?: string
  readonly priorityClassName?: string
}

/** work.karmada.io/v1alpha2 ResourceBindingStatus, as far as scheduling reads it. */
export interface BindingStatus {
  /** The affinity group that the last scheduling chose. */
  readonly schedulerObservingAffinityName?: string
  readonly lastScheduledTime?: string
}

/** Whether a template has replicas that can be divided (`ResourceBindingSpec.IsWorkload`). */
export const isWorkload = ({
  replicas = 0,
  replicaRequirements,
  components = [],
}: Pick<BindingSpec, 'replicas' | 'replicaRequirements' | 'components'>): boolean =>
  replicas > 0 || replicaRequirements !== undefined || components.length > 0

/** Whether the template already runs in this cluster. */
export const targets = ({ clusters = [] }: BindingSpec, cluster: string): boolean =>
  clusters.some(({ name }) => name === cluster)

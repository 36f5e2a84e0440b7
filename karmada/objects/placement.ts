import type { LabelSelectorObject } from '../../manifests/label-selector.js'

/** policy.karmada.io/v1alpha1 Placement: where a template goes and how its replicas are divided. */
export interface Placement {
  readonly clusterAffinity?: ClusterAffinity
  /** Ordered groups: the first one that can take the template wins. Excludes `clusterAffinity`. */
  readonly clusterAffinities?: readonly ClusterAffinityTerm[]
  readonly clusterTolerations?: readonly Toleration[]
  readonly spreadConstraints?: readonly SpreadConstraint[]
  readonly replicaScheduling?: ReplicaScheduling
  readonly workloadAffinity?: WorkloadAffinity
}

/** Workloads of one namespace with the same value of a label are a group. Both parts must hold. */
export interface WorkloadAffinity {
  /** Where the others of the group are; the first of a group may go anywhere. */
  readonly affinity?: { readonly groupByLabelKey: string }
  /** Where none other of the group is. */
  readonly antiAffinity?: { readonly groupByLabelKey: string }
}

/** Which clusters may be chosen. All parts must hold; an absent part holds for every cluster. */
export interface ClusterAffinity {
  readonly labelSelector?: LabelSelectorObject
  readonly fieldSelector?: { readonly matchExpressions?: readonly FieldRequirement[] }
  readonly clusterNames?: readonly string[]
  readonly exclude?: readonly string[]
}

/** One requirement on the fields `provider`, `region` or `zone` of a cluster. */
export interface FieldRequirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

export interface ClusterAffinityTerm extends ClusterAffinity {
  readonly affinityName: string
  /** Tried in order when the term's own clusters cannot hold all replicas. */
  readonly overflowAffinities?: readonly ClusterAffinity[]
}

/** core/v1 Toleration. */
export interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number
}

export interface SpreadConstraint {
  readonly spreadByField?: 'cluster' | 'region' | 'zone' | 'provider'
  readonly spreadByLabel?: string
  readonly minGroups?: number
  readonly maxGroups?: number
}

export interface ReplicaScheduling {
  readonly replicaSchedulingType?: 'Duplicated' | 'Divided'
  readonly replicaDivisionPreference?: 'Aggregated' | 'Weighted'
  readonly weightPreference?: {
    readonly staticWeightList?: readonly {
      readonly targetCluster: ClusterAffinity
      readonly weight: number
    }[]
    readonly dynamicWeight?: 'AvailableReplicas'
  }
}

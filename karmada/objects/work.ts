import type { Condition, KubeObject } from '../../manifests/kube.js'
import type { Resource } from '../interpreter/workload.js'
import type { Status } from './member-status.js'

/** `works.work.karmada.io/v1alpha1`: what one cluster is to run. */
export const WORKS = { group: 'work.karmada.io', version: 'v1alpha1', resource: 'works' } as const
/** Keeps a Work until its object is gone from the member. */
export const WORK_FINALIZER = 'karmada.io/execution-controller'

/** Labels and annotations that Karmada writes on Works and on what it makes in members. */
export const MARKS = {
  managed: { key: 'karmada.io/managed', value: 'true' },
  workId: 'work.karmada.io/permanent-id',
  workName: 'work.karmada.io/name',
  workNamespace: 'work.karmada.io/namespace',
  conflictResolution: 'work.karmada.io/conflict-resolution',
  templateUid: 'resourcetemplate.karmada.io/uid',
  templateGeneration: 'resourcetemplate.karmada.io/generation',
  managedAnnotations: 'resourcetemplate.karmada.io/managed-annotations',
  managedLabels: 'resourcetemplate.karmada.io/managed-labels',
  appliedOverrides: 'policy.karmada.io/applied-overrides',
  appliedClusterOverrides: 'policy.karmada.io/applied-cluster-overrides',
} as const

/** work.karmada.io/v1alpha1 Work. */
export interface Work extends KubeObject {
  readonly spec: WorkSpec
  readonly status?: WorkStatus
}

export interface WorkSpec {
  readonly workload: { readonly manifests: readonly Resource[] }
  readonly suspendDispatching?: boolean
  readonly preserveResourcesOnDeletion?: boolean
}

export interface WorkStatus {
  readonly conditions?: readonly Condition[]
  readonly manifestStatuses?: readonly ManifestStatus[]
}

export type Health = 'Healthy' | 'Unhealthy' | 'Unknown'

/** What the member reports of one manifest. */
export interface ManifestStatus {
  readonly identifier: {
    readonly ordinal: number
    readonly group?: string
    readonly version: string
    readonly kind: string
    /** Karmada leaves it empty. */
    readonly resource: string
    readonly namespace?: string
    readonly name: string
  }
  readonly status?: Status
  readonly health?: Health
}

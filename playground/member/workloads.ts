import type { KubeObject } from '../../manifests/kube.js'
import type { PodTemplate } from '../objects/core.js'

/** The parts of workloads that the member's controllers read and write. Defaults of the API server are filled in already. */

/** A number, or a share of the wanted replicas such as `25%`. */
export type IntOrPercent = number | string

/** apps/v1 Deployment condition and its two times. */
export interface WorkloadCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime: string
  readonly lastUpdateTime?: string
  readonly lastProbeTime?: string
}

export interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas?: number
    readonly paused?: boolean
    readonly minReadySeconds?: number
    readonly revisionHistoryLimit?: number
    readonly progressDeadlineSeconds?: number
    readonly strategy?: {
      readonly type?: string
      readonly rollingUpdate?: { readonly maxSurge?: IntOrPercent; readonly maxUnavailable?: IntOrPercent }
    }
    readonly selector: object
    readonly template: PodTemplate
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly replicas?: number
    readonly updatedReplicas?: number
    readonly readyReplicas?: number
    readonly availableReplicas?: number
    readonly unavailableReplicas?: number
    readonly terminatingReplicas?: number
    readonly collisionCount?: number
    readonly conditions?: readonly WorkloadCondition[]
  }
}

export interface ReplicaSet extends KubeObject {
  readonly spec: {
    readonly replicas?: number
    readonly minReadySeconds?: number
    readonly selector: object
    readonly template: PodTemplate
  }
  readonly status?: {
    readonly replicas?: number
    readonly fullyLabeledReplicas?: number
    readonly readyReplicas?: number
    readonly availableReplicas?: number
    readonly terminatingReplicas?: number
    readonly observedGeneration?: number
    readonly conditions?: readonly WorkloadCondition[]
  }
}

export interface StatefulSet extends KubeObject {
  readonly spec: {
    readonly replicas?: number
    readonly serviceName?: string
    readonly minReadySeconds?: number
    readonly podManagementPolicy?: string
    readonly revisionHistoryLimit?: number
    readonly ordinals?: { readonly start?: number }
    readonly updateStrategy?: {
      readonly type?: string
      readonly rollingUpdate?: { readonly partition?: number }
    }
    readonly persistentVolumeClaimRetentionPolicy?: {
      readonly whenDeleted?: string
      readonly whenScaled?: string
    }
    readonly selector: object
    readonly template: PodTemplate
    readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[]
  }
  readonly status?: {
    readonly currentRevision?: string
    readonly updateRevision?: string
    readonly collisionCount?: number
    readonly currentReplicas?: number
    readonly updatedReplicas?: number
  }
}

export interface DaemonSet extends KubeObject {
  readonly spec: {
    readonly minReadySeconds?: number
    readonly revisionHistoryLimit?: number
    readonly updateStrategy?: {
      readonly type?: string
      readonly rollingUpdate?: { readonly maxUnavailable?: IntOrPercent }
    }
    readonly selector: object
    readonly template: PodTemplate
  }
  readonly status?: object
}

/** apps/v1 ControllerRevision: one state of a template. */
export interface ControllerRevision extends KubeObject {
  readonly revision: number
  readonly data?: object
}

export interface Job extends KubeObject {
  readonly spec: {
    readonly parallelism?: number
    readonly completions?: number
    readonly completionMode?: string
    readonly backoffLimit?: number
    readonly activeDeadlineSeconds?: number
    readonly ttlSecondsAfterFinished?: number
    readonly suspend?: boolean
    readonly selector?: object
    readonly template: PodTemplate
  }
  readonly status?: JobStatus
}

export interface JobStatus {
  readonly active?: number
  readonly ready?: number
  readonly terminating?: number
  readonly succeeded?: number
  readonly failed?: number
  readonly startTime?: string
  readonly completionTime?: string
  readonly completedIndexes?: string
  readonly uncountedTerminatedPods?: {
    readonly succeeded?: readonly string[]
    readonly failed?: readonly string[]
  }
  readonly conditions?: readonly WorkloadCondition[]
}

export interface CronJob extends KubeObject {
  readonly spec: {
    readonly schedule: string
    readonly timeZone?: string
    readonly suspend?: boolean
    readonly startingDeadlineSeconds?: number
    readonly concurrencyPolicy?: string
    readonly successfulJobsHistoryLimit?: number
    readonly failedJobsHistoryLimit?: number
    readonly jobTemplate: { readonly metadata?: Partial<Job['metadata']>; readonly spec: Job['spec'] }
  }
  readonly status?: {
    readonly active?: readonly object[]
    readonly lastScheduleTime?: string
    readonly lastSuccessfulTime?: string
  }
}

export interface PersistentVolumeClaim extends KubeObject {
  readonly spec: {
    readonly accessModes?: readonly string[]
    readonly storageClassName?: string
    readonly volumeName?: string
    readonly volumeMode?: string
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> }
  }
  readonly status?: { readonly phase?: string }
}

export interface ServicePort {
  readonly name?: string
  readonly port: number
  readonly protocol?: string
  readonly appProtocol?: string
  readonly targetPort?: number | string
}

export interface Service extends KubeObject {
  readonly spec: {
    readonly type?: string
    readonly clusterIP?: string
    readonly selector?: Readonly<Record<string, string>>
    readonly ports?: readonly ServicePort[]
    readonly publishNotReadyAddresses?: boolean
  }
}

/** True when the object is controlled by the one with this uid. */
export const isControlledBy = ({ metadata }: KubeObject, uid: string | undefined): boolean =>
  metadata.ownerReferences?.some(owner => owner.controller && owner.uid === uid) ?? false

/** The reference that makes `owner` the controller of what carries it. */
export const controllerReference = ({ apiVersion, kind, metadata }: KubeObject) => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
})

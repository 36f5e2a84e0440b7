import type { Condition, KubeObject } from '../../manifests/kube.js'
import type { ScaleTarget } from './cron-scaling.js'

/** autoscaling.karmada.io/v1alpha1 FederatedHPA: scales a workload by metrics of all members together. */
export interface FederatedHpa extends KubeObject {
  readonly spec: {
    readonly scaleTargetRef: ScaleTarget
    /** 1 unless set. */
    readonly minReplicas?: number
    readonly maxReplicas: number
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly currentReplicas?: number
    readonly desiredReplicas?: number
    readonly lastScaleTime?: string
    readonly conditions?: readonly Condition[]
  }
}

/** Why a FederatedHPA changes replicas without a look at metrics; the words are Karmada's. */
export interface Limited {
  readonly replicas: number
  readonly reason: string
}

/**
 * What the limits of a FederatedHPA make of a workload's replicas, before metrics count (Karmada's FederatedHPA controller).
 * @returns undefined where they are within the limits, and where a workload of no replicas is left alone
 */
export function limited({ spec }: FederatedHpa, replicas: number): Limited | undefined {
  const { minReplicas = 1, maxReplicas } = spec
  if (replicas === 0 && minReplicas !== 0) return undefined
  if (replicas > maxReplicas)
    return { replicas: maxReplicas, reason: 'Current number of replicas above Spec.MaxReplicas' }
  if (replicas < minReplicas)
    return { replicas: minReplicas, reason: 'Current number of replicas below Spec.MinReplicas' }
  return undefined
}

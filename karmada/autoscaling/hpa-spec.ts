import type { ScaleTarget } from './cron-scaling.js'

/** What a metric is to be (autoscaling/v2 MetricTarget); quantities as they are written. */
export interface MetricTarget {
  readonly type: string
  /** Percent of what the pods request. */
  readonly averageUtilization?: number
  readonly averageValue?: string
  readonly value?: string
}

interface NamedMetric {
  readonly metric: { readonly name: string }
  readonly target: MetricTarget
}

/** autoscaling/v2 MetricSpec. */
export interface MetricSpec {
  readonly type: string
  readonly resource?: { readonly name: string; readonly target: MetricTarget }
  readonly containerResource?: {
    readonly name: string
    readonly container: string
    readonly target: MetricTarget
  }
  readonly pods?: NamedMetric
  readonly object?: NamedMetric & { readonly describedObject: ScaleTarget }
  readonly external?: NamedMetric
}

/** autoscaling/v2 HPAScalingPolicy. */
export interface ScalingPolicy {
  readonly type: string
  readonly value: number
  readonly periodSeconds: number
}

/** autoscaling/v2 HPAScalingRules. */
export interface ScalingRules {
  readonly stabilizationWindowSeconds?: number
  readonly selectPolicy?: string
  readonly policies?: readonly ScalingPolicy[]
}

/** Scaling rules in which nothing is missing. */
export type WholeRules = Required<ScalingRules>

/** The spec of a FederatedHPA, and of a HorizontalPodAutoscaler. */
export interface HpaSpec {
  readonly scaleTargetRef: ScaleTarget
  /** 1 unless set. */
  readonly minReplicas?: number
  readonly maxReplicas: number
  readonly metrics?: readonly MetricSpec[]
  readonly behavior?: { readonly scaleUp?: ScalingRules; readonly scaleDown?: ScalingRules }
}

const DEFAULT_METRICS: readonly MetricSpec[] = [
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
]

/** Kubernetes' rules for who names none. */
const SCALE_UP: WholeRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
}
/** The stabilization window for scaling down is the controller's flag, and stays open. */
const SCALE_DOWN: ScalingRules = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
}

/** The spec with what Kubernetes, and Karmada's webhook, fill in: a minimum, a metric, and whole rules where there are any. */
export const withHpaDefaults = <T extends HpaSpec>(spec: T): T => ({
  ...spec,
  minReplicas: spec.minReplicas ?? 1,
  metrics: spec.metrics?.length ? spec.metrics : DEFAULT_METRICS,
  ...(spec.behavior && {
    behavior: {
      scaleUp: { ...SCALE_UP, ...spec.behavior.scaleUp },
      scaleDown: { ...SCALE_DOWN, ...spec.behavior.scaleDown },
    },
  }),
})

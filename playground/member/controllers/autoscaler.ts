import { decideScale, type HpaCondition, type HpaDecision } from '../../../karmada/autoscaling/hpa.js'
import { afterScaling, type HpaMemory, NO_MEMORY } from '../../../karmada/autoscaling/hpa-behavior.js'
import type { HpaSpec } from '../../../karmada/autoscaling/hpa-spec.js'
import type { PodMetrics } from '../../../karmada/autoscaling/pod-metrics.js'
import { sameJson } from '../../../karmada/same-json.js'
import type { Condition, GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import { objectKey } from '../../../streams/object-store.js'
import type { Json } from '../../apimachinery/json.js'
import { selectorFromObject } from '../../apimachinery/label-selector.js'
import { setConditions } from '../../objects/conditions.js'
import type { Pod } from '../../objects/core.js'
import { DEPLOYMENTS, PODS, REPLICA_SETS, STATEFUL_SETS } from '../../objects/core-types.js'
import { timestamp } from '../../objects/timestamp.js'
import { podMetricsOf } from '../metrics/metrics-server.js'
import type { Plan, World } from './plan.js'
import { note, warning } from './pods.js'

/** autoscaling/v2 HorizontalPodAutoscaler. */
export interface Autoscaler extends KubeObject {
  readonly spec: HpaSpec
  readonly status?: {
    readonly conditions?: readonly Condition[] | null
    readonly currentReplicas?: number
    readonly desiredReplicas?: number
    readonly currentMetrics?: readonly object[] | null
    readonly lastScaleTime?: string
  }
}

/** A workload that an autoscaler scales. */
interface Scalable extends KubeObject {
  readonly spec: { readonly replicas?: number; readonly selector: object }
}

/** How often kube-controller-manager looks at each autoscaler (`--horizontal-pod-autoscaler-sync-period`), milliseconds. */
const SYNC_MS = 15_000

const TARGETS: Readonly<Record<string, GroupVersionResource>> = {
  Deployment: DEPLOYMENTS,
  ReplicaSet: REPLICA_SETS,
  StatefulSet: STATEFUL_SETS,
}

interface Known {
  readonly spec: HpaSpec
  readonly seen: number
  readonly memory: HpaMemory
}

/** The HorizontalPodAutoscaler controller of a member, with what it remembers of each autoscaler. It scales the kinds of apps/v1. */
export class Autoscalers {
  /** By `namespace/name`. */
  readonly #known = new Map<string, Known>()

  /** Looks at an autoscaler every fifteen seconds, and when its spec has changed. */
  readonly plan = (autoscaler: Autoscaler, world: World): Plan => {
    const key = objectKey(autoscaler)
    const { spec, metadata } = autoscaler
    const known = this.#known.get(key)
    const left = known && sameJson(known.spec, spec) ? known.seen + SYNC_MS - world.now : 0
    if (left > 0) return { again: left }
    const seen = { spec, seen: world.now }
    const memory = known?.memory ?? NO_MEMORY
    const { kind, name } = spec.scaleTargetRef
    const type = Object.hasOwn(TARGETS, kind) ? TARGETS[kind] : undefined
    const target = type && world.get<Scalable>(type, `${metadata.namespace}/${name}`)
    if (!target || !type) {
      this.#known.set(key, { ...seen, memory })
      return { ...unscalable(autoscaler, world.now), again: SYNC_MS }
    }
    const replicas = target.spec.replicas ?? 1
    const decision = decideScale(spec, { ...view(target, world), replicas, memory })
    const hasScaled = decision.replicas !== replicas
    const after = hasScaled
      ? afterScaling(decision.memory, replicas, decision.replicas, world.now)
      : decision.memory
    this.#known.set(key, { ...seen, memory: after })
    const scaled = { ...target, spec: { ...target.spec, replicas: decision.replicas } }
    return {
      ...(hasScaled && { changes: [{ update: type, object: scaled }] }),
      status: statusOf(autoscaler, decision, replicas, world.now),
      notes: [...decision.notes, ...(hasScaled ? [rescaled(decision)] : [])],
      again: SYNC_MS,
    }
  }

  /** Forgets an autoscaler that is gone. */
  readonly gone = (key: string): Plan => {
    this.#known.delete(key)
    return {}
  }
}

function view(target: Scalable, world: World) {
  const { namespace } = target.metadata
  const selector = selectorFromObject(target.spec.selector as Json)
  const isMine = ({ metadata }: KubeObject) =>
    metadata.namespace === namespace && selector.matches(metadata.labels ?? {})
  return {
    pods: world.all<Pod>(PODS).filter(isMine),
    metrics: podMetricsOf(world, isMine) as unknown as readonly PodMetrics[],
    calibration: 1,
    scaled: target.spec.replicas ?? 1,
    now: world.now,
  }
}

const rescaled = ({ replicas, reason }: HpaDecision) =>
  note('SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`)

function statusOf(
  { status = {} }: Autoscaler,
  { conditions, currentMetrics, hasFailed, replicas: desired }: HpaDecision,
  current: number,
  now: number,
): object {
  const hasScaled = desired !== current
  const scaledTo: HpaCondition = {
    type: 'AbleToScale',
    status: 'True',
    reason: 'SucceededRescale',
    message: `the HPA controller was able to update the target scale to ${desired}`,
  }
  const observed = hasScaled
    ? [...conditions.filter(({ type }) => type !== 'AbleToScale'), scaledTo]
    : conditions
  return {
    ...status,
    conditions: setConditions(status.conditions ?? [], observed, timestamp(now)),
    currentReplicas: current,
    desiredReplicas: hasFailed ? (status.desiredReplicas ?? 0) : desired,
    currentMetrics: hasFailed ? (status.currentMetrics ?? null) : (currentMetrics ?? null),
    ...(hasScaled && { lastScaleTime: timestamp(now) }),
  }
}

function unscalable({ spec, status = {} }: Autoscaler, now: number): Plan {
  const { apiVersion = '', kind, name } = spec.scaleTargetRef
  const [group = ''] = apiVersion.split('/')
  const isKnown = Object.hasOwn(TARGETS, kind)
  const cause = isKnown
    ? `${TARGETS[kind]?.resource}.${group} "${name}" not found`
    : `no matches for kind "${kind}" in group "${group}"`
  const message = `the HPA controller was unable to get the target's current scale: ${cause}`
  const observed = [{ type: 'AbleToScale', status: 'False', reason: 'FailedGetScale', message }] as const
  return {
    status: { ...status, conditions: setConditions(status.conditions ?? [], observed, timestamp(now)) },
    notes: [warning('FailedGetScale', cause)],
  }
}

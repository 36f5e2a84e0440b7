import type { KubeObject } from '../../manifests/kube.js'
import { RETAIN_REPLICAS } from '../interpreter/retain.js'
import { CLAIMS } from '../matching/policies.js'
import { sameJson } from '../same-json.js'
import type { ScaleTarget } from './cron-scaling.js'
import type { HpaSpec } from './hpa-spec.js'

/** autoscaling/v2 HorizontalPodAutoscaler, as a template. */
export interface Autoscaler extends KubeObject {
  readonly spec: HpaSpec
}

/** Whether a workload's replicas become the members' own affair. */
export interface Mark {
  readonly target: ScaleTarget
  readonly isOn: boolean
}

/**
 * Which workloads are marked or unmarked when an autoscaler has changed (Karmada's hpaScaleTargetMarker): an autoscaler that is
 * propagated scales in the members, and Karmada must not write its replicas over theirs.
 * @param before absent for a new one
 * @param after absent for one that is gone
 */
export function marks(before: Autoscaler | undefined, after: Autoscaler | undefined): readonly Mark[] {
  const [old, target] = [before?.spec.scaleTargetRef, after?.spec.scaleTargetRef]
  const isLeft = old !== undefined && !(target && sameJson(old, target))
  return [
    ...(isLeft ? [{ target: old, isOn: false }] : []),
    ...(target && after && isClaimed(after) ? [{ target, isOn: true }] : []),
  ]
}

const isClaimed = ({ metadata: { labels = {} } }: KubeObject): boolean =>
  labels[CLAIMS.policy.id] !== undefined || labels[CLAIMS.clusterPolicy.id] !== undefined

/** The merge patch that marks a workload or unmarks it; undefined where it is as it is to be. */
export function markPatch({ metadata }: KubeObject, isOn: boolean): object | undefined {
  const { label, value } = RETAIN_REPLICAS
  const now = metadata.labels?.[label]
  if (isOn ? now === value : now === undefined) return undefined
  return { metadata: { labels: { [label]: isOn ? value : null } } }
}

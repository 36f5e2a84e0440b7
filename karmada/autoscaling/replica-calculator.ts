import type { KubeObject } from '../../manifests/kube.js'
import { MetricError, milli, type Sample } from './pod-metrics.js'

/** A pod, as far as autoscaling looks at it. */
export interface ScaledPod extends KubeObject {
  readonly spec?: {
    readonly containers?: readonly {
      readonly name: string
      readonly resources?: { readonly requests?: Readonly<Record<string, string>> }
    }[]
  }
  readonly status?: {
    readonly phase?: string
    readonly startTime?: string
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly lastTransitionTime?: string
    }[]
  }
}

/** The flags of the controllers, with their defaults: milliseconds, and a share. */
const [CPU_INITIALIZATION, INITIAL_READINESS, TOLERANCE] = [300_000, 30_000, 0.1]

/** What is known of the pods of a workload, and how many there are to be. */
export interface Calculation {
  readonly pods: readonly ScaledPod[]
  /** What they used of the resource, by name. */
  readonly samples: ReadonlyMap<string, Sample>
  readonly resource: string
  /** What the template asks for. */
  readonly replicas: number
  /** How many replicas there are in members for each one of the template: above 1 where they are duplicated. */
  readonly calibration: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** How many replicas a metric asks for, and what it was: thousandths, and percent where it is compared with requests. */
export interface Proposal {
  readonly replicas: number
  readonly average: number
  readonly utilization?: number
}

/** How far the usage of some pods is from what is wanted. */
type Measure = (samples: ReadonlyMap<string, Pick<Sample, 'value'>>) => {
  readonly ratio: number
  readonly average: number
  readonly utilization?: number
}

/**
 * Replicas for which the pods would use so many percent of what they request.
 * @throws MetricError
 */
export function replicasForUtilization(
  calculation: Calculation,
  target: number,
  container?: string,
): Proposal {
  const { pods, resource } = calculation
  const requests = new Map(pods.map(pod => [pod.metadata.name, requestOf(pod, resource, container)]))
  const measure: Measure = samples => {
    const known = [...samples].filter(([name]) => requests.has(name))
    const used = known.reduce((sum, [, { value }]) => sum + value, 0)
    const requested = known.reduce((sum, [name]) => sum + (requests.get(name) ?? 0), 0)
    if (requested === 0) throw new MetricError('no metrics returned matched known pods')
    const utilization = Math.trunc((used * 100) / requested)
    return { ratio: utilization / target, average: Math.trunc(used / known.length), utilization }
  }
  // On the way down a pod without a metric counts as if it used all that it requests.
  const missing = (name: string) => Math.trunc(((requests.get(name) ?? 0) * Math.max(100, target)) / 100)
  return propose(calculation, measure, missing)
}

/**
 * Replicas for which a pod would use so much on average.
 * @param target thousandths
 * @throws MetricError
 */
export function replicasForAverage(calculation: Calculation, target: number): Proposal {
  const measure: Measure = samples => {
    const used = [...samples.values()].reduce((sum, { value }) => sum + value, 0)
    const average = Math.trunc(used / samples.size)
    return { ratio: average / target, average }
  }
  return propose(calculation, measure, () => target)
}

function propose(calculation: Calculation, measure: Measure, missingUse: (name: string) => number): Proposal {
  const { pods, replicas, calibration } = calculation
  if (pods.length === 0) throw new MetricError('no pods returned by selector while calculating replica count')
  const { ready, unready, missing, ignored } = grouped(calculation)
  const counted = new Map<string, Pick<Sample, 'value'>>(calculation.samples)
  for (const name of [...unready, ...ignored]) counted.delete(name)
  if (counted.size === 0) throw new MetricError('did not receive metrics for any ready pods')
  const { ratio, ...seen } = measure(counted)
  const stays = { replicas, ...seen }
  const includesUnready = unready.size > 0 && ratio > 1
  if (!includesUnready && missing.size === 0) {
    if (isNear(ratio)) return stays
    return { ...seen, replicas: Math.ceil((ratio * ready) / calibration) }
  }
  if (ratio !== 1) for (const name of missing) counted.set(name, { value: ratio < 1 ? missingUse(name) : 0 })
  if (includesUnready) for (const name of unready) counted.set(name, { value: 0 })
  const { ratio: again } = measure(counted)
  if (isNear(again) || (ratio < 1 && again > 1) || (ratio > 1 && again < 1)) return stays
  const proposed = Math.ceil((again * counted.size) / calibration)
  if ((again < 1 && proposed > replicas) || (again > 1 && proposed < replicas)) return stays
  return { ...seen, replicas: proposed }
}

const isNear = (ratio: number): boolean => Math.abs(1 - ratio) <= TOLERANCE

/** Which pods' metrics count: those of pods that start are not to be trusted yet. */
function grouped({ pods, samples, resource, now }: Calculation) {
  const [unready, missing, ignored] = [new Set<string>(), new Set<string>(), new Set<string>()]
  let ready = 0
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata
    const sample = samples.get(name)
    if (deletionTimestamp !== undefined || pod.status?.phase === 'Failed') ignored.add(name)
    else if (pod.status?.phase === 'Pending') unready.add(name)
    else if (!sample) missing.add(name)
    else if (resource === 'cpu' && isStarting(pod, sample, now)) unready.add(name)
    else ready++
  }
  return { ready, unready, missing, ignored }
}

/** True of a pod whose CPU says more about its start than about its work. */
function isStarting({ status }: ScaledPod, sample: Sample, now: number): boolean {
  const condition = status?.conditions?.find(({ type }) => type === 'Ready')
  if (!condition || status?.startTime === undefined) return true
  const since = Date.parse(condition.lastTransitionTime ?? '')
  const start = Date.parse(status.startTime)
  const isUnready = condition.status === 'False'
  if (start + CPU_INITIALIZATION > now) return isUnready || sample.time < since + sample.window
  return isUnready && start + INITIAL_READINESS > since
}

function requestOf({ metadata, spec }: ScaledPod, resource: string, container: string | undefined): number {
  let sum = 0
  for (const { name, resources } of spec?.containers ?? []) {
    if (container !== undefined && container !== name) continue
    const request = resources?.requests?.[resource]
    if (request === undefined)
      throw new MetricError(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`)
    sum += milli(request)
  }
  return sum
}

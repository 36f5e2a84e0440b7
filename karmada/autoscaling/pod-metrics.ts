import type { KubeObject } from '../../manifests/kube.js'
import { parseQuantity } from '../../manifests/quantity.js'
import { milliUnits } from '../scheduling/milli-units.js'

/** metrics.k8s.io/v1beta1 PodMetrics. */
export interface PodMetrics extends KubeObject {
  readonly timestamp: string
  /** A duration as Go writes it. */
  readonly window: string
  readonly containers: readonly {
    readonly name: string
    readonly usage: Readonly<Record<string, string>>
  }[]
}

/** What a pod used of one resource: thousandths, and over which time, milliseconds. */
export interface Sample {
  readonly value: number
  readonly time: number
  readonly window: number
}

/** Why a number of replicas cannot be computed; the message is the controller's. */
export class MetricError extends Error {
  override readonly name = 'MetricError'
}

/**
 * What each pod used of a resource, by name: all its containers together, or one of them. Pods of one name, of two members,
 * are one here, as in Karmada.
 * @throws MetricError where there are no metrics, or a pod does not have the container
 */
export function samplesOf(
  metrics: readonly PodMetrics[],
  resource: string,
  container: string | undefined,
): Map<string, Sample> {
  if (metrics.length === 0) throw new MetricError('no metrics returned from resource metrics API')
  const samples = new Map<string, Sample>()
  for (const { metadata, containers, timestamp, window } of metrics) {
    const counted = containers.filter(({ name }) => container === undefined || name === container)
    if (container !== undefined && counted.length === 0)
      throw new MetricError(
        `failed to get container metrics: container ${container} not present in metrics for pod ${metadata.namespace}/${metadata.name}`,
      )
    const usages = counted.map(({ usage }) => usage[resource])
    if (usages.length === 0 || usages.includes(undefined)) continue
    const value = usages.reduce((sum, usage = '0') => sum + milli(usage), 0)
    samples.set(metadata.name, { value, time: Date.parse(timestamp), window: milliseconds(window) })
  }
  return samples
}

/** A quantity in thousandths, rounded up. @throws QuantityError */
export const milli = (quantity: string): number => Number(milliUnits(parseQuantity(quantity)))

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }

/** `1m0.5s` in milliseconds; finer parts count as nothing. */
const milliseconds = (duration: string): number =>
  [...duration.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)].reduce(
    (sum, [, number, unit = '']) => sum + Number(number) * (UNITS[unit] ?? 0),
    0,
  )

import { formatQuantity } from '../../manifests/quantity.js'
import type { MetricSpec, MetricTarget } from './hpa-spec.js'
import { MetricError, milli, type PodMetrics, samplesOf } from './pod-metrics.js'
import { type Calculation, replicasForAverage, replicasForUtilization } from './replica-calculator.js'

/** What a workload and its pods are doing. */
export interface Workload extends Omit<Calculation, 'samples' | 'resource'> {
  /** Of its pods; a failure to get them is its message. */
  readonly metrics: readonly PodMetrics[] | { readonly failure: string }
}

/** What one metric asks for. */
export interface MetricProposal {
  readonly replicas: number
  /** As the reason of a scaling names it. */
  readonly name: string
  /** autoscaling/v2 MetricStatus. */
  readonly status: object
}

/** Why a metric asks for nothing: the reason of the condition ScalingActive, its cause, and what the caller makes of it. */
export interface MetricFailure {
  readonly reason: string
  readonly cause: string
  readonly message: string
}

/** What a metric of an autoscaler asks for. */
export function proposalOf(spec: MetricSpec, workload: Workload): MetricProposal | MetricFailure {
  const { resource, containerResource, pods, object, external } = spec
  if (spec.type === 'Resource' && resource)
    return attempt('FailedGetResourceMetric', `failed to get ${resource.name} resource metric value`, () => {
      const { name, target } = resource
      const { current, replicas } = compare(workload, name, target)
      const label = `${name} resource${percentage(target)}`
      return { replicas, name: label, status: { type: 'Resource', resource: { name, current } } }
    })
  if (spec.type === 'ContainerResource' && containerResource) {
    const { name, container, target } = containerResource
    const failed = `failed to get ${container} container metric value`
    return attempt('FailedGetContainerResourceMetric', failed, () => {
      const { current, replicas } = compare(workload, name, target, container)
      const label = target.averageValue === undefined ? `${name} container resource` : `${name} resource`
      const status = { type: 'ContainerResource', containerResource: { name, container, current } }
      return { replicas, name: `${label}${percentage(target)}`, status }
    })
  }
  const [reason, kind, metric] = pods
    ? ['FailedGetPodsMetric', 'pods', pods.metric.name]
    : object
      ? ['FailedGetObjectMetric', 'object', object.metric.name]
      : ['FailedGetExternalMetric', 'external', external?.metric.name]
  const api = kind === 'external' ? 'external' : 'custom'
  return attempt(reason, `failed to get ${kind} metric value`, () => {
    throw new MetricError(
      `unable to get metric ${metric}: no ${api} metrics API (${api}.metrics.k8s.io) registered`,
    )
  })
}

const percentage = ({ averageValue }: MetricTarget): string =>
  averageValue === undefined ? ' utilization (percentage of request)' : ''

function attempt(
  reason: string,
  failed: string,
  propose: () => MetricProposal,
): MetricProposal | MetricFailure {
  try {
    return propose()
  } catch (error) {
    if (!(error instanceof MetricError)) throw error
    return { reason, cause: error.message, message: `${failed}: ${error.message}` }
  }
}

function compare(workload: Workload, resource: string, target: MetricTarget, container?: string) {
  try {
    return computed(workload, resource, target, container)
  } catch (error) {
    if (!(error instanceof MetricError) || error === NO_TARGET) throw error
    throw new MetricError(`failed to get ${resource} utilization: ${error.message}`)
  }
}

const NO_TARGET = new MetricError(
  'invalid resource metric source: neither an average utilization target nor an average value target was set',
)

function computed(workload: Workload, resource: string, target: MetricTarget, container?: string) {
  const { averageUtilization, averageValue } = target
  if (averageValue === undefined && averageUtilization === undefined) throw NO_TARGET
  const calculation = { ...workload, resource, samples: samples(workload, resource, container) }
  const { replicas, average, utilization } =
    averageValue === undefined
      ? replicasForUtilization(calculation, averageUtilization ?? 0, container)
      : replicasForAverage(calculation, milli(averageValue))
  const value = formatQuantity({ nano: BigInt(average) * 1_000_000n, format: 'DecimalSI' })
  return {
    replicas,
    current: { ...(utilization !== undefined && { averageUtilization: utilization }), averageValue: value },
  }
}

function samples({ metrics }: Workload, resource: string, container: string | undefined) {
  const failed = (why: string) => new MetricError(`unable to get metrics for resource ${resource}: ${why}`)
  if ('failure' in metrics)
    throw failed(`unable to fetch metrics from resource metrics API: ${metrics.failure}`)
  try {
    return samplesOf(metrics, resource, container)
  } catch (error) {
    throw error instanceof MetricError ? failed(error.message) : error
  }
}

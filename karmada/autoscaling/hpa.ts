import type { Condition } from '../../manifests/kube.js'
import { type HpaMemory, normalized } from './hpa-behavior.js'
import { type HpaSpec, withHpaDefaults } from './hpa-spec.js'
import { type MetricFailure, type MetricProposal, proposalOf, type Workload } from './metric-proposal.js'

/** A condition that an autoscaler sets. */
export type HpaCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

/** What an autoscaler reports as an Event. */
export interface HpaNote {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/** What an autoscaler decides at one moment. */
export interface HpaDecision {
  /** Those that the workload has, where it stays as it is. */
  readonly replicas: number
  /** Why it scales; absent where it does not. */
  readonly reason?: string
  readonly conditions: readonly HpaCondition[]
  /** What the metrics are; absent where they were not looked at, or could not be used. */
  readonly currentMetrics?: readonly object[]
  readonly notes: readonly HpaNote[]
  /** True where no metric could be used: the status keeps what it said of metrics. */
  readonly hasFailed?: true
  readonly memory: HpaMemory
}

/** What an autoscaler looks at. */
export interface HpaView extends Workload {
  /** What the workload's parts in members have together; what it has itself, for an autoscaler in a member. */
  readonly scaled: number
  readonly memory: HpaMemory
}

export const condition = (type: string, isTrue: boolean, reason: string, message: string): HpaCondition => ({
  type,
  status: isTrue ? 'True' : 'False',
  reason,
  message,
})

const GOT_SCALE = condition(
  'AbleToScale',
  true,
  'SucceededGetScale',
  "the HPA controller was able to get the target's current scale",
)

/** What a HorizontalPodAutoscaler or a FederatedHPA makes of a workload: the algorithm of kube-controller-manager, which Karmada follows. */
export function decideScale(written: HpaSpec, view: HpaView): HpaDecision {
  const spec = withHpaDefaults(written)
  const { minReplicas = 1, maxReplicas } = spec
  const { replicas, scaled, now } = view
  const recommendations = view.memory.recommendations
  const memory =
    recommendations.length > 0 ? view.memory : { ...view.memory, recommendations: [{ replicas, time: now }] }
  const stays = { replicas, conditions: [GOT_SCALE], notes: [], memory }
  if (scaled === 0 && minReplicas !== 0) {
    const why = 'scaling is disabled since the replica count of the target is zero'
    return { ...stays, conditions: [GOT_SCALE, condition('ScalingActive', false, 'ScalingDisabled', why)] }
  }
  if (replicas > maxReplicas)
    return { ...stays, replicas: maxReplicas, reason: 'Current number of replicas above Spec.MaxReplicas' }
  if (replicas < minReplicas)
    return { ...stays, replicas: minReplicas, reason: 'Current number of replicas below Spec.MinReplicas' }
  return byMetrics(spec, { ...view, memory })
}

function byMetrics(spec: HpaSpec, view: HpaView): HpaDecision {
  const { replicas, memory, now } = view
  const { metrics = [] } = spec
  const results = metrics.map(metric => proposalOf(metric, view))
  const failures = results.filter(isFailure)
  const proposals = results.filter((result): result is MetricProposal => !isFailure(result))
  const best = proposals.reduce<MetricProposal | undefined>(
    (highest, one) => (!highest || one.replicas > highest.replicas ? one : highest),
    undefined,
  )
  const notes: HpaNote[] = failures.map(({ reason, cause }) => ({ type: 'Warning', reason, message: cause }))
  const [first] = failures
  if (first && (!best || best.replicas < replicas)) {
    const { reason, cause } = first
    const message = `invalid metrics (${failures.length} invalid out of ${metrics.length}), first error is: ${first.message}`
    const why = `the HPA was unable to compute the replica count: ${cause}`
    return {
      replicas,
      conditions: [GOT_SCALE, condition('ScalingActive', false, reason, why)],
      notes: [...notes, { type: 'Warning', reason: 'FailedComputeMetricsReplicas', message }],
      hasFailed: true,
      memory,
    }
  }
  const desired = best?.replicas ?? 0
  const next = normalized(spec, replicas, desired, memory, now)
  const [isLimited, ...limit] = next.limited
  const found = `the HPA was able to successfully calculate a replica count from ${best?.name}`
  const reason = desired > replicas ? `${best?.name} above target` : 'All metrics below target'
  return {
    replicas: next.replicas,
    ...(next.replicas !== replicas && { reason }),
    conditions: [
      condition('AbleToScale', true, ...next.able),
      condition('ScalingActive', true, 'ValidMetricFound', found),
      condition('ScalingLimited', isLimited, ...limit),
    ],
    currentMetrics: results.map(result => (isFailure(result) ? { type: '' } : result.status)),
    notes,
    memory: next.memory,
  }
}

const isFailure = (result: MetricProposal | MetricFailure): result is MetricFailure => 'cause' in result

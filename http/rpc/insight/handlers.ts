import type { MetricsSource } from '../../../ports/metrics-source.js'
import type { InsightService } from '../../../proto/gen/kairship/insight_pb.js'
import type { Activity } from '../../activity/activity.js'
import type { Call } from '../../call/call.js'
import { logForOperator } from '../../call/log-for-operator.js'
import { type FieldViolation, failedPrecondition, invalidFields } from '../../errors/failure.js'
import type { InstanceReading } from '../../instances/instance-reading.js'
import { ConcurrencyLimit } from '../../limits/concurrency-limit.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { boundedQuery, QueryRefusal } from './bounded-query.js'
import { streamActivity } from './stream-activity.js'

/** Where metrics of instances are. */
export interface InstanceMetrics {
  readonly source: MetricsSource
  /** The label that names the instance of a series. */
  readonly label: string
}

/** What the handlers of the Insight service depend on. */
export interface InsightDependencies {
  /** Absent where none are configured. */
  readonly metrics: InstanceMetrics | undefined
  readonly instances: Pick<InstanceReading, 'one'>
  readonly activity: Pick<Activity, 'since'>
}

/** Queries of one caller at once: a page of graphs, and half of what is sent to the metrics service at once. */
const QUERIES_PER_CALLER = 5

/** Metrics of instances, by PromQL that is bounded to one of them. */
export function insightHandlers(dependencies: InsightDependencies): ServiceHandlers<typeof InsightService> {
  const { metrics, instances, activity } = dependencies
  const held = new ConcurrencyLimit('metrics queries', QUERIES_PER_CALLER)

  const ask = async <T>(
    call: Call,
    { instance, query }: { readonly instance: string; readonly query: string },
    send: (source: MetricsSource, query: string) => Promise<T>,
  ): Promise<T> => {
    if (!metrics)
      throw failedPrecondition('there is no metrics service: set metricsUrl to the URL of a Prometheus', {
        reason: 'NoMetrics',
      })
    // Series of an instance that is gone belong to no instance.
    await instances.one(instance, call)
    const bounded = boundedTo({ label: metrics.label, value: instance }, query)
    const giveBack = held.take(call.caller.user)
    try {
      return await logForOperator(call, send(metrics.source, bounded))
    } finally {
      giveBack()
    }
  }

  return {
    async queryMetric(request, call) {
      if (request.time < 0n) throw invalidFields([before1970('time')])
      const at = request.time === 0n ? undefined : String(request.time)
      const { series, warnings } = await ask(call, request, (source, query) =>
        source.instant(query, at, call.signal),
      )
      return {
        vector: series.map(({ labels, values: [value] }) => ({
          metric: { ...labels },
          ...(value && { values: pairOf(value) }),
        })),
        warnings: [...warnings],
      }
    },

    async queryRangeMetric(request, call) {
      const { start, end, step } = request
      const violations = [
        ...(start < 0n ? [before1970('start')] : []),
        ...(end < start ? [{ field: 'end', description: `is ${end}, before the start ${start}` }] : []),
        ...(step > 0 && Number.isFinite(step)
          ? []
          : [{ field: 'step', description: `is ${step}: it must be a number of seconds above 0` }]),
      ]
      if (violations.length > 0) throw invalidFields(violations)
      const range = { start: String(start), end: String(end), step: String(step) }
      const { series, warnings } = await ask(call, request, (source, query) =>
        source.range(query, range, call.signal),
      )
      return {
        matrix: series.map(({ labels, values }) => ({ metric: { ...labels }, values: values.map(pairOf) })),
        warnings: [...warnings],
      }
    },

    async streamInstanceActivity({ instance }, call) {
      await instances.one(instance, call)
      return streamActivity(activity, instance, call.signal)
    },

    async detectInsight({ instance }, call) {
      if (instance !== '') await instances.one(instance, call)
      return { enabled: metrics !== undefined }
    },
  }
}

const pairOf = ([milliseconds, value]: readonly [number, string]) => ({
  timestamp: BigInt(milliseconds),
  value,
})

const before1970 = (field: string): FieldViolation => ({ field, description: 'is before 1970' })

/** @throws Failure INVALID_ARGUMENT for what cannot be bounded */
function boundedTo(bound: Parameters<typeof boundedQuery>[1], query: string): string {
  try {
    return boundedQuery(query, bound)
  } catch (error) {
    if (error instanceof QueryRefusal) throw invalidFields([{ field: 'query', description: error.message }])
    throw error
  }
}

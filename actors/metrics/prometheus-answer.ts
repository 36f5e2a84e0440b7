import { z } from 'zod'
import type { MetricSeries, MetricsAnswer } from '../../ports/metrics-source.js'
import { ServiceError, type ServiceErrorKind, type ServiceReason } from '../../ports/service-error.js'

/** Prometheus' own form of an answer (https://prometheus.io/docs/prometheus/latest/querying/api/). */
const pair = z.tuple([z.number(), z.string()])
const labels = z.record(z.string(), z.string())
const remarks = { warnings: z.array(z.string()).default([]), infos: z.array(z.string()).default([]) }
const success = z.object({
  status: z.literal('success'),
  data: z.discriminatedUnion('resultType', [
    z.object({
      resultType: z.literal('vector'),
      result: z.array(
        z.object({ metric: labels, value: pair.optional(), histogram: z.unknown().optional() }),
      ),
    }),
    z.object({
      resultType: z.literal('matrix'),
      result: z.array(
        z.object({ metric: labels, values: z.array(pair).default([]), histograms: z.unknown().optional() }),
      ),
    }),
    z.object({ resultType: z.literal('scalar'), result: pair }),
    z.object({ resultType: z.literal('string'), result: pair }),
  ]),
  ...remarks,
})
const refusal = z.object({ status: z.literal('error'), errorType: z.string(), error: z.string() })

/** Prometheus' kinds of errors; one that is not here is its own trouble. */
const KINDS: Readonly<Record<string, readonly [ServiceErrorKind, ServiceReason]>> = {
  bad_data: ['invalid', 'BadQuery'],
  execution: ['unmet', 'QueryFailed'],
  not_acceptable: ['unmet', 'QueryFailed'],
  timeout: ['late', 'QueryTimeout'],
  canceled: ['unavailable', 'QueryCanceled'],
  unavailable: ['unavailable', 'MetricsUnavailable'],
}

/**
 * What an answer says.
 * @throws ServiceError with Prometheus' own words for a refusal; `gateway` for what Prometheus does not answer
 */
export function readAnswer(status: number, body: Buffer, wanted: 'instant' | 'range'): MetricsAnswer {
  const document = jsonOf(body)
  const refused = refusal.safeParse(document)
  if (refused.success) {
    const { errorType, error } = refused.data
    const [kind, reason] = KINDS[errorType] ?? ['gateway', 'MetricsFailed']
    throw new ServiceError(kind, `Prometheus: ${error}`, reason)
  }
  throwForStatus(status)
  const { success: isFine, data: answer } = success.safeParse(document)
  if (!isFine) throw strange(status)
  const { data, warnings, infos } = answer
  return { series: seriesOf(data, wanted), warnings: [...warnings, ...infos, ...leftOut(data)] }
}

/** Values are numbers here: a native histogram is none. */
function leftOut(data: Data): string[] {
  const found =
    data.resultType === 'vector'
      ? data.result.filter(({ histogram }) => histogram !== undefined)
      : data.resultType === 'matrix'
        ? data.result.filter(({ histograms }) => histograms !== undefined)
        : []
  if (found.length === 0) return []
  return [
    `${found.length} series have native histograms, which are left out: query histogram_quantile, histogram_sum or histogram_count of them`,
  ]
}

function throwForStatus(status: number): void {
  if (status === 200) return
  if (status === 401 || status === 403)
    throw new ServiceError(
      'gateway',
      `the metrics service refuses Kairship's own credential with ${status}: renew metricsCredentialsFile`,
      'MetricsCredentialRefused',
    )
  if (status === 429)
    throw new ServiceError(
      'busy',
      'the metrics service has too many requests: try again later',
      'MetricsBusy',
    )
  if (status === 502 || status === 503 || status === 504)
    throw new ServiceError(
      'unavailable',
      `the metrics service answered ${status}: try again in a moment`,
      'MetricsUnavailable',
    )
  throw strange(status)
}

const strange = (status: number) =>
  new ServiceError(
    'gateway',
    `the metrics service answered ${status}, and not as Prometheus does: is metricsUrl right?`,
    'NoPrometheus',
  )

type Data = z.infer<typeof success>['data']

function seriesOf(data: Data, wanted: 'instant' | 'range'): readonly MetricSeries[] {
  const { resultType } = data
  if (wanted === 'range') {
    if (resultType === 'matrix')
      return data.result.map(({ metric, values }) => ({ labels: metric, values: values.map(inMilliseconds) }))
    throw strange(200)
  }
  if (resultType === 'vector')
    return data.result.flatMap(({ metric, value }) =>
      value ? [{ labels: metric, values: [inMilliseconds(value)] }] : [],
    )
  if (resultType === 'scalar') return [{ labels: {}, values: [inMilliseconds(data.result)] }]
  const advice =
    resultType === 'matrix'
      ? 'gives values over a range: use range-metric, or a function such as rate or last_over_time'
      : 'gives a text, and not numbers'
  throw new ServiceError('invalid', `the query ${advice}`, 'BadQuery')
}

/** Prometheus writes seconds with three decimals. */
const inMilliseconds = ([seconds, value]: readonly [number, string]): readonly [number, string] => [
  Math.round(seconds * 1000),
  value,
]

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

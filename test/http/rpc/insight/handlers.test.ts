import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import { notFound } from '../../../../http/errors/failure.js'
import { insightHandlers } from '../../../../http/rpc/insight/handlers.js'
import type { MetricsAnswer } from '../../../../ports/metrics-source.js'
import { ServiceError } from '../../../../ports/service-error.js'
import {
  DetectInsightRequestSchema,
  QueryMetricRequestSchema,
  QueryRangeMetricRequestSchema,
} from '../../../../proto/gen/kairship/insight_pb.js'
import { fakeLog } from '../../fakes/log.js'

const ANSWER: MetricsAnswer = {
  series: [
    {
      labels: { a: 'b' },
      values: [
        [1_500, '1'],
        [2_500, 'NaN'],
      ],
    },
  ],
  warnings: ['partial'],
}

/** The handlers over a metrics service that a test answers for. The instance `north` is there, and no other. */
function serving({ answer = async () => ANSWER as MetricsAnswer, configured = true } = {}) {
  const sent: unknown[][] = []
  const source = {
    instant: (...request: unknown[]) => {
      sent.push(request)
      return answer()
    },
    range: (...request: unknown[]) => {
      sent.push(request)
      return answer()
    },
  }
  const instances = {
    one: async (name: string) => {
      if (name !== 'north') throw notFound(`there is no instance called "${name}"`)
      return {}
    },
  }
  const metrics = configured ? { source, label: 'kairship_instance' } : undefined
  const handlers = insightHandlers({ metrics, instances } as never)
  const log = fakeLog()
  const { signal } = new AbortController()
  const callOf = (user: string) =>
    ({ caller: { user, groups: [], extra: {} }, signal, log }) as unknown as Call
  const query = async (request = {}, user = 'ann') =>
    handlers.queryMetric(
      create(QueryMetricRequestSchema, { instance: 'north', query: 'up', ...request }),
      callOf(user),
    )
  const range = (request = {}) =>
    handlers.queryRangeMetric(
      create(QueryRangeMetricRequestSchema, {
        ...{ instance: 'north', query: 'up', start: 10n, end: 20n, step: 7.5 },
        ...request,
      }),
      callOf('ann'),
    )
  const detect = (instance: string) =>
    handlers.detectInsight(create(DetectInsightRequestSchema, { instance }), callOf('ann'))
  return { query, range, detect, sent, log, signal }
}

const BOUNDED = '{kairship_instance="north",__name__="up"}'

describe('a query of metrics', () => {
  it('is sent bounded to its instance, with its time and its signal', async () => {
    const { query, sent, signal } = serving()
    expect(await query({ time: 42n })).toEqual({
      vector: [{ metric: { a: 'b' }, values: { timestamp: 1_500n, value: '1' } }],
      warnings: ['partial'],
    })
    await query()
    expect(sent).toEqual([
      [BOUNDED, '42', signal],
      [BOUNDED, undefined, signal],
    ])
  })

  it('over a range is sent bounded, with its ends and step, and returns all values', async () => {
    const { range, sent, signal } = serving()
    expect(await range()).toEqual({
      matrix: [
        {
          metric: { a: 'b' },
          values: [
            { timestamp: 1_500n, value: '1' },
            { timestamp: 2_500n, value: 'NaN' },
          ],
        },
      ],
      warnings: ['partial'],
    })
    expect(sent).toEqual([[BOUNDED, { start: '10', end: '20', step: '7.5' }, signal]])
  })

  it.each([
    ['a time before 1970', 'query', { time: -1n }, ['time']],
    ['no PromQL', 'query', { query: 'up{' }, ['query']],
    ['a function that reads other series', 'range', { query: 'info(up)' }, ['query']],
    ['a start before 1970 and no step', 'range', { start: -1n, step: 0 }, ['start', 'step']],
    ['an end before its start', 'range', { end: 9n }, ['end']],
    ['an endless step', 'range', { step: Number.POSITIVE_INFINITY }, ['step']],
    ['a step that is no number', 'range', { step: Number.NaN }, ['step']],
  ] as const)('with %s is refused with the field, and not sent', async (_, kind, request, fields) => {
    const world = serving()
    await expect(world[kind](request)).rejects.toMatchObject({
      code: 3,
      details: { violations: fields.map(field => expect.objectContaining({ field })) },
    })
    expect(world.sent).toEqual([])
  })

  it('whose start is its end is sent', async () => {
    const { range, sent } = serving()
    await range({ end: 10n })
    expect(sent).toHaveLength(1)
  })

  it('of a missing instance is refused, and not sent', async () => {
    const { query, range, sent } = serving()
    await expect(query({ instance: 'south' })).rejects.toMatchObject({ code: 5 })
    await expect(range({ instance: 'south' })).rejects.toMatchObject({ code: 5 })
    expect(sent).toEqual([])
  })

  it('is refused with NoMetrics when no service is configured', async () => {
    const { query } = serving({ configured: false })
    await expect(query()).rejects.toMatchObject({ code: 9, details: { reason: 'NoMetrics' } })
  })

  it('is refused while five of its caller are in flight, and not for another caller', async () => {
    let fail: (error: Error) => void = () => undefined
    const answer = () =>
      new Promise<never>((_, reject) => {
        const before = fail
        fail = error => {
          before(error)
          reject(error)
        }
      })
    const { query, sent } = serving({ answer })
    const outcomes = [1, 2, 3, 4, 5].map(() => query().catch((error: Error) => error.message))
    await expect.poll(() => sent).toHaveLength(5)
    await expect(query()).rejects.toMatchObject({ code: 8 })
    const other = query({}, 'bob').catch((error: Error) => error.message)
    await expect.poll(() => sent).toHaveLength(6)
    fail(new Error('broken'))
    expect(await Promise.all([...outcomes, other])).toEqual(Array(6).fill('broken'))
    const next = query().catch((error: Error) => error.message)
    await expect.poll(() => sent).toHaveLength(7)
    fail(new Error('broken again'))
    expect(await next).toBe('broken again')
  })

  it('that fails for a reason of the operator is logged with its cause', async () => {
    const answer = () => Promise.reject(new ServiceError('gateway', 'no', 'MetricsFailed'))
    const { query, log } = serving({ answer })
    await expect(query()).rejects.toThrow('no')
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { reason: 'MetricsFailed' } }])
  })
})

describe('detectInsight', () => {
  it('reports whether a service is configured, also without an instance', async () => {
    expect(await serving().detect('')).toEqual({ enabled: true })
    expect(await serving({ configured: false }).detect('north')).toEqual({ enabled: false })
  })

  it('is NOT_FOUND for a missing instance', async () => {
    await expect(serving().detect('south')).rejects.toMatchObject({ code: 5 })
  })
})

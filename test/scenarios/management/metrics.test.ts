import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../../../http/api-options.js'
import { InsightService } from '../../../proto/gen/kairship/insight_pb.js'
import { rows } from '../../conformance/metrics/rows.js'
import { waitFor } from '../../patience.js'
import { ManagedWorld } from '../support/managed-world.js'
import { type ServiceDoubles, startServiceDoubles } from '../support/service-doubles.js'
import { Wires } from '../support/wires.js'

const world = new ManagedWorld(InsightService)
let doubles: ServiceDoubles
let api: Api
/** Calls of the administrator, of who may read, and of the first one to a Kairship without a metrics service. */
let calls: Wires<typeof InsightService>
let viewer: Wires<typeof InsightService>
beforeAll(async () => {
  doubles = await startServiceDoubles(world.world.folder)
  api = await world.world.another('127.0.0.1:0', doubles.options)
  calls = new Wires(api, InsightService, world.world.playground.tokens.admin)
  viewer = calls.as(world.world.playground.tokens.viewer)
})
afterAll(async () => {
  calls?.close()
  viewer?.close()
  await doubles?.close()
})

const instance = () => world.instance
/** A row of Prometheus for the instance of the world: the double knows those of `north`. */
const answering = (claim: string) => {
  const { status, body } = rows.find(row => row.claim.startsWith(claim))!
  doubles.prometheus.answerWith((_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
  )
}
const last = () => doubles.prometheus.received.at(-1)

describe('without a metrics service', () => {
  it('queries are refused with a stable reason, the same over REST and gRPC', async () => {
    for (const outcome of [
      await world.calls.both('queryMetric', { instance: instance(), query: 'up' }),
      await world.calls.both('queryRangeMetric', {
        instance: instance(),
        query: 'up',
        start: '1',
        end: '2',
        step: 1,
      }),
    ]) {
      expect(outcome.json.code, outcome.text).toBe(9)
      expect(outcome.json.details).toContainEqual(expect.objectContaining({ reason: 'NoMetrics' }))
      expect(outcome.text).toContain('metricsUrl')
    }
    expect(await world.calls.read('detectInsight', {})).toEqual({ enabled: false })
  })
})

describe('a query', () => {
  it('reads only series of its instance, with the same answer over REST and gRPC', async () => {
    answering('values are text')
    const query = 'odd{kairship_instance="south"} or up'
    const { vector, warnings } = await calls.read('queryMetric', {
      instance: instance(),
      query,
      time: '1600000600',
    })
    expect(vector.map((one: { values: object }) => one.values)).toEqual(
      ['+Inf', '-Inf', 'NaN', '100'].map(value => ({ timestamp: '1600000600000', value })),
    )
    expect(warnings).toEqual([])
    const matcher = `kairship_instance="${instance()}"`
    expect(last()).toMatchObject({
      query: `{${matcher},__name__="odd",kairship_instance="south"} or {${matcher},__name__="up"}`,
      time: '1600000600',
    })
    await calls.read('queryMetric', { instance: instance(), query })
    expect(last()).not.toHaveProperty('time')
  })

  it('over a range returns the values of each step', async () => {
    answering('a range has a value for each step')
    const range = { start: '1600000000', end: '1600000030', step: 7.5 }
    const { matrix } = await calls.read('queryRangeMetric', {
      instance: instance(),
      query: 'temperature',
      ...range,
    })
    expect(matrix[0].values.slice(0, 2)).toEqual([
      { timestamp: '1600000000000', value: '100' },
      { timestamp: '1600000007500', value: '100' },
    ])
    expect(last()).toMatchObject({ start: '1600000000', end: '1600000030', step: '7.5' })
  })

  it.each([
    ['a query that is no PromQL', 3, 'BadQuery', 'unexpected right parenthesis'],
    ['a query that cannot be evaluated', 9, 'QueryFailed', 'many-to-many matching not allowed'],
    ['a query whose time is over', 4, 'QueryTimeout', 'query timed out'],
  ])(
    'that Prometheus refuses (%s) returns Prometheus’ message and a reason',
    async (claim, code, reason, words) => {
      answering(claim)
      const { json, text } = await calls.both('queryMetric', { instance: instance(), query: 'up' })
      expect([json.code, text]).toEqual([code, expect.stringContaining(words)])
      expect(json.details).toContainEqual(expect.objectContaining({ reason }))
    },
  )

  it.each([
    ['queryMetric', { query: '' }, 'query is required'],
    ['queryMetric', { query: 'up{' }, 'query at 1:4'],
    ['queryMetric', { query: 'info(up)' }, 'query at 1:1 "info" calls info'],
    ['queryMetric', { query: 'up', time: '-1' }, 'time is before 1970'],
    ['queryRangeMetric', { query: 'up', start: '2', end: '1', step: 1 }, 'end is 1, before the start 2'],
    ['queryRangeMetric', { query: 'up', start: '1', end: '2' }, 'step is 0'],
    ['queryRangeMetric', { query: 'up', start: '-1', end: '2', step: -3 }, 'step is -3'],
    ['queryRangeMetric', { query: 'up', start: '1', end: '2', step: 'Infinity' }, 'step is Infinity'],
    ['queryRangeMetric', { query: 'up', start: '1', end: '2', step: 'NaN' }, 'step is NaN'],
  ] as const)('is refused with the wrong field: %s %j', async (rpc, request, words) => {
    const before = doubles.prometheus.received.length
    const { json, text } = await calls.both(rpc, { instance: instance(), ...request })
    expect([json.code, text]).toEqual([3, expect.stringContaining(words)])
    expect(doubles.prometheus.received).toHaveLength(before)
  })

  it('for a missing instance, or from an unknown caller, does not reach Prometheus', async () => {
    const before = doubles.prometheus.received.length
    expect((await calls.both('queryMetric', { instance: 'nowhere', query: 'up' })).json.code).toBe(5)
    expect((await calls.both('queryMetric', { instance: '"} or {x="', query: 'up' })).json.code).toBe(5)
    const stranger = calls.as('not-a-token')
    expect((await stranger.both('queryMetric', { instance: instance(), query: 'up' })).json.code).toBe(16)
    stranger.close()
    expect(doubles.prometheus.received).toHaveLength(before)
  })

  it('is allowed to every caller that may read the instance', async () => {
    answering('a number is a scalar')
    expect((await viewer.both('queryMetric', { instance: instance(), query: 'up' })).ok).toBe(true)
    expect(await viewer.read('detectInsight', { instance: instance() })).toEqual({ enabled: true })
    expect((await viewer.both('detectInsight', { instance: 'nowhere' })).json.code).toBe(5)
  })

  it('is refused while five queries of its caller are in flight', async () => {
    const waiting: (() => void)[] = []
    const { body } = rows.find(row => row.claim.startsWith('a number is a scalar'))!
    doubles.prometheus.answerWith((_, response) => {
      waiting.push(() =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      )
    })
    const request = { instance: instance(), query: 'up' }
    const five = Array.from({ length: 5 }, () => calls.overGrpc('queryMetric', request))
    await waitFor(() => expect(waiting).toHaveLength(5))
    const sixth = await calls.overRest('queryMetric', request)
    expect([sixth.json.code, sixth.text]).toEqual([8, expect.stringContaining('5 metrics queries')])
    for (const answer of waiting) answer()
    for (const outcome of await Promise.all(five)) expect(outcome.ok).toBe(true)
    answering('a number is a scalar')
    expect((await calls.overRest('queryMetric', request)).ok).toBe(true)
  })

  it('whose answer is not Prometheus’ is logged for the operator, without the credential', async () => {
    doubles.prometheus.answerWith((_, response) => response.writeHead(200).end('<html>'))
    const { json, text } = await calls.both('queryMetric', { instance: instance(), query: 'up' })
    expect([json.code, text]).toEqual([14, expect.stringContaining('not as Prometheus does')])
    const log = JSON.stringify(world.log())
    expect(log).toContain('NoPrometheus')
    expect(log).not.toContain(doubles.prometheus.password)
  })
})

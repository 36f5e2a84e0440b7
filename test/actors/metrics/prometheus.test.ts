import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Prometheus, type PrometheusOptions } from '../../../actors/metrics/prometheus.js'
import { selfSigned } from '../../../http/listener/serving-certificate.js'
import type { MetricsAnswer } from '../../../ports/metrics-source.js'
import type { ServiceError } from '../../../ports/service-error.js'
import { type PrometheusDouble, startPrometheusDouble } from '../../conformance/metrics/prometheus-double.js'
import { rows } from '../../conformance/metrics/rows.js'
import { waitFor } from '../../patience.js'

const SECRET = 'correct horse'
let folder: string
let double: PrometheusDouble
const clients: Prometheus[] = []
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const credential = (password: string, username = double.username) => JSON.stringify({ username, password })
const connect = (options: Partial<PrometheusOptions> = {}) => {
  const client = new Prometheus({
    url: double.url,
    caFile: file('ca.crt', double.certificateAuthority),
    credentialsFile: file('credential', credential(double.password)),
    ...options,
  })
  clients.push(client)
  return client
}
const never = new AbortController().signal
const ask = (client: Prometheus, signal = never) => client.instant('1', undefined, signal)
const refusal = (asked: Promise<unknown>): Promise<ServiceError> =>
  asked.then(
    answer => Promise.reject(new Error(`was not refused: ${JSON.stringify(answer)}`)),
    (error: ServiceError) => error,
  )
const row = (claim: string) => rows.find(one => one.claim.startsWith(claim))!
const send = (claim: string): Promise<MetricsAnswer> => {
  const { path, form } = row(claim)
  const { query = '', time, start = '', end = '', step = '' } = form
  return path === 'query'
    ? connect().instant(query, time, never)
    : connect().range(query, { start, end, step }, never)
}
const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kairship-prometheus-'))
  double = await startPrometheusDouble()
})
afterEach(async () => {
  vi.useRealTimers()
  for (const client of clients.splice(0)) await client.close()
  await double.close()
  rmSync(folder, { recursive: true })
})

describe('an answer', () => {
  it('has times in milliseconds and Prometheus’ own values', async () => {
    const { series, warnings } = await send('values are text')
    expect(series.map(({ values }) => values)).toEqual(
      ['+Inf', '-Inf', 'NaN', '100'].map(value => [[1_600_000_600_000, value]]),
    )
    expect(series[3]?.labels).toMatchObject({ kind: 'text "\\\n', unicode: 'ünïcödé' })
    expect(warnings).toEqual([])
    const range = await send('a range has a value for each step')
    expect(range.series[0]?.values[1]).toEqual([1_600_000_007_500, '100'])
  })

  it('that is a number becomes one series without labels', async () => {
    expect((await send('a number is a scalar')).series).toEqual([
      { labels: {}, values: [[1_600_000_600_000, '203.5']] },
    ])
  })

  it('keeps warnings and infos, and counts series that have only histograms', async () => {
    const vector = [
      { metric: { a: '1' }, value: [1, '2'] },
      { metric: { a: '2' }, histogram: [1, { count: '1', sum: '2' }] },
    ]
    double.answerWith((_, response) =>
      json(response, 200, {
        status: 'success',
        data: { resultType: 'vector', result: vector },
        warnings: ['half of it is missing'],
        infos: ['is it a counter?'],
      }),
    )
    const { series, warnings } = await ask(connect())
    expect(series).toEqual([{ labels: { a: '1' }, values: [[1000, '2']] }])
    expect(warnings).toEqual([
      'half of it is missing',
      'is it a counter?',
      expect.stringContaining('1 series have native histograms'),
    ])
  })

  it('over a range counts series that have only histograms, too', async () => {
    const matrix = [{ metric: { a: '1' }, histograms: [[1, { count: '1', sum: '2' }]] }]
    double.answerWith((_, response) =>
      json(response, 200, { status: 'success', data: { resultType: 'matrix', result: matrix } }),
    )
    const { series, warnings } = await connect().range('a', { start: '1', end: '2', step: '1' }, never)
    expect(series).toEqual([{ labels: { a: '1' }, values: [] }])
    expect(warnings).toEqual([expect.stringContaining('1 series have native histograms')])
  })

  it('has times rounded to the nearest millisecond', async () => {
    // 1.005 * 1000 is 1004.9999999999999.
    double.answerWith((_, response) =>
      json(response, 200, { status: 'success', data: { resultType: 'scalar', result: [1.005, '1'] } }),
    )
    expect((await ask(connect())).series).toEqual([{ labels: {}, values: [[1_005, '1']] }])
  })

  it('to a query over a range that has the values of an instant is refused', async () => {
    double.answerWith((_, response) =>
      json(response, 200, { status: 'success', data: { resultType: 'vector', result: [] } }),
    )
    const range = connect().range('a', { start: '1', end: '2', step: '1' }, never)
    expect(await refusal(range)).toMatchObject({ kind: 'gateway', reason: 'NoPrometheus' })
  })
})

describe('a refusal', () => {
  it.each([
    ['a query that is no PromQL', 'invalid', 'BadQuery', 'unexpected right parenthesis'],
    ['arguments of a wrong type', 'invalid', 'BadQuery', 'expected type range vector'],
    ['a function that it does not have', 'invalid', 'BadQuery', 'unknown function'],
    ['a query that cannot be evaluated', 'unmet', 'QueryFailed', 'many-to-many matching not allowed'],
    ['more than 11,000 steps', 'invalid', 'BadQuery', 'exceeded maximum resolution of 11,000 points'],
    ['a text is a string', 'invalid', 'BadQuery', 'gives a text'],
    ['a range selector is a matrix', 'invalid', 'BadQuery', 'use range-metric'],
  ])('for %s keeps Prometheus’ message', async (claim, kind, reason, words) => {
    const error = await refusal(send(claim))
    expect(error).toMatchObject({ name: 'ServiceError', kind, reason })
    expect(error.message).toContain(words)
  })

  it.each([
    [503, { status: 'error', errorType: 'timeout', error: 'query timed out' }, 'late', 'QueryTimeout'],
    [503, { status: 'error', errorType: 'canceled', error: 'canceled' }, 'unavailable', 'QueryCanceled'],
    [
      503,
      { status: 'error', errorType: 'unavailable', error: 'starting' },
      'unavailable',
      'MetricsUnavailable',
    ],
    [500, { status: 'error', errorType: 'internal', error: 'disk' }, 'gateway', 'MetricsFailed'],
    [503, 'Service Unavailable', 'unavailable', 'MetricsUnavailable'],
    [502, '<html>', 'unavailable', 'MetricsUnavailable'],
    [504, '<html>', 'unavailable', 'MetricsUnavailable'],
    [500, { status: 'success', data: { resultType: 'vector', result: [] } }, 'gateway', 'NoPrometheus'],
    [429, '', 'busy', 'MetricsBusy'],
    [403, 'no', 'gateway', 'MetricsCredentialRefused'],
    [404, '404 page not found', 'gateway', 'NoPrometheus'],
    [200, '<html>a login page</html>', 'gateway', 'NoPrometheus'],
    [200, { status: 'success' }, 'gateway', 'NoPrometheus'],
    [
      200,
      { status: 'success', data: { resultType: 'vector', result: [{ metric: { a: 1 } }] } },
      'gateway',
      'NoPrometheus',
    ],
    [200, [], 'gateway', 'NoPrometheus'],
    [200, '', 'gateway', 'NoPrometheus'],
    [302, '', 'gateway', 'NoPrometheus'],
  ])('for status %i with body %j has the kind %s', async (status, body, kind, reason) => {
    double.answerWith((_, response) =>
      typeof body === 'string'
        ? response.writeHead(status, { location: `${double.url}/elsewhere` }).end(body)
        : json(response, status, body),
    )
    expect(await refusal(ask(connect()))).toMatchObject({ kind, reason })
    // Nothing is sent elsewhere, and nothing twice.
    expect(double.received).toHaveLength(1)
  })
})

describe('a request is ended', () => {
  it('by Prometheus too after the timeout, which is sent with it', async () => {
    await send('a number is a scalar')
    expect(double.received.at(-1)).toMatchObject({ timeout: '30000ms' })
  })

  it('during an answer of 100 MB', async () => {
    let sent = 0
    double.answerWith((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = () => {
        while (sent < 100 << 20) {
          sent += 1 << 16
          if (!response.write(Buffer.alloc(1 << 16, 32))) return
        }
        response.end()
      }
      response.on('drain', more)
      more()
    })
    const error = await refusal(ask(connect({ maxBytes: 1 << 20 })))
    expect(error).toMatchObject({ kind: 'unmet', reason: 'AnswerTooLarge' })
    expect(sent).toBeLessThan(50 << 20)
  })

  it('when an answer stalls past the timeout', async () => {
    double.answerWith((_, response) => {
      response.writeHead(200).write('{')
    })
    const error = await refusal(ask(connect({ timeoutMs: 50 })))
    expect(error).toMatchObject({ kind: 'late', message: 'the metrics service gave no answer within 50 ms' })
  })

  it('at Prometheus too when its caller hangs up', async () => {
    const caller = new AbortController()
    let gone = false
    double.answerWith((_, response) => {
      response.once('close', () => {
        gone = true
      })
    })
    const asked = refusal(ask(connect(), caller.signal))
    await waitFor(() => expect(double.received).toHaveLength(1))
    const reason = new Error('the caller hung up')
    caller.abort(reason)
    expect(await asked).toBe(reason)
    await waitFor(() => expect(gone).toBe(true))
  })
})

describe('a service that cannot be trusted or reached', () => {
  it('gets no credential when its certificate is not trusted', async () => {
    const other = await selfSigned(['127.0.0.1'])
    const error = await refusal(ask(connect({ caFile: file('other.crt', other.certificate) })))
    expect(error).toMatchObject({ kind: 'unavailable', reason: 'ServiceUnreachable' })
    expect(error.message).toMatch(/certificate/)
    expect(double.received).toEqual([])
  })

  it('is unavailable when no server listens', async () => {
    await double.close()
    const error = await refusal(ask(connect()))
    expect(error).toMatchObject({ kind: 'unavailable', reason: 'ServiceUnreachable' })
    expect(error.message).toContain('ECONNREFUSED')
  })
})

describe('files that change', () => {
  it('a replaced credential is used at once when the old one is refused', async () => {
    const client = connect()
    const { query = '', time } = row('a number is a scalar').form
    await client.instant(query, time, never)
    double.changePassword('another')
    file('credential', credential('another'))
    expect((await client.instant(query, time, never)).series).toHaveLength(1)
    expect(double.received).toHaveLength(3)
  })

  it('a wrong credential is tried once, and is in no message', async () => {
    const client = connect()
    double.changePassword('another')
    const error = await refusal(ask(client))
    expect(error).toMatchObject({ kind: 'gateway', reason: 'MetricsCredentialRefused' })
    expect(error.message).not.toContain(SECRET)
    expect(double.received).toHaveLength(1)
  })

  it('replaced authorities are used within ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const next = await selfSigned(['127.0.0.1', 'localhost'])
    const client = connect()
    const { query = '', time } = row('a number is a scalar').form
    await client.instant(query, time, never)
    const { url } = double
    await double.close()
    double = await startPrometheusDouble(next, Number(new URL(url).port))
    file('ca.crt', next.certificate)
    expect(await refusal(client.instant(query, time, never))).toMatchObject({ kind: 'unavailable' })
    vi.advanceTimersByTime(10_001)
    expect((await client.instant(query, time, never)).series).toHaveLength(1)
  })

  it('a file that is missing for a moment keeps its last content in use', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const client = connect()
    const { query = '', time } = row('a number is a scalar').form
    await client.instant(query, time, never)
    rmSync(join(folder, 'credential'))
    rmSync(join(folder, 'ca.crt'))
    vi.advanceTimersByTime(10_001)
    expect((await client.instant(query, time, never)).series).toHaveLength(1)
  })

  it('an unusable credential is an error that does not name the file to callers', async () => {
    const client = connect()
    file('credential', `{"password": "${SECRET}"`)
    const error = await refusal(ask(client))
    expect(error).toMatchObject({ kind: 'gateway', reason: 'ServiceSettingUnusable' })
    expect(error.message).not.toContain(folder)
    expect(String(error.cause)).toContain(join(folder, 'credential'))
    expect(`${error.message}${error.cause}`).not.toContain(SECRET)
  })
})

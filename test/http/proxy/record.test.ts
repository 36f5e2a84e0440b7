import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { cancelled, permissionDenied, unavailable } from '../../../http/errors/failure.js'
import { ProxyCall } from '../../../http/proxy/proxy-call.js'
import type { ProxyOptions } from '../../../http/proxy/proxy-options.js'
import { record } from '../../../http/proxy/record.js'
import type { BadPath, ProxyPath } from '../../../http/proxy/route/path.js'
import { fakeLog } from '../fakes/log.js'

const path = '/api/v1/namespaces/a/pods/x?dryRun=All'
const write = { verb: 'delete', resource: 'instances/proxy', name: 'north' }
const read = { ...write, verb: 'get' }

/** A request that came at 1 s, and whose record is written at 3.5 s. */
function recording({
  method = 'DELETE',
  proxy = { instance: 'north', path } as ProxyPath | BadPath,
  remote = '10.0.0.1',
  headers = {},
} = {}) {
  const log = fakeLog()
  const counts: [string, object][] = []
  const times: [string, number, object | undefined][] = []
  const meter = {
    count: (name: string, labels = {}) => void counts.push([name, labels]),
    observe: (name: string, value: number, labels?: object) => void times.push([name, value, labels]),
    gauge: () => undefined,
  }
  const request = { method, headers, socket: { remoteAddress: remote } } as unknown as IncomingMessage
  const call = new ProxyCall(request, proxy, 1_000)
  call.caller = { user: 'ann', groups: [], extra: {} }
  const options = { log, audit: log.audit, meter, now: () => 3_500 } as unknown as ProxyOptions
  return { log, counts, times, call, options }
}

describe('the record of an exchange', () => {
  it('has its caller, action, target, source, status and duration, and no query', () => {
    const { options, call, log } = recording()
    call.action = write
    call.answered = { source: 'karmada', reason: 'Write' }
    record(options, call, 200, undefined)
    expect(log.audits()).toMatchObject([
      {
        wire: 'proxy',
        operation: '/api/v1/namespaces/a/pods/x',
        user: 'ann',
        verb: 'delete',
        target: { instance: 'north', verb: 'delete', resource: 'pods', namespace: 'a', name: 'x' },
        remote: '10.0.0.1',
        source: 'karmada',
        code: 'OK',
        outcome: 'succeeded',
        status: 200,
        durationMs: 2_500,
      },
    ])
  })

  it.each([
    ['DELETE', path, {}, true],
    ['DELETE', path, { 'content-length': '2' }, false],
    ['POST', '/api/v1/namespaces/a/pods?dryRun=All', { 'transfer-encoding': 'chunked' }, true],
    ['POST', '/api/v1/namespaces/a/pods?dryRun=All;x', {}, false],
    ['PUT', '/api/v1/namespaces/a/pods/x', {}, false],
    ['GET', '/api/v1/namespaces/a/secrets/x?dryRun=All', {}, false],
    ['POST', '/api/v1/namespaces/a/services/web/proxy/?dryRun=All', {}, false],
    // An API server issues the token all the same.
    ['POST', '/api/v1/namespaces/a/serviceaccounts/robot/token?dryRun=All', {}, false],
    ['POST', '/api/v1/namespaces/a/serviceaccounts?dryRun=All', {}, true],
    ['POST', '/api/v1/namespaces/a/pods?dryRun=All&dryRun=', {}, false],
    ['POST', '/api/v1/namespaces/a/pods?dryRun=all', {}, false],
    ['POST', '/api/v1/namespaces/a/pods?dryrun=All', {}, false],
    ['POST', '/api/v1/namespaces/a/pods?dryRun=All&dryRun=%41ll', {}, true],
    ['PATCH', '/api/v1/namespaces/a/pods/x', { 'content-length': '20' }, false],
    [
      'POST',
      '/apis/cluster.karmada.io/v1alpha1/clusters/m/proxy/api/v1/namespaces/a/pods?dryRun=All',
      {},
      true,
    ],
  ])('of %s %s with %j says that it was a dry run: %s', (method, path, headers, isSo) => {
    const { options, call, log } = recording({ method, proxy: { instance: 'north', path }, headers })
    call.action = write
    record(options, call, 200, undefined)
    expect(log.audits().map(audit => audit.dryRun === true)).toEqual([isSo])
  })

  it('without an answer and without a failure is that of a cancelled call, and has no status', () => {
    const { options, call, log, counts } = recording()
    call.action = write
    record(options, call, 0, undefined)
    expect(log.audits()).toMatchObject([{ code: 'CANCELLED', outcome: 'unknown' }])
    expect(log.audits()[0]).not.toHaveProperty('status')
    expect(counts).toEqual([['kairship_proxy_requests_total', { verb: 'delete', code: '0' }]])
  })

  it('that broke after its head has the code of the failure beside the status of the head', () => {
    const { options, call, log } = recording()
    call.action = write
    record(options, call, 200, cancelled('the caller hung up'))
    expect(log.audits()).toMatchObject([{ code: 'CANCELLED', outcome: 'unknown', status: 200 }])
  })

  it.each([
    ['not written for an answered read', 200, undefined, 0],
    ['not written for a read that failed', 503, unavailable('away'), 0],
    ['written for a read that the instance refuses', 403, undefined, 1],
    ['written for a read that Kairship refuses', 403, permissionDenied('no'), 1],
  ] as const)('is %s', (_, status, failure, records) => {
    const { options, call, log } = recording({ method: 'GET' })
    call.action = read
    record(options, call, status, failure)
    expect(log.audits()).toHaveLength(records)
  })

  it('of a refused path and an unknown caller names neither', () => {
    const { options, call, log, counts } = recording({
      proxy: { refused: 'has dots' } as unknown as BadPath,
      remote: '',
    })
    delete (call as { caller?: unknown }).caller
    record(options, call, 401, undefined)
    const [audited = {}] = log.audits()
    expect(audited).toMatchObject({ operation: 'refused path', code: 'UNAUTHENTICATED', outcome: 'denied' })
    for (const field of ['target', 'remote', 'source', 'user']) expect(audited[field], field).toBeUndefined()
    expect(counts).toEqual([['kairship_proxy_requests_total', { verb: 'none', code: '401' }]])
  })
})

describe('the metrics of an exchange', () => {
  it('count it by verb and status, time it in seconds, and count the source of its answer', () => {
    const { options, call, counts, times } = recording({ method: 'GET' })
    call.action = read
    call.answered = { source: 'index', reason: 'Fresh' } as never
    record(options, call, 200, undefined)
    expect(counts).toEqual([
      ['kairship_proxy_requests_total', { verb: 'get', code: '200' }],
      ['kairship_proxy_answers_total', { source: 'index', reason: 'Fresh' }],
    ])
    expect(times).toEqual([['kairship_proxy_request_duration_seconds', 2.5, { verb: 'get' }]])
  })
})

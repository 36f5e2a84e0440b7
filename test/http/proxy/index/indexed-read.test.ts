import { describe, expect, it } from 'vitest'
import { IndexedRead, type IndexedReadOptions } from '../../../../http/proxy/index/indexed-read.js'
import { BEST_CASE, indexState } from '../../../../http/proxy/proxy-request.js'
import { readRequestOf } from '../../../../http/proxy/route/read-request.js'
import { requestInfo } from '../../../../http/proxy/route/request-info.js'
import { route } from '../../../../http/proxy/route/route.js'
import { WriteLedger } from '../../../../http/read-your-writes/ledger.js'
import type { RawRequest, RawSink } from '../../../../ports/kube-api.js'
import { deferred } from '../../fakes/deferred.js'

const JSON_TYPE = ['Content-Type', 'application/json']
const MAPS = '/api/v1/namespaces/a/configmaps'
const list = (resourceVersion: string) =>
  `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"${resourceVersion}"},"items":[{"metadata":{"namespace":"a","name":"x","uid":"1","resourceVersion":"90"}}]}`

/** A side that a read can go to, and what was sent to it. */
class Side {
  readonly received: string[] = []
  /** Answers to GETs, or nothing yet. */
  answer: { readonly status: number; readonly body: string } | undefined = { status: 200, body: list('100') }
  readonly sinks: RawSink[] = []
  readonly admits = true

  send(request: RawRequest, sink: RawSink) {
    this.received.push(request.path)
    this.sinks.push(sink)
    if (this.answer) queueMicrotask(() => this.reply(sink))
    return { resume: () => undefined, abort: (reason: Error) => sink.failed(reason) }
  }

  reply(sink: RawSink, { status, body } = this.answer ?? { status: 200, body: list('100') }): void {
    sink.head(status, '', JSON_TYPE)
    sink.data(Buffer.from(body))
    sink.end()
  }
}

/** Starts a read of an index that has lists with versions and watches, unless told. */
function read(path: string, more: { listOnly?: boolean; trouble?: string } = {}) {
  const [index, karmada] = [new Side(), new Side()]
  const facts = {
    noted: 0,
    verdict: async (): Promise<{ allowed: boolean; old?: boolean }> => ({ allowed: true }),
    isAggregated: async () => false,
    showsOwnWrites: async () => true,
  }
  const ledger = new WriteLedger(() => 0)
  const ended = deferred<Error | 'ended'>()
  const failures: Error[] = []
  const answers: string[] = []
  const sink: RawSink = {
    head: () => undefined,
    data: () => true,
    end: () => ended.resolve('ended'),
    failed: error => {
      failures.push(error)
      ended.resolve(error)
    },
  }
  const info = requestInfo('GET', path)
  const wanted = readRequestOf('GET', info, { accept: 'application/json' })
  const can = { lossless: true, listResourceVersion: !more.listOnly, watch: !more.listOnly }
  const guarded = {
    index: {
      can,
      holds: () => 'synced',
      trouble: more.trouble,
      freshness: { state: 'current', lagMs: 5, measuredAt: '2026-01-01T00:00:00.000Z' },
      noteRead: () => void facts.noted++,
      rights: { revision: '1', unchangedForMs: 0 },
      mark: '"shadow":"x"',
    },
    upstream: index,
  }
  const admitted = {
    instance: 'north',
    uid: 'u',
    caller: { user: 'ann' },
    info,
    read: wanted,
    karmada: {
      api: { request: async () => ({}) },
      upstream: { send: (...sent: Parameters<Side['send']>) => karmada.send(...sent), ask: () => ({}) },
    },
  }
  const sources = {
    access: { verdict: () => facts.verdict() },
    aggregatedApis: { isAggregated: () => facts.isAggregated() },
    ledger,
    catchUp: { shows: () => facts.showsOwnWrites() },
  }
  const start = () => {
    const options = {
      sources,
      admitted,
      index: guarded,
      sink,
      request: { method: 'GET', path, headers: [], long: info.long, headTimeoutMs: 0 },
      first: route(info, wanted, indexState(info, guarded as never, BEST_CASE)),
      answered: ({ source, reason }: { source: string; reason: string }) =>
        answers.push(`${source} ${reason}`),
    }
    return new IndexedRead(options as unknown as IndexedReadOptions)
  }
  return { index, karmada, facts, ledger, start, ended: ended.promise, failures, answers }
}

describe('a read that the index may answer', () => {
  it.each([undefined, 'it is stalled'])(
    'is noted as a use of the index once, also while that is %s',
    async trouble => {
      const { facts, start } = read(MAPS, { ...(trouble !== undefined && { trouble }) })
      start()
      expect(facts.noted).toBe(1)
    },
  )

  it('is not checked for aggregation where the index’s lists have versions', async () => {
    const { facts, index, start, ended } = read(MAPS)
    let asked = 0
    facts.isAggregated = async () => ++asked > 0
    start()
    expect(await ended).toBe('ended')
    expect([index.received.length, asked]).toEqual([1, 0])
  })

  it('fails once, with the first reason, when it is aborted twice before it is sent', async () => {
    const { facts, start, failures } = read(MAPS)
    facts.verdict = () => new Promise(() => undefined)
    const exchange = start()
    const reasons = [new Error('the caller hung up'), new Error('and again')]
    for (const reason of reasons) exchange.abort(reason)
    expect(failures).toEqual(reasons.slice(0, 1))
  })

  it('is answered by the index when every check passes', async () => {
    const { index, karmada, start, ended, answers } = read(MAPS)
    start()
    expect(await ended).toBe('ended')
    expect([index.received.length, karmada.received]).toEqual([1, []])
    expect(answers).toEqual([expect.stringMatching(/^index /)])
  })

  it('goes to Karmada while the caller’s access is unknown', async () => {
    const { index, karmada, facts, start, ended } = read(MAPS)
    facts.verdict = () => Promise.reject(new Error('no answer'))
    start()
    expect(await ended).toBe('ended')
    expect([index.received, karmada.received.length]).toEqual([[], 1])
  })

  it('goes to Karmada while its type’s aggregation is unknown and lists have no version', async () => {
    const { index, karmada, facts, start, ended } = read(MAPS, { listOnly: true })
    facts.isAggregated = () => Promise.reject(new Error('no answer'))
    start()
    expect(await ended).toBe('ended')
    expect([index.received, karmada.received.length]).toEqual([[], 1])
  })

  it('of one object at a minimum version first checks how far the index is', async () => {
    const { index, karmada, start, ended, answers } = read(`${MAPS}/x?resourceVersion=200`)
    start()
    expect(await ended).toBe('ended')
    expect(index.received).toHaveLength(1)
    expect(index.received[0]).not.toContain('/x')
    expect(karmada.received).toEqual([`${MAPS}/x?resourceVersion=200`])
    expect(answers).toEqual(['karmada NotReached'])
  })

  it('of one object at a minimum version goes to Karmada where the index reports no position', async () => {
    const { index, karmada, start, ended, answers } = read(`${MAPS}/x?resourceVersion=50`)
    index.answer = {
      status: 200,
      body: '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[]}',
    }
    start()
    expect(await ended).toBe('ended')
    expect([karmada.received.length, answers]).toEqual([1, ['karmada NotReached']])
  })

  it('of a list at a minimum version is sent once, and finds in the answer that the index lags', async () => {
    const { index, karmada, start, ended, answers } = read(`${MAPS}?resourceVersion=200`)
    start()
    expect(await ended).toBe('ended')
    expect(index.received).toEqual([expect.not.stringContaining('names=')])
    expect(karmada.received).toHaveLength(1)
    expect(answers.at(-1)).toBe('karmada NotReached')
  })

  it('of a list that lacks the caller’s write falls back to Karmada', async () => {
    const { karmada, ledger, start, ended } = read(MAPS)
    const type = { group: '', resource: 'configmaps' }
    ledger.begin({ instance: 'u', user: 'ann' }, type, { verb: 'update', namespace: 'a', name: 'x' }).ended({
      kind: 'wrote',
      namespace: 'a',
      name: 'x',
      expected: { kind: 'present', resourceVersion: '300' },
    })
    start()
    expect(await ended).toBe('ended')
    expect(karmada.received).toHaveLength(1)
  })

  it('that watches from a version does not wait for the caller’s earlier writes', async () => {
    const { index, karmada, facts, start, ended, answers } = read(`${MAPS}?watch=1&resourceVersion=50`)
    facts.showsOwnWrites = async () => false
    start()
    await ended
    expect(answers).toEqual([expect.stringMatching(/^index /)])
    expect([index.received.length, karmada.received]).toEqual([2, []])
  })

  it('that watches from no version waits for them', async () => {
    const { karmada, facts, start, ended } = read(`${MAPS}?watch=1`)
    facts.showsOwnWrites = async () => false
    start()
    await ended
    expect(karmada.received).toHaveLength(1)
  })

  it('whose caller disconnects during the checks is not sent', async () => {
    const { index, karmada, facts, start, failures } = read(MAPS)
    const verdict = deferred<{ allowed: boolean }>()
    facts.verdict = () => verdict.promise
    const reason = new Error('the caller hung up')
    start().abort(reason)
    verdict.resolve({ allowed: true })
    await new Promise(resolve => setImmediate(resolve))
    expect(failures).toEqual([reason])
    expect([index.received, karmada.received]).toEqual([[], []])
  })

  it('whose caller disconnects while the index answers is not sent again', async () => {
    const { index, karmada, start, failures } = read(MAPS)
    index.answer = undefined
    const reading = start()
    await expect.poll(() => index.received.length).toBe(1)
    const reason = new Error('the caller hung up')
    reading.abort(reason)
    await new Promise(resolve => setImmediate(resolve))
    expect(failures).toEqual([reason])
    expect(karmada.received).toEqual([])
  })

  it('with only an old review reports that the instance is unreachable', async () => {
    const { facts, start, ended, answers } = read(MAPS)
    facts.verdict = async () => ({ allowed: true, old: true })
    start()
    expect(await ended).toBe('ended')
    expect(answers).toEqual(['index InstanceAway'])
  })
})

describe('a read that falls back from an unusable index to Karmada', () => {
  const refused = () => Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  const hungUp = new Error('the caller hung up')
  function goesToKarmada() {
    const all = read(MAPS, { trouble: 'it is paused' })
    all.karmada.answer = undefined
    return all
  }

  it('returns to the index when Karmada cannot be reached', async () => {
    const { index, karmada, start, ended } = goesToKarmada()
    start()
    karmada.sinks[0]?.failed(refused())
    expect(await ended).toBe('ended')
    expect([karmada.received.length, index.received.length]).toEqual([1, 1])
  })

  it('ends when its caller has disconnected, even if Karmada does not answer', async () => {
    const { index, karmada, start, ended, failures } = goesToKarmada()
    karmada.send = (_, sink) => {
      karmada.sinks.push(sink)
      return { resume: () => undefined, abort: () => sink.failed(refused()) }
    }
    const exchange = start()
    exchange.abort(hungUp)
    expect(await ended).toBe(hungUp)
    await settled()
    expect([failures, index.received]).toEqual([[hungUp], []])
  })

  it('ends when its caller disconnects after Karmada failed', async () => {
    const { index, karmada, facts, start, ended, failures } = goesToKarmada()
    karmada.send = (_, sink) => {
      karmada.sinks.push(sink)
      // It is over when it has failed.
      return { resume: () => undefined, abort: () => undefined }
    }
    const verdict = deferred<{ allowed: boolean }>()
    facts.verdict = () => verdict.promise
    const exchange = start()
    karmada.sinks[0]?.failed(refused())
    exchange.abort(hungUp)
    verdict.resolve({ allowed: true })
    expect(await ended).toBe(hungUp)
    await settled()
    expect([failures, index.received]).toEqual([[hungUp], []])
  })
})

/** Lets everything happen that waits for nothing. */
const settled = () => new Promise(resolve => setImmediate(resolve))

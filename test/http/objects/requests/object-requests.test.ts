import { beforeEach, describe, expect, it } from 'vitest'
import { AnswerMemory } from '../../../../http/limits/answer-memory.js'
import { ObjectRequests, targetOf } from '../../../../http/objects/requests/object-requests.js'
import type { ProxyLimits } from '../../../../http/proxy/limits.js'
import { requestParts } from '../../../../http/proxy/request-parts.js'
import { WriteLedger } from '../../../../http/read-your-writes/ledger.js'
import type { KubeApi, RawExchange, RawRequest, RawSink } from '../../../../ports/kube-api.js'
import type { Labels } from '../../../../ports/meter.js'
import { unmetered } from '../../../silent.js'
import { fakeFleet, viewOf } from '../../fakes/fleet.js'
import { fakeLog } from '../../fakes/log.js'

const MIB = 1 << 20
const request = { method: 'GET', path: '/api/v1/configmaps' } as const
const now = () => performance.now()

/** What befell, in its order. */
let steps: string[]
let sent: RawRequest[]
let counted: [string, Labels | undefined][]
let answer: { status: number; body: string; ends: boolean }
beforeEach(() => {
  steps = []
  sent = []
  counted = []
  answer = { status: 200, body: '{}', ends: true }
})

function send(raw: RawRequest, sink: RawSink): RawExchange {
  steps.push('sent')
  sent.push(raw)
  queueMicrotask(() => {
    sink.head(answer.status, '', [])
    sink.data(Buffer.from(answer.body))
    if (answer.ends) sink.end()
  })
  return { resume: () => undefined, abort: reason => sink.failed(reason) }
}

function instance({
  limits = {},
  memory = new AnswerMemory(),
}: {
  limits?: Partial<ProxyLimits>
  memory?: AnswerMemory
} = {}) {
  const fleet = fakeFleet(viewOf('north'))
  const api = { server: 'https://north.test', upstream: { send } }
  fleet.connections.set('north', api as unknown as KubeApi)
  const meter = {
    ...unmetered,
    count: (name: string, labels?: Labels) => void counted.push([name, labels]),
  }
  const parts = requestParts({ fleet, log: fakeLog(), meter, now, ledger: new WriteLedger(now), limits })
  const sameAsWritten = async (name: string) => {
    await Promise.resolve()
    steps.push(`${name} is as written`)
  }
  const requests = new ObjectRequests({ parts, instances: { sameAsWritten } })
  const callOf = (lasts = false) => ({
    caller: { user: 'ann', groups: [], extra: {} },
    signal: new AbortController().signal,
    answers: memory.account('ann', lasts),
    answered: () => undefined,
  })
  const get = (lasts?: boolean) => requests.send(callOf(lasts), 'north', request)
  const across = () => {
    const call = callOf()
    const limits = { most: MIB, reading: call.answers.reading('north') }
    return requests.readIndex(call, 'north', { index: { send }, path: '/lists' }, limits)
  }
  const follow = (maySayNothing = false) =>
    requests.stream(callOf(true), 'north', { ...request, maySayNothing }, () => undefined)
  const taken = () => memory.slots.map(({ load }) => load.taken)
  return { get, across, follow, taken }
}

describe('a request to an instance', () => {
  it('is sent when the instance is the one that its caller created', async () => {
    await instance().get()
    expect(steps).toEqual(['north is as written', 'sent'])
  })

  it('shares the sockets of short requests, and must begin and go on in time', async () => {
    await instance().get()
    expect(sent).toMatchObject([{ long: false, headTimeoutMs: 65_000, idleTimeoutMs: 65_000 }])
  })

  it('is counted with where its answer is from', async () => {
    await instance().get()
    const labels = { source: 'karmada', reason: expect.any(String) }
    expect(counted).toEqual([['kairship_object_answers_total', labels]])
  })

  it('is counted as one to an index where that answers for several instances', async () => {
    await instance().across()
    expect(counted).toEqual([['kairship_object_answers_total', { source: 'index', reason: 'Across' }]])
  })

  it('fails as the instance’s own trouble where that refuses Kairship’s credential', async () => {
    answer.status = 401
    await expect(instance().get()).rejects.toThrow('refuses Kairship’s own credential (401)')
  })
})

describe('the memory of an answer to one request', () => {
  it.each([
    ['a unary call holds until it is over', false, [1, 1, 0]],
    ['a stream holds until it is here', true, [0, 0, 0]],
  ])('is what %s', async (_, lasts, held) => {
    answer.body = JSON.stringify('x'.repeat(2 * MIB))
    const { get, taken } = instance()
    await get(lasts)
    expect(taken()).toEqual(held)
  })

  it.each([
    ['an instance', 'get'],
    ['an index over several', 'across'],
  ] as const)('counts the values of what %s answers, and waits for it', async (_, read) => {
    // Its text alone is too short to be counted.
    answer.body = `[${'[],'.repeat(20_000)}[]]`
    const alone = instance()
    await alone[read]()
    expect(alone.taken()).toEqual([1, 0, 0])
    const memory = new AnswerMemory({ mebibytes: 0, waitMs: 1 })
    await memory.account('bob').add(1, 'east')
    await memory.account('eve').add(1, 'west')
    expect(memory.slots[0]?.load).toEqual({ taken: 2, waiting: 0 })
    await expect(instance({ memory })[read]()).rejects.toThrow('no memory for large lists became free')
  })
})

describe('a stream of an instance', () => {
  beforeEach(() => {
    answer = { status: 200, body: 'x', ends: false }
  })

  it('is opened when the instance is the one that its caller created', async () => {
    const bytes = instance().follow()
    await bytes.next()
    await bytes.return()
    expect(steps).toEqual(['north is as written', 'sent'])
  })

  it.each([
    ['must begin in time', false, 65_000],
    ['may say nothing for as long as it likes where that is asked for', true, 0],
  ])('has a socket of its own, may stall, and %s', async (_, maySayNothing, headTimeoutMs) => {
    const bytes = instance().follow(maySayNothing)
    await bytes.next()
    await bytes.return()
    expect(sent).toMatchObject([{ long: true, headTimeoutMs }])
    expect(sent[0]).not.toHaveProperty('idleTimeoutMs')
  })

  it('counts among the streams of its caller until it is over, and not among the requests', async () => {
    const limits = { streamsPerCaller: 1, requestsPerInstance: 2, requestsPerCaller: 1 }
    const { get, follow } = instance({ limits })
    const first = follow()
    await first.next()
    await expect(follow().next()).rejects.toThrow('ann already has 1 watches and connections open')
    answer.ends = true
    await get()
    await first.return()
    expect((await follow().next()).value?.toString()).toBe('x')
  })
})

describe('the path of a request', () => {
  it('has what its query gives, and nothing for what is empty', () => {
    const query = { limit: 500, continue: '', labelSelector: undefined, fieldSelector: 'a=b' }
    expect(targetOf({ path: '/api/v1/pods', query })).toBe('/api/v1/pods?limit=500&fieldSelector=a%3Db')
    expect(targetOf({ path: '/api/v1/pods', query: { continue: '' } })).toBe('/api/v1/pods')
  })
})

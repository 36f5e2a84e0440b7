import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { cancelled } from '../../../../http/errors/failure.js'
import { Circuits } from '../../../../http/proxy/circuit/circuits.js'
import { StatusError } from '../../../../manifests/status-error.js'
import type { RawRequest, RawSink, Sender, UpgradeSink, Upstream } from '../../../../ports/kube-api.js'
import { UnreachableError } from '../../../../ports/kube-api.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const clusters = '/apis/cluster.karmada.io/v1alpha1/clusters'
const pods = '/api/v1/pods'

/** A server that keeps connections, and answers only what a test lets it answer. */
function server(...answered: string[]) {
  const turns: string[] = []
  const requests: { path: string; sink: RawSink | UpgradeSink }[] = []
  const state = { answered }
  const behind: Upstream = {
    send: ({ path }: RawRequest, sink) => {
      requests.push({ path, sink })
      if (state.answered.includes(path)) queueMicrotask(() => sink.head(200, 'OK', []))
      return { resume: () => undefined, abort: error => sink.failed(error) }
    },
    upgrade: ({ path }, sink) => {
      requests.push({ path, sink })
      return { resume: () => undefined, abort: error => sink.failed(error) }
    },
  }
  const circuits = new Circuits(Date.now, (name, _, to) => turns.push(`${name} ${to}`))
  return { circuits, behind, requests, turns, state, asked: (path: string) => count(requests, path) }
}

const count = (requests: readonly { path: string }[], path: string) =>
  requests.filter(request => request.path === path).length

const sinkInto = (told: string[]): RawSink => ({
  head: status => told.push(String(status)),
  data: () => true,
  end: () => undefined,
  failed: error => told.push(error.message),
})

/** Answers an upgrade with a 101. */
function accept(sink: RawSink | UpgradeSink | undefined): void {
  if (!sink || !('switched' in sink)) throw new Error('there was no upgrade')
  sink.switched([], {} as never)
}

/** What becomes of a request. */
function send(upstream: Sender, path: string) {
  const told: string[] = []
  upstream.send({ method: 'GET', path, headers: [], long: false, headTimeoutMs: 65_000 }, sinkInto(told))
  return told
}

const silent = 'the instance’s API server does not answer: nothing came for /livez either'

describe('an instance whose API server hangs', () => {
  it('fails all waiting requests within seconds, and opens its circuit', async () => {
    const { circuits, behind, turns, asked } = server()
    const upstream = circuits.guard('north', behind)
    const [first, second] = [send(upstream, pods), send(upstream, clusters)]
    const review = upstream.ask('/reviews', () => new Promise(() => undefined)).catch(error => error.message)
    const exec: string[] = []
    const upgrade = { method: 'GET', path: pods, headers: [], headTimeoutMs: 0, protocol: 'websocket' }
    upstream.upgrade(upgrade, { ...sinkInto(exec), switched: () => undefined })
    await vi.advanceTimersByTimeAsync(5_500)
    expect([first, second, await review, exec]).toEqual([[silent], [silent], silent, [silent]])
    expect(turns).toEqual(['north open'])
    expect(send(upstream, pods)).toEqual([`${silent}; requests are refused for a moment`])
    expect([asked(pods), upstream.admits]).toEqual([2, false])
  })

  it('is probed without a caller’s request, and used again when it answers', async () => {
    const { circuits, behind, turns, state, asked } = server()
    const upstream = circuits.guard('north', behind)
    send(upstream, pods)
    await vi.advanceTimersByTimeAsync(5_500)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(send(upstream, pods)[0]).toMatch(/refused for a moment/)
    await vi.advanceTimersByTimeAsync(3_000)
    expect(turns).toEqual(['north open', 'north halfOpen', 'north open'])
    state.answered = ['/livez', pods]
    await vi.advanceTimersByTimeAsync(2_000)
    expect(upstream.admits).toBe(false)
    await vi.advanceTimersByTimeAsync(0)
    expect([upstream.admits, turns.at(-1), asked(pods)]).toEqual([true, 'north closed', 1])
    const again = send(upstream, pods)
    await vi.advanceTimersByTimeAsync(0)
    expect(again).toEqual(['200'])
  })

  it('is detected even though it answered other requests before', async () => {
    const { circuits, behind, requests } = server()
    const upstream = circuits.guard('north', behind)
    const quick = send(upstream, '/version')
    requests[0]?.sink.head(200, 'OK', [])
    const told = send(upstream, pods)
    await vi.advanceTimersByTimeAsync(5_500)
    expect([quick, told]).toEqual([['200'], [silent]])
  })

  it('keeps watches and upgraded connections that it has begun to answer', async () => {
    const { circuits, behind, requests, turns } = server()
    const upstream = circuits.guard('north', behind)
    const watch = send(upstream, `${pods}?watch=true`)
    const exec: string[] = []
    const upgrade = { method: 'GET', path: pods, headers: [], headTimeoutMs: 0, protocol: 'websocket' }
    upstream.upgrade(upgrade, { ...sinkInto(exec), switched: () => exec.push('101') })
    requests[0]?.sink.head(200, 'OK', [])
    accept(requests[1]?.sink)
    const told = send(upstream, pods)
    await vi.advanceTimersByTimeAsync(5_500)
    expect([watch, exec, told]).toEqual([['200'], ['101'], [silent]])
    expect(turns).toEqual(['north open'])
  })
})

describe('the circuit of an instance that answers', () => {
  const reset = () => Object.assign(new Error('reset'), { code: 'ECONNRESET' })

  it('stays closed when watches that it answered break, however many', async () => {
    const { circuits, behind, turns, requests } = server()
    const upstream = circuits.guard('north', behind)
    const told = Array.from({ length: 20 }, () => send(upstream, pods))
    for (const { sink } of requests) sink.head(200, 'OK', [])
    for (const { sink } of requests) sink.failed(reset())
    expect([told, turns, upstream.admits]).toEqual([told.map(() => ['200', 'reset']), [], true])
  })

  it('stays closed when connections break before and after an accepted upgrade', async () => {
    const { circuits, behind, turns, requests } = server()
    const upstream = circuits.guard('north', behind)
    const breaks = (times: number) => {
      for (let time = 0; time < times; time++) {
        send(upstream, pods)
        requests.at(-1)?.sink.failed(reset())
      }
    }
    breaks(4)
    const upgrade = { method: 'GET', path: pods, headers: [], headTimeoutMs: 0, protocol: 'websocket' }
    upstream.upgrade(upgrade, { ...sinkInto([]), switched: () => undefined })
    accept(requests.at(-1)?.sink)
    breaks(4)
    expect([turns, upstream.admits]).toEqual([[], true])
  })

  it('needs no probe while Kairship’s own request is answered', async () => {
    const { circuits, behind, asked } = server()
    const upstream = circuits.guard('north', behind)
    expect(await upstream.ask('/reviews', async () => 1)).toBe(1)
    await expect(upstream.ask('/reviews', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(asked('/livez')).toBe(0)
  })

  it('stays closed when callers disconnect before it answers', async () => {
    const { circuits, behind, turns, requests } = server()
    const upstream = circuits.guard('north', behind)
    const told = Array.from({ length: 20 }, () => send(upstream, pods))
    for (const { sink } of requests) sink.failed(cancelled('the caller hung up'))
    expect([new Set(told.flat()), turns, upstream.admits]).toEqual([
      new Set(['the caller hung up']),
      [],
      true,
    ])
  })

  it('stays closed when it refuses Kairship’s own requests', async () => {
    const { circuits, behind, turns } = server()
    const upstream = circuits.guard('north', behind)
    const refused = new StatusError({ code: 403, reason: 'Forbidden', message: 'no' } as never)
    for (let times = 0; times < 20; times++)
      await expect(upstream.ask('/reviews', () => Promise.reject(refused))).rejects.toBe(refused)
    expect([turns, upstream.admits]).toEqual([[], true])
  })
})

describe('an instance that answers slowly', () => {
  it('is waited for as long as its probes succeed', async () => {
    const { circuits, behind, turns, requests, asked } = server('/livez', '/apis/apps/v1')
    const upstream = circuits.guard('north', behind)
    const told = send(upstream, '/apis/apps/v1/deployments')
    const ofCore = send(upstream, pods)
    await vi.advanceTimersByTimeAsync(60_000)
    expect([told, ofCore, turns]).toEqual([[], [], []])
    // Signs of life are asked for ever more rarely.
    expect(asked('/livez')).toBeLessThanOrEqual(6)
    requests[0]?.sink.head(200, 'OK', [])
    expect(told).toEqual(['200'])
  })

  it('keeps its circuit closed for requests whose response head never arrives', async () => {
    const { circuits, behind, turns, requests } = server('/livez', '/version')
    const upstream = circuits.guard('north', behind)
    const path = '/apis/cluster.karmada.io/v1alpha1/clusters/m/proxy/api/v1/namespaces/n/pods/p/proxy/'
    const told = Array.from({ length: 128 }, () => send(upstream, path))
    await vi.advanceTimersByTimeAsync(0)
    const late = Object.assign(new Error('late'), { code: 'UND_ERR_HEADERS_TIMEOUT' })
    for (const request of requests.filter(request => request.path === path)) request.sink.failed(late)
    expect([new Set(told.flat()), turns, upstream.admits]).toEqual([new Set(['late']), [], true])
    const other = send(upstream, '/version')
    await vi.advanceTimersByTimeAsync(0)
    expect(other).toEqual(['200'])
  })

  it('is not taken for hung because of probes that it answered meanwhile', async () => {
    const { circuits, behind, turns, requests } = server()
    const upstream = circuits.guard('north', behind)
    const [slow, quick] = [send(upstream, pods), send(upstream, '/version')]
    await vi.advanceTimersByTimeAsync(3_000)
    requests[1]?.sink.head(200, 'OK', [])
    await vi.advanceTimersByTimeAsync(2_500)
    expect([slow, quick, turns]).toEqual([[], ['200'], []])
  })
})

describe('an aggregated API that hangs', () => {
  const because =
    'the instance’s API server answers, but /apis/cluster.karmada.io/v1alpha1 behind it does not'

  it('is named and its requests fail, and nothing else of its instance is affected', async () => {
    const { circuits, behind, turns, asked } = server('/livez', '/api/v1', '/apis/apps/v1')
    const upstream = circuits.guard('north', behind)
    const told = [clusters, `${clusters}?limit=500`, `${clusters}/m/proxy/api`].map(path =>
      send(upstream, path),
    )
    const others = [send(upstream, pods), send(upstream, '/apis/apps/v1/deployments')]
    await vi.advanceTimersByTimeAsync(5_500)
    expect([...told, ...others]).toEqual([[because], [because], [because], [], []])
    expect(turns).toEqual(['north/apis/cluster.karmada.io/v1alpha1 open'])
    expect(send(upstream, clusters)[0]).toMatch(
      /although the instance’s API server does; requests are refused/,
    )
    expect([asked(clusters), upstream.admits]).toEqual([1, true])
  })

  it('is used again when it answers', async () => {
    const { circuits, behind, turns, state } = server('/livez')
    const upstream = circuits.guard('north', behind)
    send(upstream, clusters)
    await vi.advanceTimersByTimeAsync(5_500)
    state.answered.push('/apis/cluster.karmada.io/v1alpha1', clusters)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(send(upstream, clusters)[0]).toMatch(/refused for a moment/)
    await vi.advanceTimersByTimeAsync(0)
    const told = send(upstream, clusters)
    await vi.advanceTimersByTimeAsync(0)
    expect([told, turns.at(-1)]).toEqual([['200'], 'north/apis/cluster.karmada.io/v1alpha1 closed'])
  })
})

describe('an index that hangs', () => {
  it('fails all waiting reads at the first request without an answer, and gets no caller’s request', async () => {
    const { circuits, behind, turns, requests, asked, state } = server()
    const upstream = circuits.guardIndex('north', behind, '/canary')
    const [first, second] = [send(upstream, '/a'), send(upstream, '/b')]
    requests[0]?.sink.failed(Object.assign(new Error('timeout'), { code: 'UND_ERR_HEADERS_TIMEOUT' }))
    expect([first, second]).toEqual([['timeout'], ['the index does not answer']])
    expect([turns, upstream.admits]).toEqual([['north (index) open'], false])
    state.answered = ['/canary']
    await vi.advanceTimersByTimeAsync(1_000)
    expect(upstream.admits).toBe(false)
    await vi.advanceTimersByTimeAsync(0)
    expect([upstream.admits, asked('/a'), asked('/canary')]).toEqual([true, 1, 1])
  })
})

describe('a request of Kairship’s own to an instance', () => {
  it('counts for its circuit as callers’ requests do', async () => {
    const { circuits, behind, turns } = server()
    const upstream = circuits.guard('north', behind)
    const refused = new UnreachableError('refused', 'ECONNREFUSED')
    for (let time = 0; time < 5; time++)
      await expect(upstream.ask('/x', () => Promise.reject(refused))).rejects.toBe(refused)
    expect(turns).toEqual(['north open'])
    await expect(upstream.ask('/x', () => Promise.resolve(1))).rejects.toThrow(/5 times in a row/)
  })

  it('frees the trial for the next request when it was aborted without a result', async () => {
    const { circuits, behind, turns } = server()
    const upstream = circuits.guard('north', behind)
    const refused = new UnreachableError('refused', 'ECONNREFUSED')
    for (let time = 0; time < 5; time++)
      await expect(upstream.ask('/x', () => Promise.reject(refused))).rejects.toBe(refused)
    await vi.advanceTimersByTimeAsync(1_000)
    await expect(upstream.ask('/x', () => Promise.reject(cancelled('gone')))).rejects.toThrow('gone')
    expect(await upstream.ask('/x', async () => 1)).toBe(1)
    expect(turns).toEqual(['north open', 'north halfOpen', 'north closed'])
  })
})

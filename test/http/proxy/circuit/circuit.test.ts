import { describe, expect, it } from 'vitest'
import { type Attempt, Circuit } from '../../../../http/proxy/circuit/circuit.js'
import { Circuits } from '../../../../http/proxy/circuit/circuits.js'
import type { Upstream } from '../../../../ports/kube-api.js'
import { waitFor } from '../../../patience.js'
import { unmetered } from '../../../silent.js'
import { ProxyUnderTest } from '../proxy-under-test.js'

/** A circuit on a clock that the test turns. */
function circuit() {
  const clock = { now: 1_000 }
  const turns: string[] = []
  const subject = new Circuit(
    () => clock.now,
    (from, to) => turns.push(`${from}→${to}`),
  )
  const retryAfter = () => {
    try {
      subject.enter().over()
      return undefined
    } catch (error) {
      return (error as { details: { retryAfterSeconds: number } }).details.retryAfterSeconds
    }
  }
  const breaks = (times: number) => {
    for (let time = 0; time < times; time++) finish(subject.enter(), 'broke')
  }
  return { subject, clock, turns, retryAfter, breaks }
}

function finish(attempt: Attempt, how: 'answered' | 'broke' | 'neither'): void {
  if (how !== 'neither') attempt[how]()
  attempt.over()
}

describe('a circuit', () => {
  it('opens after five failures in a row, and reports a retry time', () => {
    const { subject, breaks, retryAfter, turns } = circuit()
    breaks(4)
    expect([subject.state, retryAfter()]).toEqual(['closed', undefined])
    breaks(1)
    expect([subject.state, retryAfter()]).toEqual(['open', 1])
    expect(() => subject.enter()).toThrow(/could not be reached 5 times in a row/)
    expect(turns).toEqual(['closed→open'])
  })

  it('does not count failures from before an answer, or requests that callers aborted', () => {
    const { subject, breaks } = circuit()
    breaks(4)
    finish(subject.enter(), 'answered')
    breaks(4)
    for (let time = 0; time < 10; time++) finish(subject.enter(), 'neither')
    expect(subject.state).toBe('closed')
  })

  it('lets one trial through after the pause, and closes when that is answered', () => {
    const { subject, clock, breaks, retryAfter, turns } = circuit()
    breaks(5)
    clock.now += 1_000
    const trial = subject.enter()
    expect(retryAfter()).toBe(10)
    finish(trial, 'answered')
    expect([subject.state, retryAfter()]).toEqual(['closed', undefined])
    expect(turns).toEqual(['closed→open', 'open→halfOpen', 'halfOpen→closed'])
    breaks(4)
    expect(subject.state).toBe('closed')
  })

  it('doubles its pause after each failed trial, up to ten seconds, and resets it after an answer', () => {
    const { subject, clock, breaks, retryAfter } = circuit()
    breaks(5)
    const pauses = []
    for (let trial = 0; trial < 5; trial++) {
      const pause = retryAfter() ?? 0
      pauses.push(pause)
      clock.now += pause * 1_000
      finish(subject.enter(), 'broke')
    }
    expect([...pauses, retryAfter()]).toEqual([1, 2, 4, 8, 10, 10])
    clock.now += 10_000
    finish(subject.enter(), 'answered')
    breaks(5)
    expect(retryAfter()).toBe(1)
  })

  it('lets another trial through when the first is aborted or takes too long', () => {
    const { subject, clock, breaks } = circuit()
    breaks(5)
    clock.now += 1_000
    finish(subject.enter(), 'neither')
    const slow = subject.enter()
    expect(() => subject.enter()).toThrow()
    clock.now += 10_000
    finish(subject.enter(), 'answered')
    expect(subject.state).toBe('closed')
    finish(slow, 'broke')
    expect(subject.state).toBe('closed')
  })

  it('accepts an answer to an earlier request, and ignores a late failure', () => {
    const { subject, breaks, retryAfter, clock } = circuit()
    const [late, lucky] = [subject.enter(), subject.enter()]
    breaks(5)
    clock.now += 500
    finish(late, 'broke')
    expect(retryAfter()).toBe(1)
    finish(lucky, 'answered')
    expect(subject.state).toBe('closed')
  })
})

describe('an open circuit', () => {
  it('does not restart its pause when the server is found to hang again', () => {
    const { subject, clock } = circuit()
    subject.hung('it hangs')
    clock.now += 999
    subject.hung('it still hangs')
    expect(() => subject.enter()).toThrow(/^it still hangs; requests are refused/)
    clock.now += 1
    expect(() => subject.enter()).not.toThrow()
  })
})

describe('circuits', () => {
  /** An endpoint where nobody is. */
  const nobody = (): Upstream & { asked: number } => ({
    asked: 0,
    send(_, sink) {
      this.asked++
      sink.failed(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
      return { resume: () => undefined, abort: () => undefined }
    },
    upgrade(request, sink) {
      return this.send({ ...request, long: true }, sink)
    },
  })
  const request = { method: 'GET', path: '/', headers: [], long: false, headTimeoutMs: 0 }
  const ask = (upstream: Upstream): Promise<string> =>
    new Promise(resolve => {
      const nothing = () => undefined
      const sink = { head: nothing, data: () => true, end: nothing }
      upstream.send(request, { ...sink, failed: error => resolve(error.message) })
    })

  const askUpgrade = (upstream: Upstream): Promise<string> =>
    new Promise(resolve => {
      const nothing = () => undefined
      const sink = { head: nothing, data: () => true, end: nothing, switched: nothing }
      upstream.upgrade(
        { ...request, protocol: 'websocket' },
        { ...sink, failed: error => resolve(error.message) },
      )
    })

  /** What became of them, e.g. `north closed→open`. */
  function recorded() {
    const turns: string[] = []
    const all = new Circuits(
      () => 0,
      (instance, from, to) => turns.push(`${instance} ${from}→${to}`),
    )
    return { all, turns }
  }

  it('are separate for each instance, shared by requests and upgrades, and reset with a new connection', async () => {
    const { all, turns } = recorded()
    const [north, south] = [nobody(), nobody()]
    for (let time = 0; time < 3; time++) expect(await ask(all.guard('north', north))).toBe('refused')
    for (let time = 0; time < 2; time++) expect(await askUpgrade(all.guard('north', north))).toBe('refused')
    expect(await ask(all.guard('north', north))).toMatch(/5 times in a row/)
    expect(await askUpgrade(all.guard('north', north))).toMatch(/5 times in a row/)
    expect(north.asked).toBe(5)
    expect(await ask(all.guard('south', south))).toBe('refused')
    expect(await ask(all.guard('north', nobody()))).toBe('refused')
    expect(turns).toEqual(['north closed→open', 'north open→closed'])
  })

  it('of an instance that could not be reached let a caller try after the pause', async () => {
    const clock = { now: 0 }
    const all = new Circuits(
      () => clock.now,
      () => undefined,
    )
    const north = nobody()
    for (let time = 0; time < 5; time++) await ask(all.guard('north', north))
    clock.now = 999
    expect(await ask(all.guard('north', north))).toMatch(/refused for a moment/)
    clock.now = 1_000
    expect(await ask(all.guard('north', north))).toBe('refused')
  })

  it('of a replaced connection do not change, whatever happens to its requests', async () => {
    const { all, turns } = recorded()
    const waiting: ((error: Error) => void)[] = []
    const north: Upstream = {
      ...nobody(),
      send: (_, sink) => {
        waiting.push(error => sink.failed(error))
        return { resume: () => undefined, abort: () => undefined }
      },
    }
    const told = Array.from({ length: 5 }, () => ask(all.guard('north', north)))
    all.guard('north', nobody())
    for (const fail of waiting) fail(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
    await Promise.all(told)
    expect(turns).toEqual([])
  })

  it('are removed with their instances, and the others stay', async () => {
    const { all, turns } = recorded()
    const [gone, stays] = [nobody(), nobody()]
    for (let time = 0; time < 5; time++) {
      await ask(all.guard('gone', gone))
      await ask(all.guard('stays', stays))
    }
    all.keepOnly(instance => instance === 'stays')
    expect(turns).toEqual(['gone closed→open', 'stays closed→open', 'gone open→closed'])
    expect(await ask(all.guard('gone', gone))).toBe('refused')
    expect(await ask(all.guard('stays', stays))).toMatch(/5 times in a row/)
  })
})

describe('an instance that is deleted while its circuit is open', () => {
  const gauges = new Map<string, number>()
  const meter = { ...unmetered, gauge: (name: string, value: number) => void gauges.set(name, value) }
  const proxy = new ProxyUnderTest({ meter, proxyLimits: { patienceMs: 200 } })

  it('is no longer counted as open', async () => {
    proxy.upstream.answer = (_, response) => response.destroy()
    for (let time = 0; time < 5; time++) expect((await proxy.ask('/north/proxy/x')).status).toBe(503)
    expect(gauges.get('kairship_proxy_circuits_open')).toBe(1)
    proxy.fleet.delete('north')
    await waitFor(() => expect(gauges.get('kairship_proxy_circuits_open')).toBe(0))
  })
})

import { describe, expect, it } from 'vitest'
import { type Attempt, Circuit, Circuits } from '../../../http/native-door/circuit.js'
import type { Upstream } from '../../../ports/kube-api.js'

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
  it('opens after five breaks in a row, and says when to ask again', () => {
    const { subject, breaks, retryAfter, turns } = circuit()
    breaks(4)
    expect([subject.state, retryAfter()]).toEqual(['closed', undefined])
    breaks(1)
    expect([subject.state, retryAfter()]).toEqual(['open', 1])
    expect(() => subject.enter()).toThrow(/could not be reached 5 times in a row/)
    expect(turns).toEqual(['closed→open'])
  })

  it('counts no breaks from before an answer, and nothing that callers gave up', () => {
    const { subject, breaks } = circuit()
    breaks(4)
    finish(subject.enter(), 'answered')
    breaks(4)
    for (let time = 0; time < 10; time++) finish(subject.enter(), 'neither')
    expect(subject.state).toBe('closed')
  })

  it('lets one request try after the pause, and closes when that is answered', () => {
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

  it('waits longer after each trial in vain, up to ten seconds, and begins anew after an answer', () => {
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

  it('lets the next try when who tried gave up, or takes too long', () => {
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

  it('takes an answer to an earlier request for what it is, and a late break for no news', () => {
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

describe('circuits', () => {
  const upstream = () => ({}) as Upstream

  it('are one for each instance, and begin anew with a new connection', () => {
    const turns: string[] = []
    const all = new Circuits(
      () => 0,
      (instance, from, to) => turns.push(`${instance} ${from}→${to}`),
    )
    const [old, other] = [upstream(), upstream()]
    const stale = all.of('north', old)
    for (let time = 0; time < 5; time++) stale.enter().broke()
    expect(all.of('north', old).state).toBe('open')
    expect(all.of('south', other).state).toBe('closed')
    expect(all.of('north', upstream()).state).toBe('closed')
    expect(turns).toEqual(['north closed→open', 'north open→closed'])
  })
})

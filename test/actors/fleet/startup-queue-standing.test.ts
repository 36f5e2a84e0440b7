import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  GIVEN_UP_MS,
  HANGS_MS,
  ROOM_OF_ONE_THAT_HANGS,
  STILL_AT_ONCE,
} from '../../../actors/fleet/standing-still.js'
import { COMING_UP_AT_ONCE, HELD_MS, STILL_MS, StartupQueue } from '../../../actors/fleet/startup-queue.js'
import { UNHURRIED } from '../kube/turns-under-test.js'
import { born, fill, idle, queue } from './startup-queue-under-test.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a start-up queue, of those that stand still', () => {
  it('gives the place of one that shows no progress to the next, and keeps the place of one that does', () => {
    const { up, queue: startup } = queue()
    startup.open()
    const first = fill(startup)
    for (const name of ['a', 'b']) startup.enter(born(name, 1))
    vi.advanceTimersByTime(STILL_MS - 1)
    for (const name of first.slice(2)) startup.progressed(name, true)
    vi.advanceTimersByTime(STILL_MS - 1)
    expect(up).toEqual([...first, 'a', 'b'])
    startup.enter(born('c', 2))
    vi.advanceTimersByTime(1)
    expect(up.at(-1)).toBe('c')
  })

  it('gives the place of one to the next of which something is observed all the time, and that does not come up', () => {
    const { up, queue: startup } = queue()
    startup.open()
    const first = fill(startup)
    startup.enter(born('next', 1))
    let passed = 0
    const flood = (forMs: number) => {
      for (const until = passed + forMs; passed < until; passed += STILL_MS / 2) {
        for (const name of first) startup.progressed(name, true)
        vi.advanceTimersByTime(STILL_MS / 2)
      }
    }
    flood(HELD_MS)
    expect(up).toEqual(first)
    flood(STILL_MS)
    expect(up).toEqual([...first, 'next'])
  })

  it('begins no more while it is the event loop that keeps them from getting on', () => {
    let busy = 0.9
    const { up, queue: startup } = queue(() => busy)
    startup.open()
    const first = fill(startup)
    startup.enter(born('a', 1))
    vi.advanceTimersByTime(10 * STILL_MS)
    expect(up).toEqual(first)
    busy = 0.5
    vi.advanceTimersByTime(STILL_MS)
    expect(up.at(-1)).toBe('a')
  })

  it('measures the event loop anew after each time that it was too busy to tell', () => {
    let measured = 0
    const up: string[] = []
    const startup = new StartupQueue(name => up.push(name), {
      measure() {
        const isFirst = ++measured <= COMING_UP_AT_ONCE
        return () => (isFirst ? 0.9 : 0)
      },
      turns: UNHURRIED,
    })
    startup.open()
    const first = fill(startup)
    startup.enter(born('a', 1))
    vi.advanceTimersByTime(STILL_MS)
    expect(up).toEqual(first)
    vi.advanceTimersByTime(STILL_MS)
    expect(up).toEqual([...first, 'a'])
  })

  it('does not give up an instance that is made again for the one that stood still under its name', () => {
    const { up, queue: startup } = queue(() => (up.length > COMING_UP_AT_ONCE ? 0.9 : 0))
    startup.open()
    const [name = ''] = fill(startup)
    startup.enter(born('next', 1))
    vi.advanceTimersByTime(STILL_MS)
    startup.leave(name)
    startup.enter(born(name, 2))
    vi.advanceTimersByTime(2 * GIVEN_UP_MS)
    expect(startup.has(name)).toBe(true)
  })

  it('lets no more than so many that have answered stand still, until they leave or are given up', () => {
    const up: string[] = []
    const startup: StartupQueue = new StartupQueue(name => {
      up.push(name)
      startup.progressed(name, true)
    }, idle)
    startup.open()
    for (let index = 0; index < 1_000; index++) startup.enter(born(`n-${index}`, index))
    vi.advanceTimersByTime(GIVEN_UP_MS - STILL_MS)
    expect(up).toHaveLength(COMING_UP_AT_ONCE + STILL_AT_ONCE)
    startup.leave('n-0')
    vi.advanceTimersByTime(STILL_MS)
    expect(up.length).toBeGreaterThan(COMING_UP_AT_ONCE + STILL_AT_ONCE)
    vi.advanceTimersByTime(GIVEN_UP_MS + STILL_MS)
    expect(up.length).toBeGreaterThan(COMING_UP_AT_ONCE + 2 * STILL_AT_ONCE)
  })

  it('begins no more than so many while none has answered and none has hung long enough', () => {
    const { up, queue: startup } = queue()
    startup.open()
    for (let index = 0; index < 1_000; index++) startup.enter(born(`n-${index}`, index))
    vi.advanceTimersByTime(HANGS_MS)
    expect(up).toHaveLength(COMING_UP_AT_ONCE + STILL_AT_ONCE)
  })

  it('lets a younger one come up soon, although hundreds of older ones take a connection and never answer', () => {
    const up: string[] = []
    const startup: StartupQueue = new StartupQueue(name => {
      up.push(name)
      // Its first probe is given up.
      setTimeout(() => startup.leave(name), 5_000)
    }, idle)
    for (let index = 0; index < 400; index++) startup.enter(born(`hangs-${index}`, index))
    startup.enter(born('younger', 400))
    startup.open()
    // One place after the other, and not 64 of them each five seconds.
    vi.advanceTimersByTime(Math.ceil(401 / COMING_UP_AT_ONCE) * STILL_MS)
    expect(up.at(-1)).toBe('younger')
  })

  it('does not keep one waiting behind a thousand that hang and are made one after the other', () => {
    const begun: { readonly name: string; readonly at: number }[] = []
    let now = 0
    const startup = new StartupQueue(name => void begun.push({ name, at: now }), idle)
    startup.open()
    /** Passes time; a probe that nothing answered is given up after five seconds. */
    const pass = (ms: number) => {
      now += ms
      vi.advanceTimersByTime(ms)
      while (begun[0] && now - begun[0].at >= 5_000) startup.leave(begun.shift()?.name ?? '')
    }
    for (let index = 0; index < 1_000; index++) {
      startup.enter(born(`hangs-${index}`, index))
      pass(40)
    }
    startup.enter(born('younger', 1_000))
    pass(HANGS_MS)
    expect(begun.at(-1)?.name).toBe('younger')
  })

  it('begins fewer again once a control plane answers late, as one does that too many ask', () => {
    const { up, queue: startup } = queue()
    startup.open()
    for (let index = 0; index < 1_000; index++) startup.enter(born(`n-${index}`, index))
    vi.advanceTimersByTime(HANGS_MS + STILL_MS)
    const begun = up.length
    expect(begun).toBeGreaterThan(COMING_UP_AT_ONCE + STILL_AT_ONCE)
    startup.progressed('n-0', true)
    vi.advanceTimersByTime(HANGS_MS / 2)
    expect(up).toHaveLength(begun)
  })

  it('does not take an answer over a slow line for a late one', () => {
    const { up, queue: startup } = queue()
    startup.open()
    for (let index = 0; index < 1_000; index++) startup.enter(born(`n-${index}`, index))
    vi.advanceTimersByTime(HANGS_MS / 2)
    startup.progressed('n-0', true)
    vi.advanceTimersByTime(HANGS_MS / 2 + 2 * STILL_MS)
    const begun = up.length
    expect(begun).toBeGreaterThan(COMING_UP_AT_ONCE + STILL_AT_ONCE + 1)
    vi.advanceTimersByTime(HANGS_MS / 2)
    expect(up.length).toBeGreaterThan(begun)
  })

  it('begins few again of those that enter after all have been begun', () => {
    const { up, queue: startup } = queue()
    startup.open()
    const hanging = COMING_UP_AT_ONCE + STILL_AT_ONCE
    for (let index = 0; index < hanging; index++) startup.enter(born(`n-${index}`, index))
    vi.advanceTimersByTime(2 * HANGS_MS)
    for (const name of [...up]) startup.leave(name)
    for (let index = 0; index < 1_000; index++) startup.enter(born(`later-${index}`, index))
    vi.advanceTimersByTime(HANGS_MS)
    expect(up).toHaveLength(hanging + COMING_UP_AT_ONCE + STILL_AT_ONCE)
    expect(hanging * ROOM_OF_ONE_THAT_HANGS).toBeGreaterThan(STILL_AT_ONCE)
  })
})

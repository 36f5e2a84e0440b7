import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { GIVEN_UP_MS } from '../../../actors/fleet/standing-still.js'
import { COMING_UP_AT_ONCE, STILL_MS, StartupQueue } from '../../../actors/fleet/startup-queue.js'
import { LONG, turnsUnderTest } from '../kube/turns-under-test.js'
import { born, fill, idle, queue, unreachable } from './startup-queue-under-test.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a start-up queue', () => {
  it('lets the oldest come up first, and not more than a few at once', () => {
    const { up, queue: startup } = queue()
    for (let second = 100; second > 0; second--) startup.enter(born(`n-${second}`, second))
    expect(up).toEqual([])
    startup.open()
    expect(up).toEqual(Array.from({ length: COMING_UP_AT_ONCE }, (_, index) => `n-${index + 1}`))
    expect(startup.length).toBe(100 - COMING_UP_AT_ONCE)
  })

  it('lets the next come up when one has left', () => {
    const { up, queue: startup } = queue()
    startup.open()
    const first = fill(startup)
    startup.enter(born('younger', 2))
    startup.enter(born('older', 1))
    expect(up).toEqual(first)
    startup.leave('first-03')
    expect(up.at(-1)).toBe('older')
    expect([startup.has('older'), startup.has('younger')]).toEqual([false, true])
  })

  it('starts none that enters while it waits for a turn in which it is closed', async () => {
    const { turns, pass, nextTurn } = turnsUnderTest()
    const up: string[] = []
    const startup = new StartupQueue(name => up.push(name), { measure: () => () => 0, turns })
    startup.open()
    turns.isOver()
    pass(LONG)
    startup.enter(born('a', 1))
    startup.close()
    startup.enter(born('b', 1))
    await nextTurn()
    expect(up).toEqual([])
  })

  it('waits for one turn, however many enter meanwhile', async () => {
    let asked = 0
    const turns = {
      isOver: () => true,
      mine: () => {
        asked += 1
        return new Promise<void>(() => undefined)
      },
    }
    const startup = new StartupQueue(() => undefined, { measure: () => () => 0, turns })
    startup.open()
    for (let second = 0; second < 100; second += 1) startup.enter(born(`n-${second}`, second))
    expect(asked).toBe(1)
  })

  it('lets those that callers ask for come first, in the order of asking', () => {
    const { up, queue: startup } = queue()
    startup.open()
    const first = fill(startup)
    for (const name of ['a', 'b', 'c', 'd']) startup.enter(born(name, 1))
    for (const name of ['d', 'c', first[0]!, 'nobody']) startup.hurry(name)
    for (const name of first.slice(0, 4)) startup.leave(name)
    expect(up.slice(first.length)).toEqual(['d', 'c', 'a', 'b'])
  })

  it('does not send one to the end again that callers ask for again and again', () => {
    const { up, queue: startup } = queue()
    startup.open()
    const first = fill(startup)
    for (const name of ['a', 'b', 'c']) startup.enter(born(name, 1))
    for (const name of ['b', 'c', 'b']) startup.hurry(name)
    for (const name of first.slice(0, 2)) startup.leave(name)
    expect(up.slice(first.length)).toEqual(['b', 'c'])
  })

  it('lets those that are being deleted come first, and those that were unreachable last', () => {
    const { up, queue: startup } = queue()
    startup.open()
    const first = fill(startup)
    startup.enter(born('unreachable', 1, unreachable))
    startup.enter(born('ordinary', 2))
    const { metadata } = born('deleted', 3)
    startup.enter(
      born('deleted', 3, { metadata: { ...metadata, deletionTimestamp: '2026-01-01T01:00:00Z' } }),
    )
    for (const name of first.slice(0, 3)) startup.leave(name)
    expect(up.slice(first.length)).toEqual(['deleted', 'ordinary', 'unreachable'])
  })

  it('starts one after the other in turns of the event loop, where starts take long', async () => {
    const { turns, pass, nextTurn } = turnsUnderTest()
    const up: string[] = []
    const startup = new StartupQueue(
      name => {
        up.push(name)
        pass(LONG)
      },
      { measure: () => () => 0, turns },
    )
    for (const second of [1, 2, 3]) startup.enter(born(`n-${second}`, second))
    startup.open()
    expect(up).toEqual(['n-1'])
    startup.hurry('n-3')
    expect(up).toEqual(['n-1'])
    await nextTurn()
    expect(up).toEqual(['n-1', 'n-3'])
    await nextTurn()
    expect(up).toEqual(['n-1', 'n-3', 'n-2'])
    await nextTurn()
    startup.enter(born('late', 4))
    startup.enter(born('later', 5))
    startup.close()
    await nextTurn()
    expect(up.slice(3)).toEqual(['late'])
  })

  it('starts nothing after it was closed', () => {
    const { up, queue: startup } = queue()
    startup.open()
    const first = fill(startup)
    startup.enter(born('late', 1))
    vi.advanceTimersByTime(STILL_MS - 1)
    for (const name of first.slice(1)) startup.progressed(name, false)
    vi.advanceTimersByTime(1)
    expect(up).toEqual([...first, 'late'])
    startup.enter(born('later', 2))
    startup.close()
    vi.advanceTimersByTime(STILL_MS)
    expect(up).toEqual([...first, 'late'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not overflow the stack when thousands leave as they come up', () => {
    const up: string[] = []
    const startup: StartupQueue = new StartupQueue(name => {
      up.push(name)
      startup.leave(name)
    }, idle)
    for (let index = 0; index < 20_000; index++) startup.enter(born(`n-${index}`, index % 3_600))
    startup.open()
    expect(up).toHaveLength(20_000)
  })
})

it('whatever happens, each instance that stays comes up once, and never more than the limit together', () => {
  const names = Array.from({ length: 60 }, (_, index) => `n-${index}`)
  const name = fc.constantFrom(...names)
  const command = fc.oneof(
    fc.record({ kind: fc.constant('enter' as const), name, second: fc.nat(90), broken: fc.boolean() }),
    fc.record({ kind: fc.constantFrom('leave' as const, 'hurry' as const), name }),
    fc.record({ kind: fc.constant('progressed' as const), name, answered: fc.boolean() }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(STILL_MS) }),
  )
  fc.assert(
    fc.property(fc.array(command, { maxLength: 150 }), commands => {
      const up: string[] = []
      const entered = new Set<string>()
      const left = new Set<string>()
      const startup = new StartupQueue(started => up.push(started), idle)
      startup.open()
      let together = 0
      for (const one of commands) {
        if (one.kind === 'enter' && !entered.has(one.name)) {
          startup.enter(born(one.name, one.second, one.broken ? unreachable : {}))
          entered.add(one.name)
        }
        if (one.kind === 'leave' || one.kind === 'hurry' || one.kind === 'progressed') {
          if (one.kind === 'leave' && !up.includes(one.name)) left.add(one.name)
          if (one.kind === 'progressed') startup.progressed(one.name, one.answered)
          else startup[one.kind](one.name)
        }
        const before = up.length
        if (one.kind === 'pass') vi.advanceTimersByTime(one.ms)
        else together = Math.max(together, up.length - before)
      }
      expect(together).toBeLessThanOrEqual(COMING_UP_AT_ONCE)
      while (startup.length > 0) vi.advanceTimersByTime(GIVEN_UP_MS)
      expect(up.length).toBe(new Set(up).size)
      for (const each of entered) if (!left.has(each)) expect(up).toContain(each)
      startup.close()
    }),
  )
})

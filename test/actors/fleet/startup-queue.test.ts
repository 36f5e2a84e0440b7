import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  GIVEN_UP_MS,
  HANGS_MS,
  ROOM_OF_ONE_THAT_HANGS,
  STILL_AT_ONCE,
} from '../../../actors/fleet/standing-still.js'
import { COMING_UP_AT_ONCE, HELD_MS, STILL_MS, StartupQueue } from '../../../actors/fleet/startup-queue.js'
import type { Instance } from '../../../manifests/instance.js'
import { instance } from '../../machines/instance/facts.js'
import { LONG, turnsUnderTest, UNHURRIED } from '../kube/turns-under-test.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** An Instance that was created so many seconds into the test. */
const born = (name: string, second: number, more: Partial<Instance> = {}): Instance => ({
  ...instance({
    name,
    uid: name,
    creationTimestamp: `2026-01-01T00:${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}Z`,
  }),
  ...more,
})
const unreachable = {
  status: {
    conditions: [
      {
        type: 'ControlPlaneHealthy',
        status: 'False',
        reason: 'Unreachable',
        message: '',
        lastTransitionTime: '',
      },
    ],
  },
} as Partial<Instance>

/** An event loop that has nothing else to do. */
const idle = { measure: () => () => 0, turns: UNHURRIED }

/** A queue, and who has come up so far. */
function queue(busyness = () => 0) {
  const up: string[] = []
  return {
    up,
    queue: new StartupQueue(name => up.push(name), { measure: () => busyness, turns: UNHURRIED }),
  }
}
/** As many as come up at once, the oldest of all. */
function fill(startup: StartupQueue): string[] {
  const names = Array.from(
    { length: COMING_UP_AT_ONCE },
    (_, index) => `first-${String(index).padStart(2, '0')}`,
  )
  for (const name of names) startup.enter(born(name, 0))
  return names
}

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

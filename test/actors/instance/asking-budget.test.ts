import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  ASK_KINDS,
  AskingBudget,
  type AskKind,
  asksPerSecond,
  burstOf,
  LEAST_SHARE,
  watchLife,
} from '../../../actors/instance/asking-budget.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const FLEET = 1_000
/** Of its own for each ask: one with thousands of listeners is slow. */
const never = () => new AbortController().signal
const kindOf = fc.constantFrom(...ASK_KINDS)

/** Asks that wait, and how many of each kind have begun. */
function asking(busyness = () => 0, fleetSize = () => FLEET) {
  const budget = new AskingBudget(fleetSize, () => busyness)
  const begun = Object.fromEntries(ASK_KINDS.map(kind => [kind, 0])) as Record<AskKind, number>
  const ask = (kind: AskKind, times: number): void => {
    for (let each = 0; each < times; each++)
      void budget.turn(never(), kind).then(() => {
        begun[kind] += 1
      })
  }
  return { budget, begun, ask }
}
/** How many asks begin in so many seconds. */
async function begunIn(seconds: number, begun: Readonly<Record<AskKind, number>>, kind: AskKind) {
  const before = begun[kind]
  await vi.advanceTimersByTimeAsync(seconds * 1_000)
  return begun[kind] - before
}

describe('the budget for asks', () => {
  it('lets a small fleet ask as often as it wants to', async () => {
    const { begun, ask } = asking(undefined, () => 100)
    // A hundred instances that are probed every ten seconds, and whose indexes are measured every thirty.
    for (let second = 0; second < 60; second++) {
      ask('calm', 10)
      ask('index in use', second % 3 === 0 ? 4 : 3)
      await vi.advanceTimersByTimeAsync(1_000)
      expect(begun.calm).toBe((second + 1) * 10)
    }
    expect(begun['index in use']).toBe(200)
  })

  it('gives each of a large fleet its turn, in order, at a rate', async () => {
    const { budget, begun, ask } = asking()
    const order: number[] = []
    for (let index = 0; index < FLEET; index++)
      void budget.turn(never(), 'calm').then(() => order.push(index))
    ask('calm', 1)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(order.length).toBeCloseTo(asksPerSecond('calm', FLEET) * 10, -1)
    expect(order).toEqual(order.map((_, index) => index))
    await vi.advanceTimersByTimeAsync((FLEET / asksPerSecond('calm', FLEET)) * 1_000)
    expect([order.length, begun.calm]).toEqual([FLEET, 1])
  })

  it('asks a suspect control plane four times as often, while it goes on to ask the others', async () => {
    const { begun, ask } = asking()
    for (const kind of ASK_KINDS) ask(kind, 600)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(begun.suspect / begun.calm).toBeCloseTo(4, 0)
    for (const kind of ASK_KINDS) expect(begun[kind]).toBeGreaterThan(asksPerSecond(kind, FLEET) * 4)
  })

  it('writes into indexes at rest no more often in a fleet of ten thousand than in one of ten', async () => {
    const { begun, ask } = asking(undefined, () => 10_000)
    ask('index at rest', 100)
    expect(await begunIn(60, begun, 'index at rest')).toBeLessThanOrEqual(61)
  })

  it('gives way to what the event loop is busy with, and never wholly', async () => {
    let busy = 0
    const { begun, ask } = asking(() => busy)
    ask('calm', FLEET)
    const atRest = await begunIn(10, begun, 'calm')
    busy = 1
    await begunIn(2, begun, 'calm')
    const whileBusy = await begunIn(10, begun, 'calm')
    expect(whileBusy).toBeLessThan(atRest / 3)
    expect(whileBusy).toBeGreaterThan(atRest / 6)
    busy = 0.4
    await begunIn(2, begun, 'calm')
    expect(await begunIn(10, begun, 'calm')).toBeGreaterThan(atRest * 0.9)
  })

  it.each([
    [50, 1],
    [550, 0.5],
    [5_000, LEAST_SHARE],
  ])('gives way where its timers fire %i ms late: to a share of %d', async (lateMs, share) => {
    let heldMs = 0
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + heldMs)
    const { begun, ask } = asking()
    ask('calm', FLEET)
    const hold = async () => {
      heldMs += lateMs
      vi.advanceTimersToNextTimer()
      await vi.advanceTimersByTimeAsync(1_000)
    }
    await hold()
    await hold()
    const [before, began] = [begun.calm, performance.now()]
    for (let second = 0; second < 10; second++) await hold()
    const seconds = (performance.now() - began) / 1_000
    // What could not begin while the loop was held up is not made up for, beyond the burst.
    const heldUp = Math.max(0, (10 * (lateMs - 250)) / 1_000)
    const most = asksPerSecond('calm', FLEET) * (seconds - heldUp)
    expect((begun.calm - before) / most).toBeCloseTo(share, 1)
    // Its timers are punctual again.
    await vi.advanceTimersByTimeAsync(2_000)
    expect((await begunIn(10, begun, 'calm')) / asksPerSecond('calm', FLEET)).toBeCloseTo(10, 0)
    clock.mockRestore()
  })

  it('does not save up for a stampede', async () => {
    const { begun, ask } = asking()
    ask('calm', 1)
    await vi.advanceTimersByTimeAsync(3_600_000)
    ask('calm', FLEET)
    await vi.advanceTimersByTimeAsync(0)
    expect(begun.calm).toBeLessThan(asksPerSecond('calm', FLEET))
  })

  it('drops an ask whose signal aborts, and one whose signal has aborted', async () => {
    const { budget, begun, ask } = asking()
    ask('calm', 100)
    const gone = new AbortController()
    const dropped = Array.from({ length: 100 }, () => budget.turn(gone.signal, 'calm'))
    ask('calm', 1)
    gone.abort('gone')
    for (const one of dropped) await expect(one).rejects.toBe('gone')
    await expect(budget.turn(gone.signal, 'suspect')).rejects.toBe('gone')
    // What was dropped uses up no turn of the others.
    await vi.advanceTimersByTimeAsync((102 / asksPerSecond('calm', FLEET)) * 1_000)
    expect(begun.calm).toBe(101)
    expect(vi.getTimerCount()).toBe(0)
  })
})

it('whatever is asked and dropped: no kind exceeds its rate, and each ask begins when those before it at this rate have', async () => {
  const command = fc.oneof(
    fc.record({ what: fc.constant('ask' as const), kind: kindOf, times: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ what: fc.constant('drop' as const), kind: kindOf }),
    fc.record({ what: fc.constant('pass' as const), ms: fc.nat(4_000) }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { maxLength: 60 }),
      fc.integer({ min: 1, max: 10_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (commands, fleetSize, busy) => {
        const budget = new AskingBudget(
          () => fleetSize,
          () => () => busy,
        )
        const share = Math.max(LEAST_SHARE, Math.min(1, 2 - 2 * busy))
        const begun: { readonly kind: AskKind; readonly at: number }[] = []
        const late: string[] = []
        const waiting: { readonly kind: AskKind; readonly latest: number; readonly drop: AbortController }[] =
          []
        for (const { kind, times, ms, what } of commands.map(one => ({
          kind: 'calm' as AskKind,
          times: 0,
          ms: 0,
          ...one,
        }))) {
          for (let each = 0; each < times; each++) {
            const before = waiting.filter(one => one.kind === kind).length
            const drop = new AbortController()
            // Timers count whole milliseconds.
            const turnMs = 1_000 / (asksPerSecond(kind, fleetSize) * share) + 1
            const latest = performance.now() + (before + 1) * turnMs
            const one = { kind, latest, drop }
            waiting.push(one)
            budget.turn(drop.signal, kind).then(
              () => {
                waiting.splice(waiting.indexOf(one), 1)
                begun.push({ kind, at: performance.now() })
                if (performance.now() > latest) late.push(`${kind} at ${performance.now()}, not ${latest}`)
              },
              () => undefined,
            )
          }
          if (what === 'drop') {
            const one = waiting.find(candidate => candidate.kind === kind)
            if (one) waiting.splice(waiting.indexOf(one), 1)
            one?.drop.abort()
          }
          await vi.advanceTimersByTimeAsync(ms)
        }
        await vi.advanceTimersByTimeAsync(3_000_000)
        expect(waiting).toEqual([])
        expect(late).toEqual([])
        for (const kind of ASK_KINDS) {
          const perSecond = asksPerSecond(kind, fleetSize)
          const times = begun.filter(one => one.kind === kind).map(({ at }) => at)
          for (let window = 1; window < times.length; window++) {
            const seconds = (times[window]! - times[0]!) / 1_000
            expect(window).toBeLessThanOrEqual(seconds * perSecond + burstOf(perSecond) + 0.001)
          }
        }
      },
    ),
    { numRuns: 40 },
  )
})

describe('a watch inside an instance', () => {
  it('lives as long as one of client-go up to a thousand instances', () => {
    for (const fleetSize of [1, 1_000])
      expect(watchLife(fleetSize)).toEqual({ shortest: 300, longest: 600, marginMs: 30_000 })
  })

  it('lives longer in a larger fleet, so that as many begin a second, and an hour at most', () => {
    expect(watchLife(3_000)).toMatchObject({ shortest: 900, longest: 1_800 })
    expect(watchLife(10_000)).toMatchObject({ shortest: 1_800, longest: 3_600 })
    expect(watchLife(100_000)).toEqual(watchLife(10_000))
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AskingBudget, asksPerSecond, type Urgency } from '../../../actors/instance/asking-budget.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const FLEET = 1_000
const never = new AbortController().signal

/** Asks that wait, and how many of each urgency have begun. */
function asking(busyness = () => 0, fleetSize = () => FLEET) {
  const budget = new AskingBudget(fleetSize, () => busyness)
  const begun = { doubt: 0, calm: 0 }
  const ask = (urgency: Urgency, times: number, cost?: number): void => {
    for (let each = 0; each < times; each++)
      void budget.turn(never, urgency, cost).then(() => {
        begun[urgency] += 1
      })
  }
  return { budget, begun, ask }
}
/** How many asks begin in so many seconds. */
async function begunIn(seconds: number, begun: { readonly [K in Urgency]: number }, urgency: Urgency) {
  const before = begun[urgency]
  await vi.advanceTimersByTimeAsync(seconds * 1_000)
  return begun[urgency] - before
}

describe('the budget for asks', () => {
  it('lets a small fleet ask as often as it wants to', async () => {
    const { begun, ask } = asking(undefined, () => 100)
    // A hundred instances that are asked every ten seconds.
    for (let second = 0; second < 60; second++) {
      ask('calm', 10)
      await vi.advanceTimersByTimeAsync(1_000)
      expect(begun.calm).toBe((second + 1) * 10)
    }
  })

  it('gives each of a large fleet its turn, in order, at a rate', async () => {
    const { budget, begun, ask } = asking()
    const order: number[] = []
    for (let index = 0; index < FLEET; index++) void budget.turn(never, 'calm').then(() => order.push(index))
    ask('calm', 1)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(order.length).toBeCloseTo(asksPerSecond(FLEET) * 10, -1)
    expect(order).toEqual(order.map((_, index) => index))
    await vi.advanceTimersByTimeAsync((FLEET / asksPerSecond(FLEET)) * 1_000)
    expect([order.length, begun.calm]).toEqual([FLEET, 1])
  })

  it('asks what is in doubt more often, and keeps asking what is well', async () => {
    const { begun, ask } = asking()
    ask('calm', FLEET)
    ask('doubt', FLEET)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(begun.doubt).toBeGreaterThan(begun.calm * 3)
    expect(begun.calm).toBeGreaterThan(asksPerSecond(FLEET) * 4)
  })

  it('gives way to what the event loop is busy with, and never wholly', async () => {
    let busy = 0
    const { begun, ask } = asking(() => busy)
    ask('calm', 10 * FLEET)
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

  it('counts an ask that is worth several as several', async () => {
    const { begun, ask } = asking()
    ask('calm', FLEET, 5)
    expect(await begunIn(50, begun, 'calm')).toBeCloseTo((asksPerSecond(FLEET) * 50) / 5, -1)
  })

  it('does not save up for a stampede', async () => {
    const { begun, ask } = asking()
    ask('calm', 1)
    await vi.advanceTimersByTimeAsync(3_600_000)
    ask('calm', FLEET)
    await vi.advanceTimersByTimeAsync(0)
    expect(begun.calm).toBeLessThan(asksPerSecond(FLEET))
  })

  it('drops an ask whose signal aborts, and one whose signal has aborted', async () => {
    const { budget, begun, ask } = asking()
    ask('calm', 100)
    const gone = new AbortController()
    const dropped = budget.turn(gone.signal, 'calm')
    gone.abort('gone')
    await expect(dropped).rejects.toBe('gone')
    await expect(budget.turn(gone.signal, 'doubt')).rejects.toBe('gone')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(begun.calm).toBe(100)
    expect(vi.getTimerCount()).toBe(0)
  })
})

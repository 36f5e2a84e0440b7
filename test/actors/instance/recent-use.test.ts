import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AskingBudget, asksPerSecond } from '../../../actors/instance/asking-budget.js'
import { RecentUse, USED_FOR_MS } from '../../../actors/instance/recent-use.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const FLEET = 1_000
const kinds = { used: 'serving', unused: 'index at rest' } as const

/** Asks about instances of a large fleet, most of which wait long. */
function asking() {
  const budget = new AskingBudget(
    () => FLEET,
    () => () => 0,
  )
  const use = new RecentUse(() => true)
  const begun: string[] = []
  const ask = (name: string, signal = new AbortController().signal) =>
    use.turn(budget, name, kinds, signal).then(
      () => void begun.push(name),
      () => undefined,
    )
  return { use, begun, ask }
}

describe('a use', () => {
  it('counts for five minutes after the last one', async () => {
    const use = new RecentUse(() => true)
    expect(use.has('eu')).toBe(false)
    use.note('eu')
    await vi.advanceTimersByTimeAsync(USED_FOR_MS - 1)
    expect([use.has('eu'), use.has('us')]).toEqual([true, false])
    use.note('eu')
    await vi.advanceTimersByTimeAsync(USED_FOR_MS - 1)
    expect(use.has('eu')).toBe(true)
    await vi.advanceTimersByTimeAsync(1)
    expect(use.has('eu')).toBe(false)
  })

  it('of an instance that is gone does not count for its successor', () => {
    const use = new RecentUse(() => true)
    use.note('eu')
    use.forget('eu')
    expect(use.has('eu')).toBe(false)
  })

  it('of an instance that is gone, by a reader who began before, counts for nobody', () => {
    const names = new Set(['eu'])
    const use = new RecentUse(name => names.has(name))
    use.note('eu')
    names.delete('eu')
    use.forget('eu')
    use.note('eu')
    names.add('eu')
    expect(use.has('eu')).toBe(false)
  })
})

describe('an ask', () => {
  it('about an instance in use waits for none about the others', async () => {
    const { use, begun, ask } = asking()
    for (let index = 0; index < 100; index++) void ask(`${index}`)
    use.note('eu')
    void ask('eu')
    await vi.advanceTimersByTimeAsync(0)
    expect(begun).toEqual(['0', 'eu'])
  })

  it('that waits begins among those in use when a caller comes, once', async () => {
    const { use, begun, ask } = asking()
    for (let index = 0; index < 100; index++) void ask(`${index}`)
    await vi.advanceTimersByTimeAsync(0)
    use.note('1')
    use.note('1')
    use.note('another')
    await vi.advanceTimersByTimeAsync(0)
    expect(begun).toEqual(['0', '1'])
    // It uses up no turn among those that it left: 98 wait there, one a second.
    await vi.advanceTimersByTimeAsync(98_500)
    expect(begun.toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 100 }, (_, index) => `${index}`),
    )
  })

  it('that callers raised waits for its turn there, and is dropped from there', async () => {
    const { use, begun, ask } = asking()
    const gone = new AbortController()
    for (let index = 0; index < 100; index++) void ask(`${index}`, index === 99 ? gone.signal : undefined)
    await vi.advanceTimersByTimeAsync(0)
    for (let index = 1; index < 100; index++) use.note(`${index}`)
    // Another use changes nothing of the order.
    use.note('50')
    await vi.advanceTimersByTimeAsync(1_000)
    // The first of its kind, and what a pause saved up.
    const perSecond = asksPerSecond('serving', FLEET)
    expect(begun.length).toBeGreaterThan(perSecond)
    expect(begun.length).toBeLessThan(perSecond * 1.5)
    gone.abort()
    await vi.advanceTimersByTimeAsync(200_000)
    expect(begun).toEqual(Array.from({ length: 99 }, (_, index) => `${index}`))
  })

  it('that has begun or was dropped is not begun by a later use', async () => {
    const { use, begun, ask } = asking()
    const gone = new AbortController()
    void ask('eu')
    void ask('us', gone.signal)
    await vi.advanceTimersByTimeAsync(0)
    gone.abort()
    use.note('eu')
    use.note('us')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(begun).toEqual(['eu'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('that has begun uses up no turn of those in use when callers come later', async () => {
    const { use, begun, ask } = asking()
    for (let index = 0; index < 20; index++) void ask(`${index}`)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(begun).toHaveLength(20)
    for (let index = 0; index < 20; index++) use.note(`${index}`)
    void ask('0')
    await vi.advanceTimersByTimeAsync(0)
    expect(begun).toHaveLength(21)
  })
})

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Attempt, SchedulingQueue } from '../../../playground/karmada/propagation/scheduling-queue.js'
import { silent } from '../../silent.js'

let queue: SchedulingQueue
let scheduled: string[]
let outcomes: Record<string, Attempt | Error>
/** What happens while a binding is scheduled. */
let during: (key: string) => void

beforeEach(() => {
  vi.useFakeTimers()
  scheduled = []
  outcomes = {}
  during = () => undefined
  queue = new SchedulingQueue({
    log: silent,
    schedule: async key => {
      scheduled.push(key)
      during(key)
      const outcome = outcomes[key] ?? 'done'
      if (outcome instanceof Error) throw outcome
      return outcome
    },
  })
})
afterEach(async () => {
  await queue.close()
  vi.useRealTimers()
})

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

it('schedules bindings of higher priority first, and those of one priority in the order in which they came', async () => {
  const added = { a: 0, b: 10, c: 0, d: 100, e: 10 }
  for (const [key, priority] of Object.entries(added)) queue.add(key, priority)
  await pass(0)
  expect(scheduled).toEqual(['d', 'b', 'e', 'a', 'c'])
})

it('lets a binding of higher priority overtake those that wait', async () => {
  during = key => key === 'a' && queue.add('urgent', 5)
  for (const key of ['a', 'b']) queue.add(key, 0)
  await pass(0)
  expect(scheduled).toEqual(['a', 'urgent', 'b'])
})

it('schedules a binding once that was added twice, and again when it is added while it is scheduled', async () => {
  queue.add('a', 0)
  queue.add('a', 0)
  await pass(0)
  expect(scheduled).toEqual(['a'])
  let isFirst = true
  during = () => {
    if (isFirst) queue.add('a', 0)
    isFirst = false
  }
  queue.add('a', 0)
  await pass(0)
  expect(scheduled).toEqual(['a', 'a', 'a'])
})

it.each([
  ['that failed', 'failed'],
  ['whose attempt threw', new Error('the API server is away')],
] as const)('tries a binding %s again after 1, 2, 4 and 8 s, and then every 10 s', async (_, outcome) => {
  outcomes = { a: outcome }
  queue.add('a', 0)
  await pass(0)
  for (const seconds of [1, 2, 4, 8, 10, 10]) {
    const before = scheduled.length
    await pass(seconds * 1_000 - 1)
    expect(scheduled).toHaveLength(before)
    await pass(1)
    expect(scheduled).toHaveLength(before + 1)
  }
})

it('tries a binding again after five minutes for which there was no room', async () => {
  outcomes = { a: 'unschedulable' }
  queue.add('a', 0)
  await pass(299_999)
  expect(scheduled).toEqual(['a'])
  await pass(1)
  expect(scheduled).toEqual(['a', 'a'])
})

it.each(['failed', 'unschedulable'] as const)(
  'schedules a binding that is %s at once when it is added again, and forgets its pause',
  async outcome => {
    outcomes = { a: outcome }
    queue.add('a', 0)
    await pass(500)
    outcomes = {}
    queue.add('a', 0)
    await pass(0)
    expect(scheduled).toEqual(['a', 'a'])
    await pass(600_000)
    expect(scheduled).toEqual(['a', 'a'])
  },
)

it('schedules nothing after it was closed', async () => {
  outcomes = { a: 'failed' }
  queue.add('a', 0)
  await pass(0)
  await queue.close()
  queue.add('b', 0)
  await pass(600_000)
  expect(scheduled).toEqual(['a'])
  expect(vi.getTimerCount()).toBe(0)
})

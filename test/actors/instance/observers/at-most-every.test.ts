import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { AtMostEvery } from '../../../../actors/instance/observers/at-most-every.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function handing() {
  const handed: number[] = []
  return { handed, pace: new AtMostEvery<number>(1_000, value => handed.push(value)) }
}

it('the first value is handed on at once, and the last of those that follow when the time is over', () => {
  const { handed, pace } = handing()
  for (const value of [1, 2, 3]) pace.offer(value)
  expect(handed).toEqual([1])
  vi.advanceTimersByTime(1_000)
  expect(handed).toEqual([1, 3])
  pace.offer(4)
  expect(handed).toEqual([1, 3])
  vi.advanceTimersByTime(1_000)
  expect(handed).toEqual([1, 3, 4])
})

it('nothing is left at rest, and a value after it is handed on at once', () => {
  const { handed, pace } = handing()
  pace.offer(1)
  vi.advanceTimersByTime(1_000)
  expect(vi.getTimerCount()).toBe(0)
  pace.offer(2)
  expect(handed).toEqual([1, 2])
})

it('what waits when it is stopped is not handed on', () => {
  const { handed, pace } = handing()
  for (const value of [1, 2]) pace.offer(value)
  pace.stop()
  vi.advanceTimersByTime(1_000)
  expect([handed, vi.getTimerCount()]).toEqual([[1], 0])
})

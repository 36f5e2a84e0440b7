import { describe, expect, it } from 'vitest'
import { FailureStreak, fullJitter } from '../../streams/backoff.js'

const backoff = { firstMs: 100, longestMs: 1_000, quietMs: 5_000 }

describe('a pause after failures in a row', () => {
  it.each([
    [1, 100],
    [2, 200],
    [4, 800],
    [5, 1_000],
    [5_000, 1_000],
  ])('is after failure %i at most %i ms', (attempt, most) => {
    expect(fullJitter(backoff, attempt, 1)).toBe(most)
    expect(fullJitter(backoff, attempt, 0)).toBe(0)
  })
})

describe('a streak of failures', () => {
  // The pause after a failure lasts up to 1 s, and is no sign of health: 6 s are one second of it and 5 s of quiet.
  it.each([
    ['goes on', 5_999, 2],
    ['ends', 6_000, 1],
  ])('%s with a failure %i ms after the one before', (_, laterMs, count) => {
    const streak = new FailureStreak(backoff)
    expect(streak.failed(1_000)).toBe(1)
    expect(streak.failed(1_000 + laterMs)).toBe(count)
  })

  it('counts the quiet period from the last failure, and not from the first', () => {
    const streak = new FailureStreak(backoff)
    expect([0, 5_000, 10_000, 15_000].map(now => streak.failed(now))).toEqual([1, 2, 3, 4])
  })

  it('ends with a success that is long enough', () => {
    const streak = new FailureStreak(backoff)
    streak.failed(0)
    streak.end()
    expect(streak.failed(1)).toBe(1)
  })
})

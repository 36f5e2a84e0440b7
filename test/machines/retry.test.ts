import { expect, it } from 'vitest'
import type { Failure } from '../../machines/failure.js'
import { jittered, restMs } from '../../machines/retry.js'

const throttled = (retryAfterMs: number): Failure => ({
  ...{ reason: 'Throttled', stage: 'status', message: 'too many requests' },
  retryAfterMs,
})

it.each([0, 0.5, 0.999])('a rest lasts as long as the server asked for at least (random %d)', random => {
  for (const asked of [1_000, 30_000, 120_000])
    for (const attempts of [1, 3, 20])
      expect(jittered(restMs(throttled(asked), attempts), random)).toBeGreaterThanOrEqual(asked)
})

it('a rest without such a wish doubles from a second to a minute', () => {
  const failure: Failure = { reason: 'Unavailable', stage: 'status', message: '' }
  expect([1, 2, 3, 7, 50].map(attempts => restMs(failure, attempts))).toEqual([
    1_000, 2_000, 4_000, 60_000, 60_000,
  ])
})

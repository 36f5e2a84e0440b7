import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LONGEST_MS, QUIET_MS, StartupBurst } from '../../../actors/instance/startup-burst.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const never = new AbortController().signal

/** Deferred work: whether the burst was over for it. */
function deferring(burst: StartupBurst, signal = never) {
  const deferred = { over: false, refused: undefined as unknown }
  burst.over(signal).then(
    () => (deferred.over = true),
    reason => (deferred.refused = reason),
  )
  return deferred
}

describe('a start-up burst', () => {
  it('ends when no instance has become ready for a while', async () => {
    const burst = new StartupBurst(() => 51)
    const deferred = deferring(burst)
    for (let arrival = 0; arrival < 5; arrival++) {
      await vi.advanceTimersByTimeAsync(QUIET_MS - 1)
      burst.extend()
    }
    expect(deferred.over).toBe(false)
    await vi.advanceTimersByTimeAsync(QUIET_MS)
    expect(deferred.over).toBe(true)
  })

  it('ends for all deferred work at once, and can start again later', async () => {
    const burst = new StartupBurst(() => 51)
    const first = [deferring(burst), deferring(burst)]
    await vi.advanceTimersByTimeAsync(QUIET_MS)
    expect(first.map(({ over }) => over)).toEqual([true, true])
    const next = deferring(burst)
    await vi.advanceTimersByTimeAsync(QUIET_MS - 1)
    expect(next.over).toBe(false)
  })

  it('is reported when it begins and when it ends, in a fleet of any size', async () => {
    const reports: boolean[] = []
    const burst = new StartupBurst(
      () => 1,
      underWay => reports.push(underWay),
    )
    burst.extend()
    burst.extend()
    expect(reports).toEqual([true])
    await vi.advanceTimersByTimeAsync(QUIET_MS)
    expect(reports).toEqual([true, false])
    burst.extend()
    expect(reports).toEqual([true, false, true])
  })

  it('that continues defers work for a limited time', async () => {
    const burst = new StartupBurst(() => 51)
    const deferred = deferring(burst)
    for (let ms = 0; ms < LONGEST_MS + QUIET_MS; ms += 1_000) {
      burst.extend()
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect(deferred.over).toBe(true)
  })

  it('defers nothing in a small fleet', async () => {
    await expect(new StartupBurst(() => 50).over(never)).resolves.toBeUndefined()
  })

  it('does not run deferred work that was unsubscribed', async () => {
    const [burst, gone] = [new StartupBurst(() => 51), new AbortController()]
    const deferred = deferring(burst, gone.signal)
    gone.abort('gone')
    await vi.advanceTimersByTimeAsync(QUIET_MS)
    expect(deferred).toEqual({ over: false, refused: 'gone' })
    await expect(burst.over(gone.signal)).rejects.toBe('gone')
  })
})

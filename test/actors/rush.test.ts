import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CALM_MS, PATIENCE_MS, Rush } from '../../actors/rush.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const never = new AbortController().signal

/** Says whether the rush was over for somebody who asked now. */
function asking(rush: Rush, signal = never) {
  const asked = { over: false, refused: undefined as unknown }
  rush.over(signal).then(
    () => (asked.over = true),
    reason => (asked.refused = reason),
  )
  return asked
}

describe('a rush', () => {
  it('is over when nobody has come for a while', async () => {
    const rush = new Rush(() => 51)
    const asked = asking(rush)
    for (let arrival = 0; arrival < 5; arrival++) {
      await vi.advanceTimersByTimeAsync(CALM_MS - 1)
      rush.noted()
    }
    expect(asked.over).toBe(false)
    await vi.advanceTimersByTimeAsync(CALM_MS)
    expect(asked.over).toBe(true)
  })

  it('is over for all who wait at the same time, and begins anew after that', async () => {
    const rush = new Rush(() => 51)
    const first = [asking(rush), asking(rush)]
    await vi.advanceTimersByTimeAsync(CALM_MS)
    expect(first.map(({ over }) => over)).toEqual([true, true])
    const next = asking(rush)
    await vi.advanceTimersByTimeAsync(CALM_MS - 1)
    expect(next.over).toBe(false)
  })

  it('that does not end is not waited out for ever', async () => {
    const rush = new Rush(() => 51)
    const asked = asking(rush)
    for (let ms = 0; ms < PATIENCE_MS + CALM_MS; ms += 1_000) {
      rush.noted()
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect(asked.over).toBe(true)
  })

  it('is none in a small fleet', async () => {
    await expect(new Rush(() => 50).over(never)).resolves.toBeUndefined()
  })

  it('is not waited for by those who give up', async () => {
    const [rush, gone] = [new Rush(() => 51), new AbortController()]
    const asked = asking(rush, gone.signal)
    gone.abort('gone')
    await vi.advanceTimersByTimeAsync(CALM_MS)
    expect(asked).toEqual({ over: false, refused: 'gone' })
    await expect(rush.over(gone.signal)).rejects.toBe('gone')
  })
})

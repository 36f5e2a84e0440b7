import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { refusalOf } from '../../../http/objects/requests/byte-stream.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A body whose chunks a test sends, and whose end comes when it is left. */
function body() {
  let left = 0
  let leave: () => void = () => undefined
  const gone = new Promise<never>((_, reject) => {
    leave = () => {
      left += 1
      reject(new Error('the reader has left'))
    }
  })
  gone.catch(() => undefined)
  async function* chunks(texts: readonly string[], then: 'ends' | 'stalls' | 'breaks') {
    for (const text of texts) yield Buffer.from(text)
    if (then === 'breaks') throw new Error('broken')
    if (then === 'stalls') await gone
  }
  return { chunks, leave: () => leave(), left: () => left }
}

describe('the body of a refused stream', () => {
  it('is read to its end, and leaves no timer', async () => {
    const { chunks, leave, left } = body()
    const read = await refusalOf({ chunks: chunks(['{"a":', '1}'], 'ends'), leave })
    expect(read.toString()).toBe('{"a":1}')
    expect([left(), vi.getTimerCount()]).toEqual([0, 0])
  })

  it('that never ends is what came within ten seconds, and its exchange is ended', async () => {
    const { chunks, leave, left } = body()
    const reading = refusalOf({ chunks: chunks(['{"a"'], 'stalls'), leave })
    await vi.advanceTimersByTimeAsync(9_999)
    expect(left()).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect((await reading).toString()).toBe('{"a"')
    expect([left(), vi.getTimerCount()]).toEqual([1, 0])
  })

  it('that breaks fails as it did, and leaves no timer', async () => {
    const { chunks, leave } = body()
    await expect(refusalOf({ chunks: chunks(['{'], 'breaks'), leave })).rejects.toThrow('broken')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is not read beyond 64 KiB', async () => {
    const { chunks, leave } = body()
    const read = await refusalOf({
      chunks: chunks(['x'.repeat(40_000), 'y'.repeat(40_000)], 'stalls'),
      leave,
    })
    expect(read).toHaveLength(80_000)
    expect(vi.getTimerCount()).toBe(0)
  })
})

import { describe, expect, it } from 'vitest'
import { afterFirstItem } from '../../../../http/rpc/concurrency/after-first-item.js'

/** Items, and whether their source was closed. */
function source(items: readonly number[], failure?: Error) {
  const seen = { closed: false }
  async function* all() {
    try {
      yield* items
      if (failure) throw failure
    } finally {
      seen.closed = true
    }
  }
  return { seen, items: all() }
}

describe('a stream after its first item', () => {
  it('has every item', async () => {
    const read: number[] = []
    for await (const item of await afterFirstItem(source([1, 2, 3]).items)) read.push(item)
    expect(read).toEqual([1, 2, 3])
  })

  it('of nothing ends at once', async () => {
    const iterator = (await afterFirstItem(source([]).items))[Symbol.asyncIterator]()
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
  })

  it('is refused by what its source throws first', async () => {
    await expect(afterFirstItem(source([], new Error('refused')).items)).rejects.toThrow('refused')
  })

  it('throws what its source throws later', async () => {
    const iterator = (await afterFirstItem(source([1], new Error('broke')).items))[Symbol.asyncIterator]()
    expect((await iterator.next()).value).toBe(1)
    await expect(iterator.next()).rejects.toThrow('broke')
  })

  it.each([0, 1, 2])('closes its source when its reader leaves after %i items', async read => {
    const { seen, items } = source([1, 2, 3])
    const iterator = (await afterFirstItem(items))[Symbol.asyncIterator]()
    for (let n = 0; n < read; n += 1) await iterator.next()
    await iterator.return?.()
    expect(seen.closed).toBe(true)
    expect((await iterator.next()).done).toBe(true)
  })
})

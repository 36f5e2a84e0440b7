import { describe, expect, it } from 'vitest'
import { merged } from '../../../http/rpc/merged.js'
import { deferred } from '../fakes/deferred.js'

const of = async function* <T>(...items: readonly T[]): AsyncGenerator<T, void> {
  yield* items
}
const failing = async function* (message: string): AsyncGenerator<number, void> {
  yield await Promise.reject<number>(new Error(message))
}

describe('merged sources', () => {
  it('give each item once, those of a source in its order, and end when all have ended', async () => {
    const items: number[] = []
    for await (const item of merged([of(1, 2, 3), of(11, 12), of<number>()])) items.push(item)
    expect(items.filter(item => item < 10)).toEqual([1, 2, 3])
    expect(items.filter(item => item > 10)).toEqual([11, 12])
    expect(items).toHaveLength(5)
  })

  it('do not wait for a source that says nothing', async () => {
    const silent = deferred<void>()
    const waits = async function* (): AsyncGenerator<number, void> {
      await silent.promise
      yield 9
    }
    const items = merged([waits(), of(1)])
    expect(await items.next()).toEqual({ done: false, value: 1 })
    silent.resolve()
    expect(await items.next()).toEqual({ done: false, value: 9 })
    expect(await items.next()).toEqual({ done: true, value: undefined })
  })

  it('read on in a source only when its last item was taken', async () => {
    let given = 0
    const counted = async function* (): AsyncGenerator<number, void> {
      for (;;) yield ++given
    }
    const items = merged([counted()])
    await items.next()
    await items.next()
    expect(given).toBe(2)
  })

  it('are ended when they are not read on', async () => {
    let ended = false
    const endless = async function* (): AsyncGenerator<number, void> {
      try {
        for (;;) yield 1
      } finally {
        ended = true
      }
    }
    for await (const item of merged([endless()])) if (item === 1) break
    await expect.poll(() => ended).toBe(true)
  })

  it('fail with the first source that fails, and the others’ failures are no unhandled ones', async () => {
    await expect(merged([failing('one'), failing('two')]).next()).rejects.toThrow('one')
  })
})

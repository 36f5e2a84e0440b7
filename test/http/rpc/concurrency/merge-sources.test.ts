import { describe, expect, it } from 'vitest'
import { mergeSources } from '../../../../http/rpc/concurrency/live-merge.js'
import { deferred } from '../../fakes/deferred.js'

const of = async function* <T>(...items: readonly T[]): AsyncGenerator<T, void> {
  yield* items
}
const failing = async function* (message: string): AsyncGenerator<number, void> {
  yield await Promise.reject<number>(new Error(message))
}

describe('merged sources', () => {
  it('emit each item once, in order for each source, and complete when all have completed', async () => {
    const items: number[] = []
    for await (const item of mergeSources([of(1, 2, 3), of(11, 12), of<number>()])) items.push(item)
    expect(items.filter(item => item < 10)).toEqual([1, 2, 3])
    expect(items.filter(item => item > 10)).toEqual([11, 12])
    expect(items).toHaveLength(5)
  })

  it('do not wait for an idle source', async () => {
    const silent = deferred<void>()
    const waits = async function* (): AsyncGenerator<number, void> {
      await silent.promise
      yield 9
    }
    const items = mergeSources([waits(), of(1)])
    expect(await items.next()).toEqual({ done: false, value: 1 })
    silent.resolve()
    expect(await items.next()).toEqual({ done: false, value: 9 })
    expect(await items.next()).toEqual({ done: true, value: undefined })
  })

  it('request the next item of a source only after its last one was consumed', async () => {
    let given = 0
    const counted = async function* (): AsyncGenerator<number, void> {
      for (;;) yield ++given
    }
    const items = mergeSources([counted()])
    await items.next()
    await items.next()
    expect(given).toBe(2)
  })

  it('are closed when the reader stops', async () => {
    let ended = false
    const endless = async function* (): AsyncGenerator<number, void> {
      try {
        for (;;) yield 1
      } finally {
        ended = true
      }
    }
    for await (const item of mergeSources([endless()])) if (item === 1) break
    await expect.poll(() => ended).toBe(true)
  })

  it('end no process where one fails as it is closed', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', note)
    try {
      const breaking = async function* (): AsyncGenerator<number, void> {
        try {
          for (;;) yield 1
        } finally {
          await Promise.reject(new Error('it broke as it was closed'))
        }
      }
      for await (const item of mergeSources([breaking()])) if (item === 1) break
      await new Promise(resolve => setImmediate(resolve))
      expect(unhandled).toEqual([])
    } finally {
      process.off('unhandledRejection', note)
    }
  })

  it('fail with the first failed source, and leave no unhandled rejection of the others', async () => {
    await expect(mergeSources([failing('one'), failing('two')]).next()).rejects.toThrow('one')
  })
})

import { describe, expect, it, vi } from 'vitest'
import { LiveMerge } from '../../../../http/rpc/concurrency/live-merge.js'
import type { LogLine } from '../../../../http/rpc/workload-pods/log-lines.js'
import { mergeByTime, type PastLog } from '../../../../http/rpc/workload-pods/merge-by-time.js'

const line = (at: number, text = String(at)): LogLine => ({
  time: '',
  at: BigInt(at),
  text,
  truncated: false,
})

/** A log of lines; an Error breaks it, and `hang` waits until it is given up. */
function log(of: string, items: readonly (number | Error | 'hang')[]) {
  const state = { taken: 0, closed: false }
  let giveUp: (reason: Error) => void = () => undefined
  const lines = (async function* (): AsyncGenerator<LogLine, void> {
    try {
      for (const item of items) {
        state.taken += 1
        if (item instanceof Error) throw item
        if (item === 'hang')
          await new Promise<never>((_, reject) => {
            giveUp = reject
          })
        else yield line(item, `${of}${item}`)
      }
    } finally {
      state.closed = true
    }
  })()
  const past: PastLog<string> = { of, lines, giveUp: reason => giveUp(reason) }
  return { past, state }
}

async function merged(logs: readonly PastLog<string>[], patienceMs = 5_000) {
  const found: string[] = []
  for await (const step of mergeByTime(logs, patienceMs))
    found.push('line' in step ? step.line.text : `${step.of}: ${(step.error as Error).message}`)
  return found
}

describe('logs by time', () => {
  it('come in the order of their times, each log in its own order', async () => {
    const a = log('a', [1, 4, 3, 9])
    const b = log('b', [2, 2, 5])
    expect(await merged([a.past, b.past, log('c', []).past])).toEqual([
      'a1',
      'b2',
      'b2',
      'a4',
      'a3',
      'b5',
      'a9',
    ])
  })

  it('of which one breaks or hangs are merged without it, and it is named', async () => {
    const logs = [
      log('a', [1, new Error('broken')]),
      log('b', ['hang', 1]),
      log('c', [2, 'hang']),
      log('d', [3]),
    ]
    const found = await merged(
      logs.map(({ past }) => past),
      20,
    )
    expect(found).toEqual([
      'b: the container’s log did not go on within 0.02 s',
      'a1',
      'a: broken',
      'c2',
      'c: the container’s log did not go on within 0.02 s',
      'd3',
    ])
    expect(logs.every(({ state }) => state.closed)).toBe(true)
  })

  it('hold one line of each, and are closed when the reader stops', async () => {
    const logs = [log('a', [1, 2, 3, 4]), log('b', [5, 6, 7])]
    const items = mergeByTime(logs.map(({ past }) => past))
    await items.next()
    expect(logs.map(({ state }) => state.taken)).toEqual([1, 1])
    await items.return()
    await expect.poll(() => logs.every(({ state }) => state.closed)).toBe(true)
  })
})

describe('the logs that are merged by time', () => {
  it('are closed when the reader stops at the first that cannot be read', async () => {
    const logs = [log('a', [new Error('broken')]), log('b', [1, 2])]
    const items = mergeByTime(logs.map(({ past }) => past))
    expect((await items.next()).value).toMatchObject({ of: 'a' })
    await items.return()
    await expect.poll(() => logs.every(({ state }) => state.closed)).toBe(true)
  })

  it('have no time limit while the reader has a line of each', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const items = mergeByTime([log('a', [1, 3]).past, log('b', [2, 4]).past])
      await items.next()
      await items.next()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})

/** A source that gives what it is given. */
function source() {
  const waiting: ((step: string | Error | undefined) => void)[] = []
  const state = { asked: 0, closed: false }
  const items = (async function* (): AsyncGenerator<string, void> {
    try {
      for (;;) {
        state.asked += 1
        const step = await new Promise<string | Error | undefined>(resolve => waiting.push(resolve))
        if (step === undefined) return
        if (step instanceof Error) throw step
        yield step
      }
    } finally {
      state.closed = true
    }
  })()
  return { items, state, give: (step?: string | Error) => waiting.shift()?.(step) }
}

describe('sources that are merged as they arrive', () => {
  it('may be added while they are read, and end when all have', async () => {
    const [a, b] = [source(), source()]
    const merge = new LiveMerge<string>()
    merge.add(a.items)
    const items = merge.items()
    a.give('a1')
    expect((await items.next()).value).toBe('a1')
    const next = items.next()
    merge.add(b.items)
    b.give('b1')
    expect((await next).value).toBe('b1')
    const third = items.next()
    await expect.poll(() => b.state.asked).toBe(2)
    a.give()
    b.give('b2')
    expect((await third).value).toBe('b2')
    const end = items.next()
    await expect.poll(() => b.state.asked).toBe(3)
    b.give()
    expect((await end).done).toBe(true)
  })

  it('are asked for no item before the last was taken', async () => {
    const [a, b] = [source(), source()]
    const merge = new LiveMerge<string>()
    merge.add(a.items)
    merge.add(b.items)
    const items = merge.items()
    a.give('a1')
    b.give('b1')
    expect([(await items.next()).value, a.state.asked, b.state.asked]).toEqual(['a1', 1, 1])
    expect([(await items.next()).value, a.state.asked, b.state.asked]).toEqual(['b1', 2, 1])
  })

  it('end with the first that fails, and the others are closed', async () => {
    const [a, b] = [source(), source()]
    const merge = new LiveMerge<string>()
    merge.add(a.items)
    merge.add(b.items)
    const next = merge.items().next()
    a.give(new Error('broken'))
    await expect(next).rejects.toThrow('broken')
    b.give()
    await expect.poll(() => [a.state.closed, b.state.closed]).toEqual([true, true])
  })
})

import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { Turns } from '../../../actors/kube/turns.js'
import { watchLines } from '../../../actors/kube/watch-lines.js'
import { LONG, turnsUnderTest } from './turns-under-test.js'

describe('a turn of the event loop', () => {
  it('is over after some work in it, and not in the next one', async () => {
    const { turns, pass, nextTurn } = turnsUnderTest()
    expect(turns.isOver()).toBe(false)
    expect(turns.isOver()).toBe(false)
    pass(LONG)
    expect(turns.isOver()).toBe(true)
    await nextTurn()
    expect(turns.isOver()).toBe(false)
  })

  it('lasts two milliseconds', () => {
    const { turns, pass } = turnsUnderTest()
    turns.isOver()
    pass(1.9)
    expect(turns.isOver()).toBe(false)
    pass(0.1)
    expect(turns.isOver()).toBe(true)
  })

  it('has time for those that wait in the order of their asking, and for one at least', async () => {
    const { turns, pass, nextTurn } = turnsUnderTest()
    const done: number[] = []
    expect(turns.isOver()).toBe(false)
    pass(LONG)
    for (const each of [1, 2, 3])
      void turns.mine().then(() => {
        done.push(each)
        pass(LONG)
      })
    await nextTurn()
    expect(done).toEqual([1])
    await nextTurn()
    expect(done).toEqual([1, 2])
    await nextTurn()
    expect(done).toEqual([1, 2, 3])
  })

  it('has time for several whose work is short', async () => {
    const { turns, pass, nextTurn } = turnsUnderTest()
    const done: number[] = []
    expect(turns.isOver()).toBe(false)
    pass(LONG)
    for (const each of [1, 2, 3]) void turns.mine().then(() => done.push(each))
    await nextTurn()
    expect(done).toEqual([1, 2, 3])
  })

  it('calls each of those that wait once, however many they are, and in a turn that is not over', async () => {
    let [looks, late] = [0, 0]
    let now = 0
    const turns = new Turns({
      now: () => {
        looks += 1
        return now
      },
    })
    expect(turns.isOver()).toBe(false)
    now += LONG
    const work = async () => {
      await turns.mine()
      if (turns.isOver()) late += 1
      now += LONG
    }
    await Promise.all(Array.from({ length: 200 }, work))
    expect(late).toBe(0)
    // When it asks, when it is let go on, when it has gone on, and when it has used its turn up.
    expect(looks).toBeLessThan(1_000)
  })

  it('is left at once by one that waits and is given up, and comes to those behind it', async () => {
    const { turns, pass, nextTurn } = turnsUnderTest()
    turns.isOver()
    pass(LONG)
    const given = new AbortController()
    const done: string[] = []
    const waiting = turns.mine(given.signal).then(
      () => done.push('went on'),
      error => done.push(error),
    )
    const behind = turns.mine(new AbortController().signal).then(() => done.push('behind'))
    given.abort('given up')
    await waiting
    expect(done).toEqual(['given up'])
    await expect(turns.mine(given.signal)).rejects.toBe('given up')
    await nextTurn()
    await behind
    expect(done).toEqual(['given up', 'behind'])
    expect(turns.isOver()).toBe(false)
  })

  it('keeps nothing of those that went on', async () => {
    const { turns, pass, nextTurn } = turnsUnderTest()
    turns.isOver()
    pass(LONG)
    const { signal } = new AbortController()
    const waiting = turns.mine(signal)
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    await nextTurn()
    await waiting
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('is not used by those that ask later before those that wait', async () => {
    const { turns, pass, nextTurn } = turnsUnderTest()
    const done: string[] = []
    const work = async (name: string) => {
      await turns.mine()
      done.push(name)
      pass(LONG)
    }
    turns.isOver()
    pass(LONG)
    const all = [work('first'), work('second')]
    await nextTurn()
    all.push(work('late'))
    await nextTurn()
    await nextTurn()
    await Promise.all(all)
    expect(done).toEqual(['first', 'second', 'late'])
  })

  it('goes by while the events of one chunk are worked on, so that something else has its turn before the last', async () => {
    const limits = { maxAnswerBytes: 1_000, maxAnswerValues: 100 }
    async function* chunk() {
      yield Buffer.from(`${JSON.stringify({ type: 'ADDED', object: {} })}\n`.repeat(3))
    }
    /** What happened, each event taking long. */
    async function story(divided: boolean) {
      let now = 0
      const turns = new Turns({ now: () => now })
      const happened: string[] = []
      for await (const { type } of watchLines(chunk(), limits, divided ? turns : undefined)) {
        if (happened.length === 0) setImmediate(() => happened.push('something else'))
        happened.push(type)
        now += LONG
      }
      return happened
    }
    expect(await story(true)).toEqual(['ADDED', 'ADDED', 'something else', 'ADDED'])
    expect(await story(false)).toEqual(['ADDED', 'ADDED', 'ADDED'])
  })
})

import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ConcurrencyLimiter } from '../../../actors/instance/concurrency-limiter.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})
/** Lets every promise that can go on do so. */
const settled = () => vi.advanceTimersByTimeAsync(0)

/** Work that ends when the test ends it, and how its run ended. */
class Piece {
  readonly #abort = new AbortController()
  #end: (error?: Error) => void = () => undefined
  started = false
  outcome = 'under way'

  constructor(limiter: ConcurrencyLimiter) {
    const work = () =>
      new Promise<string>((resolve, reject) => {
        this.started = true
        this.#end = error => (error ? reject(error) : resolve('done'))
      })
    limiter.run(this.#abort.signal, work).then(
      outcome => (this.outcome = outcome),
      (error: unknown) => (this.outcome = String(error)),
    )
  }
  succeed = (): void => this.#end()
  fail = (): void => this.#end(new Error('broken'))
  abort = (): void => this.#abort.abort('given up')
}

describe('a concurrency limiter', () => {
  it('runs at most its limit at once, in order of arrival', async () => {
    const limiter = new ConcurrencyLimiter(1)
    const pieces = [new Piece(limiter), new Piece(limiter), new Piece(limiter)]
    const started = () => pieces.map(({ started }) => started)
    await settled()
    expect(started()).toEqual([true, false, false])
    pieces[0]?.succeed()
    await settled()
    expect(started()).toEqual([true, true, false])
  })

  it('releases the slot of work that fails, and passes the error on', async () => {
    const limiter = new ConcurrencyLimiter(1)
    const [first, second] = [new Piece(limiter), new Piece(limiter)]
    await settled()
    first.fail()
    await settled()
    expect([first.outcome, second.started]).toEqual(['Error: broken', true])
  })

  it('does not start work whose signal aborted while it waited, or in the turn in which it got its slot', async () => {
    const limiter = new ConcurrencyLimiter(1)
    const [first, second, third, fourth] = [1, 2, 3, 4].map(() => new Piece(limiter)) as [
      Piece,
      Piece,
      Piece,
      Piece,
    ]
    await settled()
    second.abort()
    await settled()
    first.succeed()
    third.abort()
    await settled()
    expect([second.outcome, third.outcome]).toEqual(['given up', 'given up'])
    expect([second.started, third.started, fourth.started]).toEqual([false, false, true])
  })

  it('rejects a signal that is already aborted', async () => {
    await expect(new ConcurrencyLimiter(1).run(AbortSignal.abort('over'), async () => 1)).rejects.toBe('over')
  })

  it('refuses a signal that has aborted at once, also while every place is taken', async () => {
    const limiter = new ConcurrencyLimiter(1)
    new Piece(limiter)
    let refused: unknown
    limiter
      .run(AbortSignal.abort('over'), async () => 1)
      .catch(reason => {
        refused = reason
      })
    await settled()
    expect(refused).toBe('over')
  })

  it('leaves no listener and no timer behind of work that has ended', async () => {
    const limiter = new ConcurrencyLimiter(1, 60_000)
    const { signal } = new AbortController()
    await Promise.all([1, 2, 3].map(() => limiter.run(signal, async () => undefined)))
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('lets work that exceeds its patience continue without a slot', async () => {
    const limiter = new ConcurrencyLimiter(1, 1_000)
    const [first, second, third] = [1, 2, 3].map(() => new Piece(limiter)) as [Piece, Piece, Piece]
    await vi.advanceTimersByTimeAsync(1_000)
    expect([second.started, third.started]).toEqual([true, false])
    first.succeed() // it has no place any more that the third could take
    await settled()
    expect([first.outcome, third.started]).toEqual(['done', false])
  })

  it('loses no slot, whatever order work ends or is aborted in', async () => {
    const action = fc.record({
      does: fc.constantFrom('arrive', 'succeed', 'fail', 'abort', 'settle', 'wait'),
      which: fc.nat(20),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.option(fc.constant(1_000), { nil: undefined }),
        fc.array(action, { maxLength: 60 }),
        async (limit, patienceMs, actions) => {
          const limiter = new ConcurrencyLimiter(limit, patienceMs)
          const pieces: Piece[] = []
          for (const { does, which } of actions) {
            const piece = pieces[which % pieces.length]
            if (does === 'arrive') pieces.push(new Piece(limiter))
            else if (does === 'settle') await settled()
            else if (does === 'wait') await vi.advanceTimersByTimeAsync(600)
            else piece?.[does]()
            const running = pieces.filter(({ started, outcome }) => started && outcome === 'under way')
            if (patienceMs === undefined) expect(running.length).toBeLessThanOrEqual(limit)
          }
          for (const piece of pieces) piece.abort()
          for (const piece of pieces) piece.succeed()
          await settled()
          const all = Array.from({ length: limit + 1 }, () => new Piece(limiter))
          await settled()
          expect(all.map(({ started }) => started)).toEqual([...Array(limit).fill(true), false])
        },
      ),
    )
  })
})

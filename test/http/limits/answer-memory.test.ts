import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Failure } from '../../../http/errors/failure.js'
import { type AnswerAccount, AnswerMemory } from '../../../http/limits/answer-memory.js'

const KIB = 1 << 10
const MIB = 1 << 20

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** What became of a wait so far. */
function outcome(waiting: Promise<void> | undefined) {
  const seen = { state: waiting ? 'waits' : 'there' }
  waiting?.then(
    () => {
      seen.state = 'there'
    },
    (error: Error) => {
      seen.state = error.message
    },
  )
  return seen
}
const turn = () => vi.advanceTimersByTimeAsync(0)
const held = ({ slots }: AnswerMemory) => slots.map(({ load }) => load)
const nothing = [
  { taken: 0, waiting: 0 },
  { taken: 0, waiting: 0 },
  { taken: 0, waiting: 0 },
]

describe('the memory that answers of instances take', () => {
  it('is not more than its setting, with two slots for the largest lists', () => {
    for (const mebibytes of [128, 192, 500, 4_000]) {
      const memory = new AnswerMemory({ mebibytes, waitMs: 1_000 })
      expect(memory.most).toBeLessThanOrEqual(mebibytes * MIB)
      expect(memory.most).toBeGreaterThan((mebibytes - 8) * MIB)
      expect(memory.slots[2]?.most).toBeGreaterThanOrEqual(2)
    }
  })

  it('is not waited for by an object or a short list, whatever the others have', async () => {
    const memory = new AnswerMemory()
    for (let n = 0; n < 100; n += 1)
      outcome(
        memory
          .account(`c${n}`)
          .reading(`i${n}`)
          .add(64 * MIB),
      )
    await turn()
    expect(
      memory
        .account('ann')
        .reading('north')
        .add(64 * KIB),
    ).toBeUndefined()
  })

  it('is waited for by 16 lists of one caller and instance, and refused to more', async () => {
    const memory = new AnswerMemory({ mebibytes: 128, waitMs: 5_000 })
    const list = (caller: string, instance: string) => {
      const account = memory.account(caller)
      return { account, seen: outcome(account.reading(instance).add(20 * MIB)) }
    }
    const first = list('ann', 'north')
    await turn()
    const waiting = Array.from({ length: 16 }, () => list('ann', 'north'))
    const tooMany = list('ann', 'north')
    const [elsewhere, another] = [list('ann', 'south'), list('bob', 'north')]
    await turn()
    expect(first.seen.state).toBe('there')
    expect(tooMany.seen.state).toBe(
      'this caller already has 16 lists that wait for memory, the most allowed: end some first',
    )
    const all = [...waiting, elsewhere, another]
    expect(all.map(({ seen }) => seen.state)).toEqual(all.map(() => 'waits'))
    // One that ends makes room for the next.
    waiting[0]?.account.close()
    const next = list('ann', 'north')
    await turn()
    expect(next.seen.state).toBe('waits')
    for (const { account } of [first, tooMany, next, ...all]) account.close()
    await turn()
    expect(held(memory)).toEqual(nothing)
  })

  it('is refused to who waited too long, with what to do', async () => {
    const memory = new AnswerMemory({ mebibytes: 128, waitMs: 5_000 })
    for (const n of [1, 2])
      outcome(
        memory
          .account(`c${n}`)
          .reading(`i${n}`)
          .add(20 * MIB),
      )
    await turn()
    const account = memory.account('ann')
    const seen = outcome(account.reading('north').add(20 * MIB))
    await vi.advanceTimersByTimeAsync(4_999)
    expect(seen.state).toBe('waits')
    await vi.advanceTimersByTimeAsync(1)
    expect(seen.state).toBe(
      'no memory for large lists became free within 5 s: ask for less at once, or try again',
    )
    account.close()
    expect(held(memory)[2]).toEqual({ taken: 2, waiting: 0 })
  })

  it('is given back by a call that ends while it waits', async () => {
    const memory = new AnswerMemory()
    const accounts = [1, 2, 3].map(n => memory.account(`c${n}`))
    const seen = accounts.map((account, n) => outcome(account.reading(`i${n}`).add(20 * MIB)))
    await turn()
    expect(seen.map(({ state }) => state)).toEqual(['there', 'there', 'waits'])
    for (const account of accounts) account.close()
    await turn()
    expect(seen[2]?.state).toBe('the call is over')
    expect(held(memory)).toEqual(nothing)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is not given to a call that has ended', async () => {
    const memory = new AnswerMemory()
    const account = memory.account('ann')
    const reading = account.reading('north')
    account.close()
    const seen = outcome(reading.add(2 * MIB))
    await turn()
    expect(seen.state).toBe('the call is over')
    expect(held(memory)).toEqual(nothing)
  })

  it('is refused to a call that reads more than 64 MiB, in one list or in many', async () => {
    const account = new AnswerMemory().account('ann')
    for (let n = 0; n < 8; n += 1) await account.reading('north').add(8 * MIB)
    const add = () => account.reading('north').add(MIB)
    expect(add).toThrow('what this call reads of the instance is larger than 64 MiB: ask for less at once')
  })

  it('is 64 MiB for a call beside what is not counted, to the byte', async () => {
    const memory = new AnswerMemory()
    const reading = memory.account('ann').reading('north')
    await reading.add(64 * MIB + 64 * KIB)
    expect(held(memory).map(({ taken }) => taken)).toEqual([1, 1, 1])
    expect(() => reading.add(1)).toThrow('larger than 64 MiB')
  })

  it('is not counted out for what was refused', async () => {
    const account = new AnswerMemory().account('ann')
    await account.reading('north').add(60 * MIB)
    const refused = account.reading('north')
    expect(() => refused.add(10 * MIB)).toThrow('larger than 64 MiB')
    refused.giveBack()
    expect(() => account.reading('north').add(10 * MIB)).toThrow('larger than 64 MiB')
  })

  it('is given to others where a call needs less by the time that it would get it', async () => {
    const memory = new AnswerMemory({ mebibytes: 128, waitMs: 5_000 })
    const first = memory.account('ann')
    await first.reading('north').add(2 * MIB)
    const account = memory.account('bob')
    const short = account.reading('south')
    await short.add(MIB)
    const long = account.reading('north')
    const seen = outcome(long.add(2 * MIB))
    await turn()
    expect([seen.state, held(memory)[1]]).toEqual(['waits', { taken: 1, waiting: 1 }])
    long.giveBack()
    first.close()
    await turn()
    expect(held(memory).map(({ taken }) => taken)).toEqual([1, 0, 0])
    account.close()
  })

  it('is taken from the smallest tier up again where all was given back during a wait', async () => {
    const memory = new AnswerMemory()
    const first = memory.account('ann')
    await first.reading('north').add(20 * MIB)
    const account = memory.account('ann')
    const [long, short] = [account.reading('south'), account.reading('south')]
    await long.add(2 * MIB)
    outcome(long.add(20 * MIB))
    await turn()
    expect(held(memory)[2]).toEqual({ taken: 1, waiting: 1 })
    long.giveBack()
    const seen = outcome(short.add(2 * MIB))
    first.close()
    await turn()
    expect([seen.state, ...held(memory).map(({ taken }) => taken)]).toEqual(['there', 1, 1, 0])
  })

  it('is given back by a list that is not needed any more, and taken again', async () => {
    const memory = new AnswerMemory()
    const account = memory.account('ann', true)
    const reading = account.reading('north')
    for (let n = 0; n < 20; n += 1) {
      await reading.add(20 * MIB)
      expect(held(memory).map(({ taken }) => taken)).toEqual([1, 1, 1])
      reading.giveBack()
      // As at the beginning, a short list waits for nobody.
      expect(reading.add(64 * KIB)).toBeUndefined()
      expect(held(memory)).toEqual(nothing)
      reading.giveBack()
    }
  })

  it('ends a list that takes longer than half a minute to arrive, without its waits', async () => {
    const reading = new AnswerMemory().account('ann').reading('north')
    const late: Failure[] = []
    const stop = reading.run(failure => void late.push(failure))
    await vi.advanceTimersByTimeAsync(29_000)
    stop()
    await vi.advanceTimersByTimeAsync(100_000)
    stop()
    const stopAgain = reading.run(failure => void late.push(failure))
    await vi.advanceTimersByTimeAsync(999)
    expect(late).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(late.map(({ code, message }) => [code, message])).toEqual([
      [4, 'the instance did not send its answer within 30 s: ask for less at once'],
    ])
    stopAgain()
  })

  it('is never exceeded, is given back whole, and everybody gets it at last, whatever is read in which order', async () => {
    const step = fc.record({
      do: fc.constantFrom('add', 'add', 'add', 'giveBack', 'close'),
      call: fc.nat(11),
      list: fc.nat(1),
      bytes: fc.constantFrom(10 * KIB, 300 * KIB, 2 * MIB, 9 * MIB, 30 * MIB),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async steps => {
        const memory = new AnswerMemory({ mebibytes: 128, waitMs: 1_000_000 })
        const accounts: AnswerAccount[] = Array.from({ length: 12 }, (_, n) => memory.account(`c${n % 4}`))
        const lists = accounts.map((account, n) => [
          account.reading(`i${n % 3}`),
          account.reading(`i${n % 5}`),
        ])
        const waits = accounts.map((): { state: string }[] => [])
        const check = () => {
          for (const { load, most } of memory.slots.map(slots => ({
            load: slots.load,
            most: slots.most,
          })))
            expect(load.taken).toBeLessThanOrEqual(most)
        }
        for (const { do: what, call, list, bytes } of steps) {
          if (what === 'close') accounts[call]?.close()
          else if (what === 'giveBack') lists[call]?.[list]?.giveBack()
          else
            try {
              waits[call]?.push(outcome(lists[call]?.[list]?.add(bytes)))
            } catch {
              // More than a call may read.
            }
          await turn()
          check()
        }
        // Whoever has all that it waits for ends; then the next one can.
        const open = new Set(accounts.keys())
        while (open.size > 0) {
          const done = [...open].find(n => waits[n]?.every(({ state }) => state !== 'waits'))
          expect(done, 'one can go on').toBeDefined()
          accounts[done as number]?.close()
          open.delete(done as number)
          await turn()
          check()
        }
        expect(held(memory)).toEqual(nothing)
        expect(vi.getTimerCount()).toBe(0)
      }),
      { numRuns: 200 },
    )
  })
})

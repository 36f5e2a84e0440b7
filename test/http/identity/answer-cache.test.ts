import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { AnswerCache } from '../../../http/identity/answer-cache.js'
import { UnreachableError } from '../../../ports/kube-api.js'
import { refusal } from '../fakes/host.js'

function remembered(capacity = 2) {
  const clock = { now: 0 }
  const asked: string[] = []
  const memory = new AnswerCache<string>({ capacity, now: () => clock.now })
  const get = (key: string, ttlMs = 100) =>
    memory.get(key, async () => {
      asked.push(key)
      return { value: key, ttlMs }
    })
  return { clock, asked, get, memory }
}

describe('a cached answer', () => {
  it('is used until it expires, and requested again after that', async () => {
    const { clock, asked, get } = remembered()
    await get('a')
    clock.now = 99
    await get('a')
    expect(asked).toEqual(['a'])
    clock.now = 100
    await get('a')
    expect(asked).toEqual(['a', 'a'])
  })

  it('is not stored when its lifetime is 0', async () => {
    const { asked, get } = remembered()
    await get('a', 0)
    await get('a', 0)
    expect(asked).toEqual(['a', 'a'])
  })

  it('replaces the least recently used one when the cache is full', async () => {
    const { asked, get } = remembered(2)
    await get('a')
    await get('b')
    await get('a')
    await get('c')
    await get('a')
    await get('b')
    expect(asked).toEqual(['a', 'b', 'c', 'b'])
  })

  it('that failed is passed to all waiting callers and not stored', async () => {
    const { memory, get, asked } = remembered()
    const fail = () => memory.get('a', () => Promise.reject(new Error('host down')))
    const results = await Promise.allSettled([fail(), fail()])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await get('a')).toBe('a')
    expect(asked).toEqual(['a'])
  })
})

describe('an accepted answer, while who is asked does not answer,', () => {
  const away = new UnreachableError('host down', 'ECONNREFUSED')
  /** A cache whose answers last for 100 ms and stand in for a second. */
  function standing() {
    const clock = { now: 0 }
    const seen = { standIns: 0, asked: 0 }
    const memory = new AnswerCache<string>({
      ...{ capacity: 2, now: () => clock.now },
      standingIn: () => {
        seen.standIns += 1
      },
    })
    const ask = (answer: () => Promise<string>) =>
      memory.get('a', async () => {
        seen.asked += 1
        return { value: await answer(), ttlMs: 100, standInMs: 30_000 }
      })
    return { clock, seen, memory, ask }
  }
  const fails = () => Promise.reject(away)

  it('stands in until its time is over, and then no more', async () => {
    const { clock, seen, ask } = standing()
    await ask(async () => 'yes')
    clock.now = 100
    expect(await ask(fails)).toBe('yes')
    clock.now = 29_999
    expect(await ask(fails)).toBe('yes')
    expect(seen.standIns).toBe(2)
    clock.now = 30_000
    await expect(ask(fails)).rejects.toThrow('host down')
  })

  it('is asked for again each second without any caller waiting, and the new answer counts', async () => {
    const { clock, seen, ask } = standing()
    await ask(async () => 'yes')
    clock.now = 100
    await ask(fails)
    expect([ask(fails), seen.asked]).toEqual(['yes', 2])
    clock.now = 1_100
    expect(ask(async () => 'changed')).toBe('yes')
    expect(seen.asked).toBe(3)
    await expect.poll(() => ask(fails)).toBe('changed')
  })

  it('stands in for a time that begins with the question, however long its answer took', async () => {
    const { clock, ask } = standing()
    await ask(async () => {
      clock.now = 20_000
      return 'yes'
    })
    clock.now = 29_999
    expect(await ask(fails)).toBe('yes')
    clock.now = 30_000
    await expect(ask(fails)).rejects.toThrow('host down')
  })

  it.each([
    ['goes on to stand in after another attempt that nobody answered', away, 'yes'],
    ['is forgotten after one that was answered with an error', refusal(403, 'Forbidden', 'no'), undefined],
  ])('%s', async (_, error, expected) => {
    const { clock, ask } = standing()
    await ask(async () => 'yes')
    clock.now = 100
    await ask(fails)
    clock.now = 1_100
    expect(ask(() => Promise.reject(error))).toBe('yes')
    await new Promise<void>(resolve => setImmediate(resolve))
    const next = ask(fails)
    if (expected === undefined) await expect(next).rejects.toThrow('host down')
    else expect(next).toBe(expected)
  })

  it('stands in for a caller who has waited for two seconds', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { clock, ask } = standing()
    await ask(async () => 'yes')
    clock.now = 100
    const answer = ask(() => new Promise(() => undefined))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await answer).toBe('yes')
    expect(ask(fails)).toBe('yes')
  })

  it('gives way to a refusal, and to an error that is an answer', async () => {
    for (const [answer, thrown] of [
      [async () => ({ value: 'no', ttlMs: 100, refused: true }), undefined],
      [() => Promise.reject(refusal(403, 'Forbidden', 'not for Kairship')), 'not for Kairship'],
    ] as const) {
      const { clock, memory, ask } = standing()
      await ask(async () => 'yes')
      clock.now = 100
      const found = memory.get('a', answer)
      if (thrown) await expect(found).rejects.toThrow(thrown)
      else expect(await found).toBe('no')
    }
  })

  it('does not stand in for who asks anew, such as a stream that is live', async () => {
    const { clock, memory, ask } = standing()
    await ask(async () => 'yes')
    clock.now = 100
    await expect(memory.renew('a', () => Promise.reject(away))).rejects.toThrow('host down')
  })
})

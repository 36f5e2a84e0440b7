import { describe, expect, it } from 'vitest'
import { AnswerCache } from '../../../http/identity/answer-cache.js'

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

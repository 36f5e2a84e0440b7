import { describe, expect, it } from 'vitest'
import { Remembered } from '../../../http/identity/remembered.js'

function remembered(capacity = 2) {
  const clock = { now: 0 }
  const asked: string[] = []
  const memory = new Remembered<string>({ capacity, now: () => clock.now })
  const get = (key: string, ttlMs = 100) =>
    memory.get(key, async () => {
      asked.push(key)
      return { value: key, ttlMs }
    })
  return { clock, asked, get, memory }
}

describe('an answer', () => {
  it('is believed for its time and requested again after', async () => {
    const { clock, asked, get } = remembered()
    await get('a')
    clock.now = 99
    await get('a')
    expect(asked).toEqual(['a'])
    clock.now = 100
    await get('a')
    expect(asked).toEqual(['a', 'a'])
  })

  it('is not kept when its time is 0', async () => {
    const { asked, get } = remembered()
    await get('a', 0)
    await get('a', 0)
    expect(asked).toEqual(['a', 'a'])
  })

  it('makes room for others when memory is full: the one unused for longest is forgotten', async () => {
    const { asked, get } = remembered(2)
    await get('a')
    await get('b')
    await get('a')
    await get('c')
    await get('a')
    await get('b')
    expect(asked).toEqual(['a', 'b', 'c', 'b'])
  })

  it('that failed reaches all waiting callers and is not remembered', async () => {
    const { memory, get, asked } = remembered()
    const fail = () => memory.get('a', () => Promise.reject(new Error('host down')))
    const results = await Promise.allSettled([fail(), fail()])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await get('a')).toBe('a')
    expect(asked).toEqual(['a'])
  })
})

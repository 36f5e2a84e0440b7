import { describe, expect, it } from 'vitest'
import { AnswerCache } from '../../../http/identity/answer-cache.js'
import { authenticatorOf } from '../../../http/identity/authenticate.js'
import { deferred } from '../fakes/deferred.js'
import { fakeHost } from '../fakes/host.js'

function authenticator() {
  const clock = { now: 0 }
  const host = fakeHost({ tokens: { good: { user: 'ada' }, other: { user: 'bob' } }, allows: () => true })
  const { authenticate } = authenticatorOf({ host, now: () => clock.now })
  const send = async (token: string, remote: string) =>
    authenticate({ authorization: `Bearer ${token}`, remote })
  return { clock, host, send }
}

describe('cached denials', () => {
  it('evict no accepted answer, however many they are', async () => {
    const memory = new AnswerCache<boolean>({ capacity: 2, now: () => 0 })
    const requests: string[] = []
    const get = async (key: string, refused: boolean) =>
      memory.get(key, async () => {
        requests.push(key)
        return { value: !refused, ttlMs: 100, refused }
      })
    await get('yes', false)
    for (const no of ['a', 'b', 'c', 'd']) await get(no, true)
    await get('yes', false)
    await get('d', true)
    await get('a', true)
    expect(requests).toEqual(['yes', 'a', 'b', 'c', 'd', 'a'])
  })

  it('turn into accepted answers when they expire, and the reverse', async () => {
    const clock = { now: 0 }
    const memory = new AnswerCache<boolean>({ capacity: 2, now: () => clock.now })
    const get = async (accepted: boolean) =>
      memory.get('key', async () => ({ value: accepted, ttlMs: 100, refused: !accepted }))
    expect(await get(false)).toBe(false)
    clock.now = 100
    expect(await get(true)).toBe(true)
    clock.now = 200
    expect(await get(false)).toBe(false)
    expect(await get(true)).toBe(false)
  })
})

describe('invalid tokens', () => {
  it('cost the host a bounded number of reviews per source, and evict no valid tokens', async () => {
    const { host, send } = authenticator()
    await send('good', '192.0.2.1')
    for (let index = 0; index < 5_000; index++) {
      await expect(send(`random-${index}`, '192.0.2.1')).rejects.toThrow(/not accepted/)
    }
    expect(host.requests).toHaveLength(101)
    await expect(send('random', '192.0.2.1')).rejects.toMatchObject({
      code: 8,
      details: { retryAfterSeconds: 10 },
    })
    expect(await send('good', '192.0.2.1')).toMatchObject({ user: 'ada' })
    expect(await send('other', '192.0.2.2')).toMatchObject({ user: 'bob' })
    expect(host.requests).toHaveLength(102)
  })

  it('are counted in windows of time', async () => {
    const { clock, send } = authenticator()
    for (let index = 0; index < 101; index++)
      await expect(send(`random-${index}`, '192.0.2.1')).rejects.toThrow()
    await expect(send('good', '192.0.2.1')).rejects.toMatchObject({ code: 8 })
    clock.now += 10_000
    expect(await send('good', '192.0.2.1')).toMatchObject({ user: 'ada' })
  })

  it('do not block callers from the same address whose token was accepted before', async () => {
    const { clock, host, send } = authenticator()
    await send('good', '192.0.2.1')
    // Its acceptance is remembered for 10 s, and in every 10 s somebody else uses the quota up.
    for (let window = 0; window < 20; window++) {
      for (let index = 0; index < 100; index++)
        await expect(send(`random-${window}-${index}`, '192.0.2.1')).rejects.toThrow(/not accepted/)
      await expect(send('other', '192.0.2.1')).rejects.toMatchObject({ code: 8 })
      expect(await send('good', '192.0.2.1')).toMatchObject({ user: 'ada' })
      clock.now += 10_000
    }
    const answered = deferred<object>()
    host.script = () => answered.promise
    const waiting = Array.from({ length: 64 }, (_, index) => send(`t-${index}`, '192.0.2.1'))
    const known = send('good', '192.0.2.1')
    answered.resolve({ status: { authenticated: true, user: { username: 'ada' } } })
    expect(await known).toMatchObject({ user: 'ada' })
    await Promise.all(waiting)
  })

  it('that were accepted before count like any other once they are refused', async () => {
    const { clock, host, send } = authenticator()
    await send('good', '192.0.2.1')
    clock.now += 10_000
    for (let index = 0; index < 100; index++)
      await expect(send(`random-${index}`, '192.0.2.1')).rejects.toThrow(/not accepted/)
    host.script = () => ({ status: { authenticated: false } })
    await expect(send('good', '192.0.2.1')).rejects.toMatchObject({ code: 16 })
    clock.now += 2_000
    await expect(send('good', '192.0.2.1')).rejects.toMatchObject({ code: 8 })
  })

  it.each([
    ['2001:db8::%x:1:2:3', '2001:db8:0:0:ffff::1', '2001:db8:0:1::1'],
    ['2001:db8::%x', '2001:db8::1:0:0:1', '2001:db8:1::1'],
    ['2001:db8:1::%x:0:0:1', '2001:db8:1::7', '2001:db8:1:1::7'],
  ])('from one IPv6 network count as one source, however it is written: %s', async (form, same, other) => {
    const { send } = authenticator()
    for (let index = 1; index <= 100; index++)
      await expect(send(`random-${index}`, form.replace('%x', index.toString(16)))).rejects.toThrow()
    await expect(send('x', same)).rejects.toMatchObject({ code: 8 })
    await expect(send('x', other)).rejects.toMatchObject({ code: 16 })
  })

  it('from IPv4 addresses in IPv6 notation count by their IPv4 address', async () => {
    const { send } = authenticator()
    for (let index = 0; index < 100; index++)
      await expect(send(`random-${index}`, '::ffff:192.0.2.1')).rejects.toThrow()
    await expect(send('x', '::ffff:192.0.2.1')).rejects.toMatchObject({ code: 8 })
    await expect(send('x', '::ffff:192.0.2.2')).rejects.toMatchObject({ code: 16 })
  })

  it('from more than ten thousand sources start a new window', async () => {
    const { send } = authenticator()
    for (let index = 0; index < 100; index++)
      await expect(send(`random-${index}`, '192.0.2.1')).rejects.toThrow()
    for (let index = 1; index < 9_999; index++)
      await expect(send(`of-${index}`, `10.0.${index >> 8}.${index & 255}`)).rejects.toThrow()
    await expect(send('y', '192.0.2.1')).rejects.toMatchObject({ code: 8 })
    await expect(send('z', '10.9.0.0')).rejects.toMatchObject({ code: 16 })
    await expect(send('y', '192.0.2.1')).rejects.toMatchObject({ code: 16 })
  })

  it('from one IPv6 network count as one source', async () => {
    const { send } = authenticator()
    for (let index = 0; index < 100; index++)
      await expect(send(`random-${index}`, `2001:db8:1:2::${index.toString(16)}`)).rejects.toThrow()
    await expect(send('x', '2001:db8:1:2:ffff::1')).rejects.toMatchObject({ code: 8 })
    await expect(send('x', '2001:db8:1:3::1')).rejects.toMatchObject({ code: 16 })
  })

  it('are reviewed at most 64 at once per source', async () => {
    const { host, send } = authenticator()
    const answered = deferred<object>()
    host.script = () => answered.promise
    const waiting = Array.from({ length: 64 }, (_, index) => send(`t-${index}`, '192.0.2.1'))
    await expect(send('one-more', '192.0.2.1')).rejects.toMatchObject({ code: 8 })
    answered.resolve({ status: { authenticated: true, user: { username: 'ada' } } })
    expect(await Promise.all(waiting)).toHaveLength(64)
    expect(await send('one-more', '192.0.2.1')).toMatchObject({ user: 'ada' })
  })
})

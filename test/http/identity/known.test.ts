import { describe, expect, it } from 'vitest'
import { authenticatorOf } from '../../../http/identity/authenticate.js'
import { type Action, hostAuthorizer } from '../../../http/identity/authorize.js'
import type { Caller } from '../../../http/identity/caller.js'
import { fakeHost } from '../fakes/host.js'

const host = fakeHost({ tokens: { good: { user: 'ada' } }, allows: ({ user }) => user === 'ada' })
const clock = { now: 0 }
const options = { host, now: () => clock.now }
const ada: Caller = { user: 'ada', groups: ['system:authenticated'], extra: {} }

describe('an authenticated caller', () => {
  it('is returned from the cache as the same object, synchronously', async () => {
    const { authenticate } = authenticatorOf(options)
    const credentials = { authorization: 'Bearer good' }
    const first = authenticate(credentials)
    expect(first).toBeInstanceOf(Promise)
    const caller = await first
    expect(caller).toEqual(ada)
    expect(authenticate(credentials)).toBe(caller)
  })

  it('with a bad token is refused from the cache for a second, then reviewed again', async () => {
    const { authenticate } = authenticatorOf(options)
    const credentials = { authorization: 'Bearer bad' }
    await expect(authenticate(credentials)).rejects.toThrow('not accepted')
    expect(() => authenticate(credentials)).toThrow('not accepted')
    clock.now += 1_000
    await expect(authenticate(credentials)).rejects.toThrow('not accepted')
  })

  it('is one object per certificate', async () => {
    const { authenticate } = authenticatorOf(options)
    const certificate = { CN: 'ada', O: 'ops' }
    const caller = await authenticate({ certificate })
    expect(caller).toEqual({ user: 'ada', groups: ['ops', 'system:authenticated'], extra: {} })
    expect(authenticate({ certificate })).toBe(caller)
    expect(authenticate({ certificate: { CN: 'eve' } })).toMatchObject({ user: 'eve' })
  })

  it('keeps its permission until the review expires', async () => {
    const { decide } = hostAuthorizer(options)
    const action = { verb: 'get', resource: 'instances/proxy', name: 'north' }
    expect(await decide(ada, action)).toMatchObject({ allowed: true })
    expect(decide(ada, { ...action })).toMatchObject({ allowed: true })
    expect(decide(ada, { ...action, name: 'south' })).toBeInstanceOf(Promise)
    clock.now += 10_000
    expect(decide(ada, action)).toBeInstanceOf(Promise)
  })

  it('has no permission from a review of another request', async () => {
    const { decide } = hostAuthorizer(options)
    const actions: readonly Action[] = [
      { verb: 'get', resource: 'instances/proxy', name: 'north' },
      { verb: 'create', resource: 'instances/proxy', name: 'north' },
      { verb: 'get', resource: 'instances/proxy', name: 'south' },
      { verb: 'get', resource: 'instances/proxy' },
      { verb: 'get', resource: 'instances', name: 'north' },
      { verb: 'get', path: 'instances/proxy' },
      { verb: 'get', path: 'instances' },
    ]
    const asked = host.requests.length
    for (const action of actions) await decide(ada, action)
    expect(host.requests).toHaveLength(asked + actions.length)
    for (const action of [...actions, ...actions]) await decide(ada, { ...action })
    expect(host.requests).toHaveLength(asked + actions.length)
    await decide({ ...ada }, actions[0]!)
    expect(host.requests).toHaveLength(asked + actions.length)
    await decide({ ...ada, groups: [] }, actions[0]!)
    expect(host.requests).toHaveLength(asked + actions.length + 1)
  })
})

describe('an access decision is cached', () => {
  const believed = async (allowed: boolean) => {
    const time = { now: 0 }
    const answers = fakeHost({ tokens: {}, allows: () => allowed })
    const { decide } = hostAuthorizer({ host: answers, now: () => time.now })
    const action = { verb: 'get', resource: 'instances', name: 'north' }
    await decide(ada, action)
    const isRemembered = (now: number) => {
      time.now = now
      return !(decide(ada, action) instanceof Promise)
    }
    return isRemembered
  }

  it('for ten seconds when it allows', async () => {
    const isRemembered = await believed(true)
    expect([isRemembered(9_999), isRemembered(10_000)]).toEqual([true, false])
  })

  it('for two seconds when it denies, so that a grant takes effect soon', async () => {
    const isRemembered = await believed(false)
    expect([isRemembered(1_999), isRemembered(2_000)]).toEqual([true, false])
  })
})

import { describe, expect, it } from 'vitest'
import type { Caller } from '../../../../http/identity/caller.js'
import { confined } from '../../../../http/identity/instance-tokens/confined.js'
import { ada } from './tokens-under-test.js'

describe('the holder of a token of an instance', () => {
  it.each([undefined, { anew: true }])('is decided about as asked, %j', async how => {
    const asked: unknown[] = []
    const { decide } = confined({
      decide: (...all) => {
        asked.push(all)
        return { allowed: true, reason: 'yes' }
      },
    })
    const action = { verb: 'get', resource: 'instances', name: 'north' }
    for (const caller of [ada, { ...ada, credential: { instance: 'north' } }])
      await decide(caller, action, how)
    expect(asked.map(all => (all as unknown[])[2])).toEqual([how, how])
  })

  const authorizer = confined({ decide: () => ({ allowed: true, reason: 'yes' }) })
  const holder: Caller = { ...ada, credential: { instance: 'north' } }

  it.each([
    [{ verb: 'get', resource: 'instances', name: 'north' }, true],
    [{ verb: 'create', resource: 'instances/proxy', name: 'north' }, true],
    [{ verb: 'get', resource: 'instances/proxy', name: 'south' }, false],
    [{ verb: 'list', resource: 'instances' }, false],
    [{ verb: 'get', resource: 'workspaces', name: 'north' }, false],
    [{ verb: 'get', resource: 'instancesets', name: 'north' }, false],
    [{ verb: 'get', path: '/metrics' }, false],
  ])('does what is about the instance and nothing else: %j', async (action, allowed) => {
    const verdict = await authorizer.decide(holder, action)
    expect(verdict.allowed).toBe(allowed)
    if (!allowed) expect(verdict.reason).toBe('the token is for the instance "north" alone')
    expect((await authorizer.decide(ada, action)).allowed).toBe(true)
  })
})

import { describe, expect, it } from 'vitest'
import { toFailure } from '../../../http/errors/to-failure.js'
import { readiness, readyChecks } from '../../../http/health/readiness.js'
import { authenticatorOf } from '../../../http/identity/authenticate.js'
import { hostAuthorizer } from '../../../http/identity/authorize.js'
import { DEFAULT_HOST_GRACE_MS, type HostGrace } from '../../../http/identity/host-grace.js'
import type { InstanceTokens } from '../../../http/identity/instance-tokens/instance-tokens.js'
import { roleAuthorizer } from '../../../http/identity/role-authorizer.js'
import { UnreachableError, UnusableAnswerError } from '../../../ports/kube-api.js'
import { Code } from '../../../transcoding/code.js'
import { fakeFleet } from '../fakes/fleet.js'
import { fakeHost, refusal } from '../fakes/host.js'
import { fakeRoleBindings } from '../fakes/role-bindings.js'

/** A host that can be cut off, and what is decided with it. */
function world() {
  const clock = { now: 0 }
  const host = fakeHost({ tokens: { good: { user: 'ada' } }, allows: ({ user }) => user === 'ada' })
  const stoodIn: string[] = []
  const grace: HostGrace = { ms: DEFAULT_HOST_GRACE_MS, standingIn: of => void stoodIn.push(of) }
  const now = () => clock.now
  const bindings = fakeRoleBindings()
  const own: Pick<InstanceTokens, 'isOne' | 'check'> = {
    isOne: token => token.startsWith('own-'),
    check: async () => ({ caller: { user: 'eve', groups: [], extra: {} }, validMs: 3_600_000 }),
  }
  const { authenticate } = authenticatorOf({ host, now, grace, wallClock: now, instanceTokens: own })
  const { decide } = roleAuthorizer({
    ...{ bindings, graceMs: grace.ms },
    host: hostAuthorizer({ host, now, grace }),
  })
  const action = { verb: 'get', resource: 'instances/proxy', name: 'north' }
  return {
    ...{ clock, host, stoodIn, bindings },
    cut() {
      host.script = () => {
        throw new UnreachableError('connect ECONNREFUSED', 'ECONNREFUSED')
      }
    },
    who: async (token = 'good') => (await authenticate({ authorization: `Bearer ${token}` })).user,
    may: async (user = 'ada') => (await decide({ user, groups: [], extra: {} }, action)).allowed,
  }
}

describe('while the host does not answer', () => {
  it('known callers and their rights count for a minute since they were confirmed, and are refused then', async () => {
    const { clock, stoodIn, cut, who, may } = world()
    expect([await who(), await may()]).toEqual(['ada', true])
    cut()
    clock.now = 59_999
    expect([await who(), await may()]).toEqual(['ada', true])
    expect(stoodIn).toEqual(['token', 'access'])
    clock.now = 60_000
    await expect(who()).rejects.toThrow('ECONNREFUSED')
    await expect(may()).rejects.toThrow('ECONNREFUSED')
  })

  it('nobody comes in who was not known, and no right is given that was not confirmed', async () => {
    const { clock, cut, who, may } = world()
    expect([await who(), await may('eve')]).toEqual(['ada', false])
    cut()
    clock.now = 20_000
    await expect(who('other')).rejects.toThrow('ECONNREFUSED')
    await expect(may('eve')).rejects.toThrow('ECONNREFUSED')
    await expect(may()).rejects.toThrow('ECONNREFUSED')
  })

  it('known callers count also where somebody makes any number of tokens that are verified here', async () => {
    const { clock, cut, who } = world()
    expect(await who()).toBe('ada')
    cut()
    for (let made = 0; made < 5_000; made++) await who(`own-${made}`)
    clock.now = 30_000
    expect(await who()).toBe('ada')
  })

  it.each<[string, unknown]>([
    ['a page', '<html>a proxy</html>'],
    ['nothing', undefined],
    ['a verdict that is no boolean', { status: { authenticated: 'true', allowed: 'true' } }],
    [
      'an answer that is too large, or no JSON',
      new UnusableAnswerError('POST: the answer is larger than 1048576 bytes'),
    ],
    ['a redirect', refusal(302, '', 'found')],
    ['an error that is not of Kubernetes', refusal(500, '', 'oops')],
  ])(
    '%s in the place of a review is no answer: it ends nobody’s token, and lets nobody in',
    async (_what, answer) => {
      const { clock, host, who, may } = world()
      expect([await who(), await may()]).toEqual(['ada', true])
      host.script = () => {
        if (answer instanceof Error) throw answer
        return answer ?? {}
      }
      clock.now = 59_999
      expect([await who(), await may()]).toEqual(['ada', true])
      await expect(who('other')).rejects.toThrow('no review')
      await expect(may('eve')).rejects.toThrow('no review')
      expect(toFailure(await who('other').catch(error => error)).code).toBe(Code.UNAVAILABLE)
      clock.now = 61_000
      await expect(who()).rejects.toThrow('no review')
      await expect(may()).rejects.toThrow('no review')
    },
  )

  it('a token counts no longer than it says itself', async () => {
    const { clock, host, cut, who } = world()
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const token = `${part({ alg: 'RS256' })}.${part({ exp: 30, jti: 'a' })}.c2ln`
    host.script = ({ path }) =>
      path.endsWith('/tokenreviews')
        ? { status: { authenticated: true, user: { username: 'ned', groups: [] } } }
        : undefined
    expect(await who(token)).toBe('ned')
    cut()
    clock.now = 29_999
    expect(await who(token)).toBe('ned')
    clock.now = 30_000
    await expect(who(token)).rejects.toThrow('ECONNREFUSED')
  })

  it('role bindings count for the same time', async () => {
    const { cut, bindings, may } = world()
    bindings.give('ned', 'Viewer', { instance: 'north', subject: { kind: 'User', name: 'ned' } })
    cut()
    bindings.silentForMs = DEFAULT_HOST_GRACE_MS
    expect(await may('ned')).toBe(true)
    bindings.silentForMs = DEFAULT_HOST_GRACE_MS + 1
    await expect(may('ned')).rejects.toThrow('ECONNREFUSED')
  })

  it('/readyz says that role bindings give nothing while they cannot be read, though the host answers', async () => {
    const { host, bindings } = world()
    host.script = ({ path }) => (path === '/readyz' ? 'ok' : undefined)
    const checks = readyChecks({ fleet: { ...fakeFleet(), roleBindings: bindings }, host })
    const ofRoles = async () => {
      const { ready, text } = await readiness(checks)
      return [ready, text.split('\n').find(line => line.includes('role-bindings'))]
    }
    bindings.silentForMs = DEFAULT_HOST_GRACE_MS
    expect(await ofRoles()).toEqual([true, '[+]role-bindings ok'])
    bindings.silentForMs = DEFAULT_HOST_GRACE_MS + 15_000
    expect(await ofRoles()).toEqual([
      false,
      '[-]role-bindings failed: not read from the host for 75 s: roles give nothing until they are',
    ])
  })

  it('/readyz says for how long what it said last counts', async () => {
    const { clock, host, cut } = world()
    const fleet = fakeFleet()
    const checks = readyChecks({ fleet, host, now: () => clock.now })
    const ofHost = async () => (await readiness(checks)).text.split('\n').find(line => line.includes('host'))
    host.script = ({ path }) => (path === '/readyz' ? 'ok' : undefined)
    expect(await ofHost()).toBe('[+]host ok')
    cut()
    clock.now = 10_000
    expect(await ofHost()).toBe(
      '[-]host failed: connect ECONNREFUSED; what it last said of tokens and rights counts for another 50 s at most',
    )
    clock.now = 60_000
    expect(await ofHost()).toBe(
      '[-]host failed: connect ECONNREFUSED; tokens and rights that only it knows are refused',
    )
  })
})

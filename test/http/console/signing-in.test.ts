import { once } from 'node:events'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { UnreachableError } from '../../../ports/kube-api.js'
import { waitFor } from '../../patience.js'
import { curl, type Listening } from '../fakes/listening.js'
import { consoles, cookieOf, message, ofPage, session, signIn } from './console-under-test.js'

const { start } = consoles()

describe('signing in', () => {
  it('answers with the user, and never the token', async () => {
    const api = await start()
    const answer = await signIn(api, { token: 'admin' })
    expect(JSON.parse(answer.text)).toEqual({
      user: 'admin',
      groups: ['admins', 'system:authenticated'],
      expiresAt: expect.any(Number),
      isRenewable: false,
    })
    expect(JSON.stringify(answer.headers)).not.toContain('Bearer')
  })

  it('lets no cache keep a session, the answer that it began, or the refusal of one', async () => {
    const api = await start()
    const headers = { ...ofPage(api), cookie: await session(api, 'admin') }
    const answers = [
      await signIn(api, { token: 'admin' }),
      await curl(api.running, '/console/session', {}, headers),
      await curl(api.running, '/console/session', {}, ofPage(api)),
      await signIn(api, { code: 'made-up' }),
      await curl(api.running, '/console/codes', { token: 'admin' }, ofPage(api), 'POST', {}),
    ]
    expect(answers.map(answer => answer.headers['cache-control'])).toEqual(Array(5).fill('no-store'))
  })

  it('makes the page’s calls calls of its caller', async () => {
    const api = await start()
    const headers = { ...ofPage(api), cookie: await session(api, 'admin') }
    const list = await curl(api.running, '/apis/kairship.io/v1alpha1/instances', {}, headers)
    expect(JSON.parse(list.text).items).toHaveLength(2)
    expect(JSON.parse((await curl(api.running, '/console/session', {}, headers)).text).user).toBe('admin')
  })

  it('gives no token to scripts of the page', async () => {
    const api = await start()
    const path = '/apis/kairship.io/v1alpha1/instances/north/token'
    const headers = { ...ofPage(api), cookie: await session(api, 'admin') }
    const refused = await curl(api.running, path, {}, headers, 'POST', {})
    expect([refused.status, message(refused)]).toEqual([
      403,
      expect.stringContaining('a session of the console makes no tokens'),
    ])
    expect(api.log.audits()).toContainEqual(
      expect.objectContaining({
        operation: expect.stringContaining('CreateInstanceToken'),
        code: 'PERMISSION_DENIED',
      }),
    )
    const byToken = await curl(api.running, path, { token: 'admin' }, ofPage(api), 'POST', {})
    expect(message(byToken)).not.toContain('session')
  })

  it('does not make calls of other pages calls of its caller', async () => {
    const api = await start()
    const cookie = await session(api, 'admin')
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, {}])
      expect(
        (await curl(api.running, '/apis/kairship.io/v1alpha1/instances', {}, { ...headers, cookie })).status,
      ).toBe(401)
  })

  it('leaves an audit record that names the caller', async () => {
    const api = await start()
    await session(api, 'viewer')
    expect(api.log.audits()).toMatchObject([{ operation: 'console.SignIn', user: 'viewer', code: 'OK' }])
  })

  it('at one of two servers on a host keeps the session at the other, on another port', async () => {
    const [one, other] = [await start(), await start()]
    const cookies = new Map<string, string>()
    // A browser sends a host's cookies to all of its ports, and keeps one of each name.
    const send = async (api: Listening, method: string, body?: object) => {
      const cookie = [...cookies].map(pair => pair.join('=')).join('; ')
      const answer = await curl(api.running, '/console/session', {}, { ...ofPage(api), cookie }, method, body)
      for (const set of (answer.headers['set-cookie'] ?? []) as string[]) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
      return answer
    }
    const userAt = async (api: Listening) => JSON.parse((await send(api, 'GET')).text).user
    await send(one, 'POST', { token: 'admin' })
    await send(other, 'POST', { token: 'viewer' })
    expect([await userAt(one), await userAt(other)]).toEqual(['admin', 'viewer'])
    await send(other, 'DELETE')
    expect([await userAt(one), await userAt(other)]).toEqual(['admin', undefined])
  })

  it('is refused with an unknown token, and starts no session', async () => {
    const api = await start()
    const answer = await signIn(api, { token: 'made-up' })
    expect(answer.status).toBe(401)
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  it('is refused for a while after a hundred such tokens of one address, as is a socket', async () => {
    const api = await start()
    const { url, certificateAuthority: ca } = api.running
    const headers = { ...ofPage(api), authorization: 'Bearer another' }
    const refusalOfSocket = async () => {
      const socket = new WebSocket(`${url.replace('https', 'wss')}/console/socket`, { headers, ca })
      const [error] = await once(socket, 'error')
      return String(error.message)
    }
    // They are counted for ten seconds: on a busy machine a hundred may take longer, and are sent again.
    await waitFor(async () => {
      for (let first = 0; first < 100; first += 20)
        await Promise.all(
          Array.from({ length: 20 }, (_, n) => signIn(api, { token: `made-up-${first + n}-${Date.now()}` })),
        )
      const refused = await Promise.all([signIn(api, { token: 'made-up' }), refusalOfSocket()])
      expect(refused).toEqual([expect.objectContaining({ status: 429 }), expect.stringContaining('429')])
    })
  })

  it('is refused to a page of another site, which could sign the user in as somebody else', async () => {
    const api = await start()
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, {}])
      expect((await signIn(api, { token: 'admin' }, headers)).status).toBe(403)
  })

  it.each<[string, object]>([
    ['nothing', {}],
    ['both', { code: 'x', token: 'y' }],
    ['a number', { token: 7 }],
    ['an empty token', { token: '' }],
    ['more', { token: 'admin', user: 'other' }],
  ])('is refused with %s', async (_what, by) => {
    const answer = await signIn(await start(), by)
    expect([answer.status, message(answer)]).toEqual([400, 'send {"code": …} or {"token": …}'])
  })

  it('is refused with a body larger than a token', async () => {
    const answer = await signIn(await start(), { token: 'x'.repeat(30_000) })
    expect([answer.status, message(answer)]).toEqual([400, 'the body is larger than a token can be'])
  })

  it('ends with signing out', async () => {
    const api = await start()
    const answer = await curl(api.running, '/console/session', {}, ofPage(api), 'DELETE')
    expect(answer.status).toBe(204)
    expect(String(answer.headers['set-cookie'])).toMatch(
      new RegExp(`^${cookieOf(api, 'session')}=; .*Max-Age=0`),
    )
    expect(
      (await curl(api.running, '/console/session', {}, { origin: 'https://evil' }, 'DELETE')).status,
    ).toBe(403)
  })
})

describe('a one-time code', () => {
  const codeFor = async (api: Listening, token: string): Promise<string> =>
    JSON.parse((await curl(api.running, '/console/codes', { token }, {}, 'POST', {})).text).code

  it('signs its caller in, once', async () => {
    const api = await start()
    const code = await codeFor(api, 'viewer')
    expect(JSON.parse((await signIn(api, { code })).text).user).toBe('viewer')
    const again = await signIn(api, { code })
    expect([again.status, message(again)]).toEqual([401, expect.stringMatching(/run `kairship console`/)])
  })

  it('signs its caller in after the host was away at the first try', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const api = await start()
    const code = await codeFor(api, 'viewer')
    // The answer about the token is forgotten.
    vi.advanceTimersByTime(60_000)
    api.host.script = ({ path }) => {
      if (path.endsWith('/tokenreviews')) throw new UnreachableError('connect ECONNREFUSED', 'ECONNREFUSED')
      return undefined
    }
    const away = await signIn(api, { code })
    expect([away.status, away.headers['set-cookie']]).toEqual([503, undefined])
    api.host.script = () => undefined
    expect(JSON.parse((await signIn(api, { code })).text).user).toBe('viewer')
    expect((await signIn(api, { code })).status).toBe(401)
  })

  it('of another user does not replace a session without consent', async () => {
    const api = await start()
    const code = await codeFor(api, 'viewer')
    const headers = { ...ofPage(api), cookie: await session(api, 'admin') }
    const asked = await signIn(api, { code }, headers)
    expect([asked.status, message(asked)]).toEqual([
      400,
      'this browser is signed in as admin, and the link is viewer’s',
    ])
    expect(JSON.parse(asked.text).details).toContainEqual(
      expect.objectContaining({
        reason: 'OtherSession',
        metadata: { user: 'viewer', current: 'admin' },
      }),
    )
    expect(asked.headers['set-cookie']).toBeUndefined()
    const replaced = await signIn(api, { code, replace: true }, headers)
    expect(JSON.parse(replaced.text).user).toBe('viewer')
  })

  it('of the same user, or over an ended session, needs no consent', async () => {
    const api = await start()
    const cookie = await session(api, 'admin')
    const again = await signIn(api, { code: await codeFor(api, 'admin') }, { ...ofPage(api), cookie })
    expect(again.status).toBe(200)
    const over = { ...ofPage(api), cookie: `${cookieOf(api, 'session')}=a.b.c.d.e` }
    expect((await signIn(api, { code: await codeFor(api, 'viewer') }, over)).status).toBe(200)
  })

  it('is not issued beyond sixteen of one caller; others are not affected', async () => {
    const api = await start()
    for (let n = 0; n < 16; n += 1) await codeFor(api, 'viewer')
    const issue = (token: string) => curl(api.running, '/console/codes', { token }, {}, 'POST', {})
    expect((await issue('viewer')).status).toBe(429)
    expect((await issue('admin')).status).toBe(200)
  })

  it('is not issued without a token, also not to a user with a session', async () => {
    const api = await start()
    expect((await curl(api.running, '/console/codes', {}, {}, 'POST', {})).status).toBe(401)
    const headers = { ...ofPage(api), cookie: await session(api, 'admin') }
    expect((await curl(api.running, '/console/codes', {}, headers, 'POST', {})).status).toBe(403)
  })
})

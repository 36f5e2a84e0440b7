import type { IncomingMessage } from 'node:http'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { isOfOwnPage, Sessions, sessionKeyOf } from '../../../http/console/sessions.js'
import { sessionUserProtocol, sessionUserText } from '../../../transcoding/session-user.js'

const key = sessionKeyOf('a private key')
const NOON = Date.UTC(2026, 0, 1, 12)
const HOST = 'kairship:8443'
const own = { host: HOST, 'sec-fetch-site': 'same-origin' }

/** A request with these headers. */
const request = (headers: Record<string, string>) =>
  ({ headers: { ...headers } }) as unknown as IncomingMessage

/** The `Cookie` header that a browser sends after this `Set-Cookie`. */
const cookie = (set: string) => set.split(';')[0]!

async function authorized(sessions: Sessions, headers: Record<string, string>): Promise<string | undefined> {
  const incoming = request(headers)
  await sessions.authorize(incoming)
  return incoming.headers.authorization
}

async function begun(sessions: Sessions, token = 'a token', user = 'ada'): Promise<string> {
  const session = await sessions.begin(token, user, HOST)
  if (!session) throw new Error('no session')
  return cookie(session.cookie)
}

describe('a session', () => {
  it('is in a cookie that is sent only to this host over TLS, and that no script and no other site can use', async () => {
    const session = await new Sessions(key).begin('a token', 'ada', HOST)
    expect(session?.cookie).toMatch(
      /^__Host-kairship-session-8443=[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    )
    expect(session?.cookie).not.toContain('token')
  })

  it('is the credential of a request of the own page', async () => {
    const sessions = new Sessions(key)
    const session = await begun(sessions)
    expect(await authorized(sessions, { ...own, cookie: session })).toBe('Bearer a token')
    expect(await authorized(sessions, { ...own, cookie: `other=1; ${session}; more=2` })).toBe(
      'Bearer a token',
    )
  })

  it('is cached with a bounded number of others, and decrypted again after that', async () => {
    const sessions = new Sessions(key, undefined, 3)
    const first = await sessions.begin('first', 'ada', HOST)
    const look = async (set: string) => sessions.of(request({ host: HOST, cookie: cookie(set) }))
    await look(first!.cookie)
    expect(sessions.tokensOf(first!.id)).toEqual(['first'])
    for (let n = 0; n < 2; n += 1) await look((await sessions.begin(`token ${n}`, 'ada', HOST))!.cookie)
    expect(sessions.tokensOf(first!.id)).toEqual(['first'])
    await look((await sessions.begin('one more', 'ada', HOST))!.cookie)
    expect(sessions.tokensOf(first!.id)).toEqual([])
    expect((await look(first!.cookie))?.token).toBe('first')
  })

  it('is read by replicas with the same key, and by no others', async () => {
    const session = await begun(new Sessions(key))
    expect(await authorized(new Sessions(sessionKeyOf('a private key')), { ...own, cookie: session })).toBe(
      'Bearer a token',
    )
    expect(
      await authorized(new Sessions(sessionKeyOf('another')), { ...own, cookie: session }),
    ).toBeUndefined()
  })

  it('is invalid after sign-out, as is its renewal; another session of the user stays valid', async () => {
    const sessions = new Sessions(key)
    const first = (await sessions.begin('a token', 'ada', HOST))!
    const renewed = (await sessions.begin('a later token', 'ada', HOST, undefined, first.id))!
    const other = (await sessions.begin('a token', 'ada', HOST))!
    expect(await authorized(sessions, { ...own, cookie: cookie(first.cookie) })).toBe('Bearer a token')
    sessions.uses.end(first.id)
    for (const one of [first, renewed])
      expect(await authorized(sessions, { ...own, cookie: cookie(one.cookie) })).toBeUndefined()
    expect(await authorized(sessions, { ...own, cookie: cookie(other.cookie) })).toBe('Bearer a token')
  })

  it('keeps the Authorization header of a request', async () => {
    const sessions = new Sessions(key)
    const headers = { ...own, cookie: await begun(sessions), authorization: 'Bearer mine' }
    expect(await authorized(sessions, headers)).toBe('Bearer mine')
  })

  it.each<[string, Record<string, string>]>([
    ['another site', { host: 'kairship:8443', 'sec-fetch-site': 'cross-site' }],
    ['another site on the same domain', { host: 'kairship:8443', 'sec-fetch-site': 'same-site' }],
    ['an address bar', { host: 'kairship:8443', 'sec-fetch-site': 'none' }],
    ['a page of another origin, by an old browser', { host: 'kairship:8443', origin: 'https://evil:8443' }],
    ['a sandboxed page', { ...own, origin: 'null' }],
    ['a page of this host over another port', { ...own, origin: 'https://kairship:9443' }],
    ['a program', { host: 'kairship:8443' }],
  ])('is not the credential of a request of %s', async (_who, headers) => {
    const sessions = new Sessions(key)
    expect(await authorized(sessions, { ...headers, cookie: await begun(sessions) })).toBeUndefined()
  })

  it('is the credential of pages of its own user, and not of another’s', async () => {
    const sessions = new Sessions(key)
    const session = { ...own, cookie: await begun(sessions, 'a token', 'oidc:ünal@example.com') }
    const as = (user: string) =>
      authorized(sessions, { ...session, 'kairship-session-user': sessionUserText(user) })
    expect(await as('oidc:ünal@example.com')).toBe('Bearer a token')
    expect(await as('ada')).toBeUndefined()
    expect(await authorized(sessions, session)).toBe('Bearer a token')
  })

  it.each(['oidc:ünal@example.com', 'ada (night shift)', '管理员'])(
    'counts for a WebSocket of a page of %s, and not for one of another’s',
    async user => {
      const sessions = new Sessions(key)
      const session = { ...own, cookie: await begun(sessions, 'a token', user) }
      const as = (protocols: string) =>
        authorized(sessions, { ...session, 'sec-websocket-protocol': protocols })
      expect(await as(`v5.channel.k8s.io, ${sessionUserProtocol(user)}`)).toBe('Bearer a token')
      expect(await as(`v5.channel.k8s.io,${sessionUserProtocol('eve')}`)).toBeUndefined()
      expect(await as(`${sessionUserProtocol(user)}, ${sessionUserProtocol('eve')}`)).toBeUndefined()
      expect(await as('v5.channel.k8s.io')).toBe('Bearer a token')
      // Browsers take nothing else (RFC 6455, section 4.1, item 10).
      expect(sessionUserProtocol(user)).toMatch(/^[!#$%&'*+.^_`|~\w-]+$/)
    },
  )

  it('is the credential of a page of this origin in a browser without Sec-Fetch-Site', async () => {
    const sessions = new Sessions(key)
    const headers = { host: 'kairship:8443', origin: 'https://kairship:8443', cookie: await begun(sessions) }
    expect(await authorized(sessions, headers)).toBe('Bearer a token')
  })

  it('is invalid when any character of it is changed', async () => {
    const sessions = new Sessions(key)
    const session = await begun(sessions)
    const start = session.indexOf('=') + 1
    for (let at = start; at < session.length; at += 7) {
      const changed = session.slice(0, at) + (session[at] === 'A' ? 'B' : 'A') + session.slice(at + 1)
      expect(await authorized(sessions, { ...own, cookie: changed }), `letter ${at}`).toBeUndefined()
    }
  })

  it.each([
    '',
    '__Host-kairship-session-8443=',
    '__Host-kairship-session-8443=a.b.c',
    '__Host-kairship-session-8443=....',
    'x__Host-kairship-session-8443=1',
  ])('is absent with the cookie %j', async text => {
    expect(await authorized(new Sessions(key), { ...own, cookie: text })).toBeUndefined()
  })

  it('ends after twelve hours', async () => {
    let now = NOON
    const sessions = new Sessions(key, () => now)
    const session = await begun(sessions)
    now += 12 * 3_600_000 - 1
    expect(await authorized(sessions, { ...own, cookie: session })).toBe('Bearer a token')
    now += 1
    expect(await authorized(sessions, { ...own, cookie: session })).toBeUndefined()
    expect(await authorized(new Sessions(key, () => now), { ...own, cookie: session })).toBeUndefined()
  })

  it('ends with its token', async () => {
    const seconds = NOON / 1_000 + 90
    const token = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(seconds)
      .sign(new Uint8Array(32))
    let now = NOON
    const sessions = new Sessions(key, () => now)
    const session = await sessions.begin(token, 'ada', HOST)
    expect(session).toMatchObject({ until: seconds * 1_000, cookie: expect.stringMatching(/Max-Age=90$/) })
    now += 90_000
    expect(await authorized(sessions, { ...own, cookie: cookie(session!.cookie) })).toBeUndefined()
  })

  it('is not started with a token that is too large for a cookie', async () => {
    const sessions = new Sessions(key)
    expect(await sessions.begin('x'.repeat(2_700), 'ada', HOST)).toBeDefined()
    expect(await sessions.begin('x'.repeat(3_000), 'ada', HOST)).toBeUndefined()
  })
})

describe('a request of the own page', () => {
  it('is not one whose Origin is no URL', () => {
    expect(isOfOwnPage({ headers: { ...own, origin: 'kairship' } })).toBe(false)
  })

  it.each<[string, boolean]>([
    ['https://kairship:8443', true],
    ['http://kairship:8443', false],
    ['https://kairship', false],
    ['https://ada@kairship:8443', false],
    ['null', false],
  ])('in a browser that sends only Origin, %s: %s', (origin, isOwn) => {
    expect(isOfOwnPage({ headers: { host: 'kairship:8443', origin } })).toBe(isOwn)
  })
})

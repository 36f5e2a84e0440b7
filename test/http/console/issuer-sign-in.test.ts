import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SESSION_MS } from '../../../http/console/sessions.js'
import { ServiceError } from '../../../ports/service-error.js'
import { deferred } from '../fakes/deferred.js'
import { curl } from '../fakes/listening.js'
import { cookieOf } from './console-under-test.js'
import {
  asPage,
  cookiesOf,
  next,
  problemOf,
  renew,
  signedIn,
  signInWorlds,
  type World,
} from './sign-in-worlds.js'

const { start, startWithout } = signInWorlds()

/** The `Set-Cookie` that makes a browser forget its renewal. */
const forgotten = (world: World) =>
  expect.stringMatching(new RegExp(`^${cookieOf(world.api, 'renewal')}=; .*Max-Age=0`))

describe('signing in at an issuer', () => {
  it('ends at the requested view, with a session that scripts cannot read', async () => {
    const world = await start()
    expect(await signedIn(world, '/instances/north?tab=events')).toBe(
      `${world.url}/instances/north?tab=events`,
    )
    const answer = await asPage(world.api, world.browser.cookies)
    const session = JSON.parse(answer.text)
    expect(session).toMatchObject({ user: 'playground:ada', isRenewable: true })
    expect(session.expiresAt - Date.now()).toBeGreaterThan(500_000)
    expect(session.expiresAt - Date.now()).toBeLessThanOrEqual(600_000)
    expect(world.browser.cookie(cookieOf(world.api, 'sign-in'))).toBeUndefined()
    expect(problemOf(world)).toBe('')
    expect(world.api.log.audits()).toContainEqual(
      expect.objectContaining({ operation: 'console.SignIn', user: 'playground:ada', code: 'OK' }),
    )
  })

  it('is offered to everybody, with the issuer’s name', async () => {
    const { api, issuer } = await start()
    expect(JSON.parse((await curl(api.running, '/console/sign-in/options')).text)).toEqual({
      issuer: issuer.url,
    })
  })

  it('works with a client that has a secret', async () => {
    const world = await start({ secret: 'a long secret of a client, 32 characters' })
    await signedIn(world)
    expect((await asPage(world.api, world.browser.cookies)).status).toBe(200)
  })

  it('with a wrong secret reports that the issuer refuses the client, and starts no session', async () => {
    const world = await start({ secret: 'a long secret of a client, 32 characters', shown: 'another' })
    expect(await signedIn(world)).toBe(`${world.url}/instances`)
    expect(problemOf(world)).toContain(`the issuer ${world.issuer.url} refuses`)
    expect((await asPage(world.api, world.browser.cookies)).status).toBe(401)
  })

  it('reports that its issuer cannot be reached', async () => {
    const { api, url, issuer } = await start()
    await issuer.close()
    const { status, headers } = await curl(api.running, '/console/sign-in?to=/instances')
    expect([status, headers.location]).toEqual([302, `${url}/instances`])
    expect(decodeURIComponent(String(headers['set-cookie']))).toContain('cannot be reached')
  })

  it('that fails puts the reason into a cookie for the page’s scripts, for a minute, whatever the issuer writes', async () => {
    const world = await start()
    const words = 'no; Domain=evil.example\r\nset-cookie: x=1, ü'
    vi.spyOn(world.signIn, 'begin').mockRejectedValue(new ServiceError('unmet', words, 'IssuerRefused'))
    const answer = await curl(world.api.running, '/console/sign-in?to=/instances')
    const [set = '', ...others] = cookiesOf(answer)
    expect(others).toEqual([])
    const [pair = '', ...attributes] = set.split('; ')
    expect(attributes).toEqual(['Path=/', 'Secure', 'SameSite=Strict', 'Max-Age=60'])
    const [name, value = '', ...more] = pair.split('=')
    expect([name, decodeURIComponent(value), more]).toEqual([
      cookieOf(world.api, 'problem'),
      `${words} (FAILED_PRECONDITION)`,
      [],
    ])
  })

  it.each<[string, string]>([
    ['another site', 'https://evil.example/instances'],
    ['another site, without its scheme', '//evil.example/'],
    ['another site, with backslashes', '/\\evil.example'],
    ['a script', 'javascript:alert(1)'],
    ['more than a cookie holds', `/${'x'.repeat(2_000)}`],
  ])('never leads to %s', async (_what, to) => {
    const world = await start()
    expect(await signedIn(world, to)).toBe(`${world.url}/`)
  })

  it('does not lead to another site by a path that looks like one', async () => {
    const world = await start()
    expect(new URL(await signedIn(world, '/.//evil.example')).origin).toBe(world.url)
  })

  it.each(['', '?state=made-up&code=made-up'])(
    'is refused to a browser that has not begun it (%s)',
    async query => {
      const world = await start()
      const { url, browser, api } = world
      await browser.open(`${url}/console/sign-in/callback${query}`)
      expect(problemOf(world)).toContain('began in another browser')
      expect(browser.cookie(cookieOf(api, 'session'))).toBeUndefined()
      expect(api.log.audits()).toContainEqual(
        expect.objectContaining({ operation: 'console.SignIn', code: 'UNAUTHENTICATED' }),
      )
    },
  )

  it('is refused with the state of another sign-in, and accepted with its own', async () => {
    const world = await start()
    const { url, browser, issuer } = world
    const page = await browser.open(`${url}/console/sign-in?to=/instances`)
    await browser.open(`${url}/console/sign-in/callback?state=made-up&code=made-up`)
    expect(problemOf(world)).toContain('began in another browser')
    await browser.submit(page, { name: 'ada', password: issuer.password })
    expect((await asPage(world.api, browser.cookies)).status).toBe(200)
  })

  it('sends at most sixteen requests at once to the issuer for one address, and refuses the next without a request', async () => {
    const { api, url, signIn } = await start()
    const answered = deferred<never>()
    const finish = vi.spyOn(signIn, 'finish').mockReturnValue(answered.promise)
    const page = await curl(api.running, '/console/sign-in?to=/instances')
    const state = new URL(String(page.headers.location)).searchParams.get('state')
    const back = () =>
      curl(api.running, `/console/sign-in/callback?code=made-up&state=${state}`, {}, { cookie: next(page) })
    const waiting = Array.from({ length: 16 }, back)
    await expect.poll(() => finish.mock.calls.length).toBe(16)
    const refused = await back()
    expect([refused.status, refused.headers.location]).toEqual([302, `${url}/instances`])
    expect(decodeURIComponent(cookiesOf(refused).join())).toContain('16 sign-ins under way')
    expect(finish).toHaveBeenCalledTimes(16)
    answered.resolve(Promise.reject(new ServiceError('unmet', 'no such code', 'IssuerRefused')) as never)
    await Promise.all(waiting)
    finish.mockRestore()
    expect(decodeURIComponent(cookiesOf(await back()).join())).not.toContain('under way')
  })

  it('sends no referrer to other sites, and is not cached', async () => {
    const { api } = await start()
    for (const path of ['/console/sign-in', '/console/sign-in/callback'])
      expect((await curl(api.running, path)).headers, path).toMatchObject({
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      })
  })

  it('redirects to the host of the callback first, and only once where a proxy hides the host', async () => {
    const { api, url, issuer } = await start()
    const at = (query: string) => curl(api.running, `/console/sign-in?${query}`, {}, { host: 'localhost' })
    expect((await at('to=/instances')).headers.location).toBe(`${url}/console/sign-in?to=%2Finstances&moved=`)
    expect(String((await at('to=/instances&moved=')).headers.location)).toContain(issuer.url)
  })

  it('does not exist where no client is configured', async () => {
    const { running } = await startWithout()
    expect(JSON.parse((await curl(running, '/console/sign-in/options')).text)).toEqual({})
    expect((await curl(running, '/console/sign-in')).status).toBe(404)
  })
})

describe('renewing a session', () => {
  it('makes it valid for longer, and replaces its refresh token', async () => {
    const world = await start()
    await signedIn(world)
    const first = await renew(world, world.browser.cookies)
    expect(JSON.parse(first.text)).toMatchObject({ user: 'playground:ada', isRenewable: true })
    expect((await asPage(world.api, next(first))).status).toBe(200)
    const second = await renew(world, next(first))
    expect([second.status, world.issuer.refreshes]).toEqual([200, 2])
  })

  it('sends one request to the issuer for concurrent requests of several pages', async () => {
    const world = await start()
    await signedIn(world)
    const { cookies } = world.browser
    const answers = await Promise.all([renew(world, cookies), renew(world, cookies), renew(world, cookies)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(world.issuer.refreshes).toBe(1)
  })

  it('is refused with a used refresh token, and deletes it', async () => {
    const world = await start()
    await signedIn(world)
    const { cookies } = world.browser
    await renew(world, cookies)
    const again = await renew(world, cookies)
    expect([again.status, JSON.parse(again.text).message]).toEqual([
      401,
      expect.stringContaining('sign in again'),
    ])
    expect(cookiesOf(again)).toEqual([forgotten(world)])
  })

  it('is refused when the issuer answers with the tokens of another user', async () => {
    const world = await start()
    await signedIn(world)
    const finish = vi.spyOn(world.signIn, 'finish')
    await signedIn({ ...world, browser: world.issuer.browser() }, '/', 'nils')
    vi.spyOn(world.signIn, 'renew').mockResolvedValue(await finish.mock.results[0]!.value)
    const answer = await renew(world, world.browser.cookies)
    expect([answer.status, JSON.parse(answer.text).message]).toEqual([
      401,
      expect.stringContaining('another user than playground:ada'),
    ])
    expect(cookiesOf(answer)).toEqual([forgotten(world)])
  })

  it('keeps the refresh token when the issuer sends no new one', async () => {
    const world = await start()
    const finish = vi.spyOn(world.signIn, 'finish')
    await signedIn(world)
    const { idToken } = await finish.mock.results[0]!.value
    const asked = vi.spyOn(world.signIn, 'renew').mockResolvedValue({ idToken })
    const first = await renew(world, world.browser.cookies)
    expect(JSON.parse(first.text).isRenewable).toBe(true)
    expect((await renew(world, next(first))).status).toBe(200)
    expect(asked.mock.calls[1]?.[1]).toBe(asked.mock.calls[0]?.[1])
  })

  it('never extends a session beyond a working day after the sign-in', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const world = await start()
    await signedIn(world)
    const left = 300_000
    vi.setSystemTime(Date.now() + SESSION_MS - left)
    const last = await renew(world, world.browser.cookies)
    expect(JSON.parse(last.text).expiresAt - Date.now()).toBeLessThanOrEqual(left)
    vi.setSystemTime(Date.now() + left)
    expect((await renew(world, next(last))).status).toBe(401)
  })

  it('belongs to the user who signed in at the issuer, and is deleted when another signs in', async () => {
    const world = await start()
    await signedIn(world)
    const { cookies } = world.browser
    const headers = { 'sec-fetch-site': 'same-origin', origin: world.api.running.url, cookie: cookies }
    const other = await curl(world.api.running, '/console/session', {}, headers, 'POST', { token: 'viewer' })
    expect(cookiesOf(other)).toContainEqual(forgotten(world))
    const [session = ''] = next(other).split('; ')
    const renewal = `${cookieOf(world.api, 'renewal')}=${world.browser.cookie(cookieOf(world.api, 'renewal'))}`
    const shown = await asPage(world.api, `${session}; ${renewal}`)
    expect(JSON.parse(shown.text)).toMatchObject({ user: 'viewer', isRenewable: false })
  })

  it('is refused after signing out, which ends the login at the issuer', async () => {
    const world = await start()
    await signedIn(world)
    const { cookies } = world.browser
    const out = await asPage(world.api, cookies, '/console/session', 'DELETE')
    expect([out.status, cookiesOf(out).length]).toEqual([204, 2])
    expect((await renew(world, cookies)).status).toBe(401)
  })

  it('signs out also while the issuer is away', async () => {
    const world = await start()
    await signedIn(world)
    await world.issuer.close()
    expect((await asPage(world.api, world.browser.cookies, '/console/session', 'DELETE')).status).toBe(204)
  })

  it('keeps the session while the issuer is away, and reports that', async () => {
    const world = await start()
    await signedIn(world)
    await world.issuer.close()
    const answer = await renew(world, world.browser.cookies)
    expect([answer.status, cookiesOf(answer)]).toEqual([503, []])
  })

  it('needs the renewal cookie and not the session’s', async () => {
    const world = await start()
    await signedIn(world)
    const [sessionCookie, renewalCookie] = [cookieOf(world.api, 'session'), cookieOf(world.api, 'renewal')]
    const session = world.browser.cookie(sessionCookie) ?? ''
    expect((await renew(world, `${renewalCookie}=${session}`)).status).toBe(401)
    const renewal = world.browser.cookie(renewalCookie) ?? ''
    expect((await asPage(world.api, `${sessionCookie}=${renewal}`)).status).toBe(401)
  })

  it('is refused to a page of another site', async () => {
    const world = await start()
    await signedIn(world)
    const headers = { cookie: world.browser.cookies, origin: 'https://evil.example' }
    const answer = await curl(world.api.running, '/console/session/renewal', {}, headers, 'POST')
    expect([answer.status, world.issuer.refreshes]).toEqual([403, 0])
  })
})

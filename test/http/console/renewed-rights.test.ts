import { describe, expect, it, onTestFinished, vi } from 'vitest'
import WebSocket from 'ws'
import { ISSUER_PEOPLE } from '../../../playground/issuer/people.js'
import { ServiceError } from '../../../ports/service-error.js'
import { waitFor } from '../../patience.js'
import { curl } from '../fakes/listening.js'
import { ofPage } from './console-under-test.js'
import { asPage, next, renew, signedIn, signInWorlds, type World } from './sign-in-worlds.js'

const { start } = signInWorlds()
const watch = '/apis/kairship.io/v1alpha1/instances:watch'
const ada = ISSUER_PEOPLE.find(({ name }) => name === 'ada')!

/** What the issuer says from now on of the groups of its user `ada`. */
function sayGroups(...groups: readonly string[]): void {
  const before = ada.groups
  onTestFinished(() => void Object.assign(ada, { groups: before }))
  Object.assign(ada, { groups })
}

/** What a page of this session has open: events over a connection of its own, and over its socket. */
async function opened({ api, browser }: World) {
  const headers = { ...ofPage(api), cookie: browser.cookies }
  const events = curl(api.running, watch, {}, { ...headers, accept: 'text/event-stream' })
  const socket = new WebSocket(`${api.running.url.replace('https', 'wss')}/console/socket`, {
    headers,
    ca: api.running.certificateAuthority,
  })
  onTestFinished(() => socket.terminate())
  let said = ''
  socket.on('message', data => (said += JSON.parse(String(data)).text ?? ''))
  socket.on('open', () =>
    socket.send(JSON.stringify({ open: 1, path: watch, headers: { accept: 'text/event-stream' } })),
  )
  await waitFor(() => expect(said).toContain('BOOKMARK'))
  return { events, said: () => said }
}

const pairOf = (cookies: string, name: string) =>
  cookies.split('; ').find(pair => pair.startsWith(`__Host-kairship-${name}-`))

describe('renewing a session when its issuer names other groups of its user', () => {
  it('ends the open calls of the session with the reason, and invalidates the earlier token, not the new one', async () => {
    const world = await start()
    await signedIn(world)
    const { cookies } = world.browser
    const open = await opened(world)
    sayGroups('viewers')
    const renewed = await renew(world, cookies)
    expect(JSON.parse(renewed.text).groups).toContain('playground:viewers')
    expect((await open.events).text).toMatch(
      /event: end\ndata: \{"code":16,.*other groups.*"CredentialEnded"/,
    )
    await waitFor(() => expect(open.said()).toMatch(/event: end\ndata: \{"code":16,/))
    const refused = await asPage(world.api, cookies)
    expect([refused.status, JSON.parse(refused.text).message]).toEqual([
      401,
      expect.stringContaining('other groups'),
    ])
    expect((await asPage(world.api, next(renewed))).status).toBe(200)
  })

  it('also ends the tokens of earlier renewals', async () => {
    const world = await start()
    await signedIn(world)
    const { cookies } = world.browser
    const renewed = next(await renew(world, cookies))
    expect((await asPage(world.api, cookies)).status).toBe(200)
    sayGroups('viewers')
    expect((await renew(world, renewed)).status).toBe(200)
    expect((await asPage(world.api, cookies)).status).toBe(401)
    expect((await asPage(world.api, renewed)).status).toBe(401)
  })

  it('does not end a new token that a tab uses already when another tab gets the same renewal', async () => {
    const world = await start()
    await signedIn(world)
    const { cookies } = world.browser
    sayGroups('viewers')
    const real = world.signIn.renew.bind(world.signIn)
    let tokens: ReturnType<typeof real> | undefined
    vi.spyOn(world.signIn, 'renew').mockImplementation((...parameters) => (tokens ??= real(...parameters)))
    const renewed = next(await renew(world, cookies))
    expect((await asPage(world.api, renewed)).status).toBe(200)
    expect((await renew(world, cookies)).status).toBe(200)
    expect((await asPage(world.api, renewed)).status).toBe(200)
  })

  it('ends the session when the issuer renews it for another user', async () => {
    const world = await start()
    await signedIn(world)
    const { cookies } = world.browser
    const other = world.issuer.browser()
    const { name } = ISSUER_PEOPLE.find(person => person !== ada)!
    await signedIn({ ...world, browser: other }, '/instances', name)
    const real = world.signIn.renew.bind(world.signIn)
    let tokens: ReturnType<typeof real> | undefined
    vi.spyOn(world.signIn, 'renew').mockImplementation((...parameters) => (tokens ??= real(...parameters)))
    expect((await renew(world, other.cookies)).status).toBe(200)
    expect((await renew(world, cookies)).status).toBe(401)
    const refused = await asPage(world.api, cookies)
    expect([refused.status, refused.text]).toEqual([401, expect.stringContaining('ended the login')])
  })

  it('does not end another session whose cookie came with the renewal', async () => {
    const world = await start()
    await signedIn(world)
    const other = world.issuer.browser()
    await signedIn({ ...world, browser: other })
    sayGroups('viewers')
    const mixed = `${pairOf(world.browser.cookies, 'session')}; ${pairOf(other.cookies, 'renewal')}`
    expect((await renew(world, mixed)).status).toBe(200)
    expect((await asPage(world.api, world.browser.cookies)).status).toBe(200)
  })

  it('ends all earlier tokens when the one of the request is invalid, because its groups are unknown', async () => {
    const world = await start()
    await signedIn(world)
    const { cookies } = world.browser
    sayGroups('viewers')
    const renewed = next(await renew(world, cookies))
    expect((await asPage(world.api, renewed)).status).toBe(200)
    const mixed = `${pairOf(cookies, 'session')}; ${pairOf(renewed, 'renewal')}`
    expect((await renew(world, mixed)).status).toBe(200)
    expect((await asPage(world.api, renewed)).status).toBe(401)
  })

  it('keeps the session when the issuer refuses for another reason than an ended login', async () => {
    const world = await start()
    await signedIn(world)
    const { cookies } = world.browser
    vi.spyOn(world.signIn, 'renew').mockRejectedValue(
      new ServiceError('unmet', 'not this client', 'IssuerRefused'),
    )
    expect((await renew(world, cookies)).status).toBe(401)
    expect((await asPage(world.api, cookies)).status).toBe(200)
  })

  it('keeps open calls when the groups are the same', async () => {
    const world = await start()
    await signedIn(world)
    const { cookies } = world.browser
    expect((await renew(world, cookies)).status).toBe(200)
    expect((await asPage(world.api, cookies)).status).toBe(200)
  })

  it('ends the session and its open calls when the login has ended at the issuer', async () => {
    const world = await start()
    await signedIn(world)
    const { cookies } = world.browser
    const open = await opened(world)
    await renew(world, cookies)
    // A refresh token that comes twice ends the login.
    expect((await renew(world, cookies)).status).toBe(401)
    expect((await open.events).text).toMatch(/event: end\ndata: \{"code":16,.*ended the login/)
    expect((await asPage(world.api, cookies)).status).toBe(401)
  })
})

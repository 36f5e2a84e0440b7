import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { OpenIdSignIn } from '../../../actors/issuers/issuer-sign-in.js'
import {
  consoleSignInAt,
  issuerUnderTest,
  type Tls,
  tlsUnderTest,
} from '../../playground/issuer/running-issuer.js'
import type { FakeFleet } from '../fakes/fleet.js'
import { closedAfterEach, curl, type Listening } from '../fakes/listening.js'
import { cookieOf, ofPage } from './console-under-test.js'

/** Kairships whose people sign in at an issuer, for the tests of the file that calls this; closed after each. */
export function signInWorlds() {
  const listening = closedAfterEach()
  let folder: string
  let tls: Tls
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kairship-sign-in-'))
    await mkdir(join(folder, 'page', 'assets'), { recursive: true })
    await writeFile(join(folder, 'page', 'index.html'), '<!doctype html>')
    tls = await tlsUnderTest()
    // An issuer loads it with its first request, which a Kairship gives ten seconds.
    await import('../../../playground/issuer/provider.js')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** A Kairship whose people sign in at an issuer, each of its own. */
  const start = async ({
    secret,
    shown = secret,
    fleet,
  }: {
    secret?: string
    shown?: string
    fleet?: FakeFleet
  } = {}) => {
    const issuer = await issuerUnderTest({ tls })
    const file = join(folder, `${issuer.url.split(':').at(-1)}.json`)
    const signIn = new OpenIdSignIn(async () => shown)
    const options = {
      tls,
      console: join(folder, 'page'),
      authentication: consoleSignInAt(issuer, file, signIn),
    }
    const api = await listening(fleet, options)
    issuer.serve({ url: api.running.url, ...(secret !== undefined && { secret }) })
    onTestFinished(async () => {
      await signIn.close()
      await issuer.close()
    })
    /** Another replica of the same fleet. */
    const replica = () => listening(api.fleet, options)
    return { api, issuer, signIn, browser: issuer.browser(), url: api.running.url, replica }
  }
  return {
    start,
    /** A Kairship whose people sign in at no issuer. */
    startWithout: () => listening(undefined, { console: join(folder, 'page') }),
  }
}

export type World = Awaited<ReturnType<ReturnType<typeof signInWorlds>['start']>>

/** Signs in, from the console's page to the view that is shown then. */
export async function signedIn(
  { url, issuer, browser }: Pick<World, 'url' | 'issuer' | 'browser'>,
  to = '/instances',
  name = 'ada',
): Promise<string> {
  const page = await browser.open(`${url}/console/sign-in?${new URLSearchParams({ to })}`)
  expect(page.text).toContain('The console of Kairship')
  const last = await browser.submit(page, { name, password: issuer.password })
  return last.url
}

/** A request of the console's own page in this browser. @param address the replica by whose address it comes */
export const asPage = (
  api: Listening,
  cookie: string,
  path = '/console/session',
  method = 'GET',
  address = api,
) => curl(api.running, path, {}, { ...ofPage(address), cookie }, method)

/** Renews the session of these cookies. */
export const renew = ({ api }: Pick<World, 'api'>, cookie: string, address = api) =>
  asPage(api, cookie, '/console/session/renewal', 'POST', address)

export const problemOf = ({ api, browser }: Pick<World, 'api' | 'browser'>) =>
  decodeURIComponent(browser.cookie(cookieOf(api, 'problem')) ?? '')

export const cookiesOf = ({ headers }: { headers: Record<string, unknown> }): readonly string[] =>
  (headers['set-cookie'] ?? []) as string[]

/** The `Cookie` header after an answer that set cookies. */
export const next = (answer: { headers: Record<string, unknown> }) =>
  cookiesOf(answer)
    .map(cookie => cookie.split(';')[0])
    .join('; ')

import type { IncomingMessage } from 'node:http'
import type { Context, Hono } from 'hono'
import { codeName } from '../../transcoding/code.js'
import { type Failure, notFound, unauthenticated } from '../errors/failure.js'
import { toFailure } from '../errors/to-failure.js'
import { ConcurrencyLimit } from '../limits/concurrency-limit.js'
import { sourceOf } from '../listener/source-address.js'
import type { RestEnv } from '../rest/env.js'
import { originOf } from '../rest/origin.js'
import { beginSession, hostOf, type SessionRoutes } from './begun-session.js'
import { cookieName } from './cookies.js'
import { CALLBACK_PATH, type IssuerLogins } from './issuer-logins.js'
import { SESSION_MS } from './sessions.js'

const PATH = '/console/sign-in'
/** The longest path to return to, characters: it is stored in a cookie. */
const LONGEST_RETURN = 1_000
/**
 * Sign-ins of one source that wait for the issuer at once. Anyone can call the callback with any code, and each call costs a request to the issuer.
 */
const SIGN_INS_AT_ONCE = 16
/** Dependencies of the issuer routes. */
export type IssuerRoutes = Pick<
  SessionRoutes,
  'sessions' | 'logins' | 'authenticator' | 'audit' | 'log' | 'wallClock'
>

/** Adds the routes of sign-in at an issuer. They need no credentials. */
export function addIssuerSignIn(app: Hono<RestEnv>, routes: IssuerRoutes): void {
  const { logins } = routes
  const running = new ConcurrencyLimit('sign-ins under way', SIGN_INS_AT_ONCE)
  app.get(`${PATH}/options`, c => c.json({ ...(logins?.issuer && { issuer: logins.issuer }) }))
  app.get(PATH, async c => {
    if (!logins)
      throw notFound('people sign in at no issuer here: consoleClientId is not set', {
        reason: 'LoginNotConfigured',
      })
    const to = c.req.query('to') ?? '/'
    const returnTo = viewOf(to, logins.origin)
    // Cookies belong to one host, and the issuer redirects browsers to one. A proxy may hide the host from this server, so this redirect happens
    // once.
    if (!isAt(c, logins.origin) && c.req.query('moved') === undefined)
      return c.redirect(`${logins.origin}${PATH}?${new URLSearchParams({ to: returnTo, moved: '' })}`)
    return redirectTo(c, routes, logins, returnTo, async () => {
      const { url, cookie } = await logins.begin(returnTo, hostOf(c), c.req.raw.signal)
      c.header('set-cookie', cookie)
      return url
    })
  })
  app.get(CALLBACK_PATH, async c => {
    const { incoming } = c.env
    if (!logins || !incoming)
      throw notFound('people sign in at no issuer here', { reason: 'LoginNotConfigured' })
    const begun = await logins.begun(incoming)
    return redirectTo(c, routes, logins, begun?.returnTo ?? '/', async () => {
      if (!begun || c.req.query('state') !== begun.state)
        throw unauthenticated('this sign-in took too long, or began in another browser: begin anew')
      const release = running.take(sourceOf(c.var.remote ?? ''))
      c.header('set-cookie', logins.clearAttempt(hostOf(c)), { append: true })
      try {
        await finish(c, incoming, begun, routes, logins)
      } finally {
        release()
      }
      return `${logins.origin}${begun.returnTo}`
    })
  })
}

async function finish(
  c: Context<RestEnv>,
  incoming: IncomingMessage,
  begun: NonNullable<Awaited<ReturnType<IssuerLogins['begun']>>>,
  routes: IssuerRoutes,
  logins: IssuerLogins,
): Promise<void> {
  const { search } = new URL(incoming.url ?? '', logins.origin)
  const tokens = await logins.finish(begun, search, c.req.raw.signal)
  const { user, session } = await beginSession(c, tokens.idToken, routes)
  const of = { issuer: begun.issuer, user, session }
  const kept = await logins.keep(tokens.refreshToken, of, routes.wallClock() + SESSION_MS, hostOf(c))
  c.header('set-cookie', kept.cookie, { append: true })
}

/** Redirects the browser to the URL of `step`, or back to the page with the reason of its failure. */
async function redirectTo(
  c: Context<RestEnv>,
  { audit, log }: IssuerRoutes,
  { origin }: IssuerLogins,
  returnTo: string,
  step: () => Promise<string>,
): Promise<Response> {
  c.header('cache-control', 'no-store')
  c.header('referrer-policy', 'no-referrer')
  try {
    return c.redirect(await step())
  } catch (error) {
    const failure = toFailure(error)
    log.info({ err: error, requestId: c.var.requestId }, 'a sign-in at an issuer failed')
    audit.record({
      requestId: c.var.requestId,
      wire: 'rest',
      operation: 'console.SignIn',
      ...originOf(c),
      code: failure.code,
      durationMs: 0,
    })
    c.header('set-cookie', problemCookie(failure, origin), { append: true })
    return c.redirect(`${origin}${returnTo}`)
  }
}

/**
 * The cookie with the reason of a failed sign-in, in the server's words. The page at `origin` reads and deletes it, so it is the only cookie that
 * scripts see; it is no secret.
 */
const problemCookie = (failure: Failure, origin: string): string =>
  `${cookieName('problem', new URL(origin).host)}=${encodeURIComponent(`${failure.message} (${codeName(failure.code)})`)}; Path=/; Secure; SameSite=Strict; Max-Age=60`

const isAt = ({ env: { incoming } }: Context<RestEnv>, origin: string): boolean =>
  incoming?.headers.host === new URL(origin).host

/** The path of a view of this server; `/` where the address is of another server. */
function viewOf(to: string, origin: string): string {
  const url = to.length <= LONGEST_RETURN && URL.canParse(to, origin) ? new URL(to, origin) : undefined
  if (url?.origin !== origin) return '/'
  return `${url.pathname}${url.search}`
}

import type { IncomingMessage } from 'node:http'
import type { Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import { failedPrecondition, invalidArgument, permissionDenied } from '../errors/failure.js'
import type { Authenticator } from '../identity/authenticate.js'
import { credentialsOf } from '../identity/credentials.js'
import type { RestEnv } from '../rest/env.js'
import { beginSession, hostOf, type SessionRoutes, sessionView } from './begun-session.js'
import { notOwnPage } from './not-own-page.js'
import { renewSession } from './session-renewal.js'
import { isOfOwnPage } from './sessions.js'
import { signOut } from './signing-out.js'

const PATH = '/console/session'

/** The largest body, bytes: the longest accepted token, and its name. */
const LARGEST_BODY = 20_000

/** The body of a sign-in. With `replace` a code also replaces the session of another user. */
const signIn = z.union([
  z.strictObject({ code: z.string().min(1).max(256), replace: z.boolean().default(false) }),
  z.strictObject({ token: z.string().min(1).max(16_384) }),
])

/** Adds the routes that start, renew and end sessions, for the console's own page. */
export function addSessions(app: Hono<RestEnv>, routes: SessionRoutes): void {
  const { sessions, codes, logins } = routes
  const limited = bodyLimit({
    maxSize: LARGEST_BODY,
    onError: () => {
      throw invalidArgument('the body is larger than a token can be')
    },
  })
  app.post(PATH, limited, async c => {
    const request = ownPage(c)
    const by = signInOf(await c.req.text())
    if ('code' in by && !by.replace) await mustNotReplace(codes.userOf(by.code), request, routes)
    const begin = (token: string) => beginSession(c, token, routes)
    const { session: _, ...begun } = await ('code' in by ? codes.redeem(by.code, begin) : begin(by.token))
    // The renewal belongs to the previous session.
    if (logins) c.header('set-cookie', logins.clearRenewal(hostOf(c)), { append: true })
    return c.json(begun)
  })
  app.post(`${PATH}/renewal`, async c => c.json(await renewSession(c, ownPage(c), routes)))
  app.delete(PATH, async c => {
    const request = ownPage(c)
    await signOut(request, routes)
    c.header('set-cookie', sessions.clear(hostOf(c)))
    if (logins) c.header('set-cookie', logins.clearRenewal(hostOf(c)), { append: true })
    return c.body(null, 204)
  })
}

/** Adds the routes that show the session and issue sign-in codes, for authenticated callers. */
export function addSignedIn(
  app: Hono<RestEnv>,
  { codes, sessions, logins }: Pick<SessionRoutes, 'codes' | 'sessions' | 'logins'>,
): void {
  app.get(PATH, async c => {
    const { incoming } = c.env
    const expiresAt = incoming && (await sessions.of(incoming))?.until
    const renewal = incoming && (await logins?.renewal(incoming))
    return c.json(sessionView(c.var.caller, expiresAt, renewal?.user === c.var.caller.user))
  })
  app.post('/console/codes', c => {
    const [, token] = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '') ?? []
    // A session is no such header: a user with a session needs no code, and a page must not make codes for others.
    if (!token)
      throw permissionDenied('a sign-in code stands for a token: send one as `Authorization: Bearer`')
    const { code, validMs } = codes.issue(c.var.caller.user, token)
    return c.json({ code, validSeconds: validMs / 1_000 })
  })
}

/**
 * Refuses to replace the session of another user without consent: a link that somebody sends would sign its reader in as the sender, who then sees
 * what the reader does. @throws Failure FAILED_PRECONDITION
 */
async function mustNotReplace(
  user: string,
  request: IncomingMessage,
  { authenticator }: SessionRoutes,
): Promise<void> {
  if (request.headers.authorization === undefined) return
  const current = await currentUser(request, authenticator)
  if (current !== undefined && current !== user)
    throw failedPrecondition(`this browser is signed in as ${current}, and the link is ${user}’s`, {
      reason: 'OtherSession',
      metadata: { user, current },
    })
}

async function currentUser(
  request: IncomingMessage,
  authenticator: Authenticator,
): Promise<string | undefined> {
  try {
    return (await authenticator.authenticate(credentialsOf(request))).user
  } catch {
    // An ended session, or one that cannot be checked, may be replaced.
    return undefined
  }
}

/** Returns a request of the console's own page. @throws Failure for other requests */
function ownPage(c: Context<RestEnv>): IncomingMessage {
  const { incoming } = c.env
  if (!incoming || !isOfOwnPage(incoming)) throw notOwnPage()
  return incoming
}

function signInOf(text: string): z.output<typeof signIn> {
  const wanted = 'send {"code": …} or {"token": …}'
  try {
    const { data } = signIn.safeParse(JSON.parse(text))
    if (data) return data
  } catch (cause) {
    throw invalidArgument(`the body is no JSON: ${wanted}`, { cause })
  }
  throw invalidArgument(wanted)
}

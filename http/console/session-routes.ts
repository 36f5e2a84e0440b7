import type { IncomingMessage } from 'node:http'
import type { Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import { failedPrecondition, invalidArgument, permissionDenied } from '../errors/failure.js'
import type { Authenticator } from '../identity/authenticate.js'
import { credentialsOf } from '../identity/credentials.js'
import type { RestEnv } from '../rest/env.js'
import { beginSession, hostOf, type SessionRoutes, shown } from './begun-session.js'
import { ofAnotherPage } from './of-another-page.js'
import { renewSession } from './session-renewal.js'
import { isOfOwnPage } from './sessions.js'
import { signOut } from './signing-out.js'

const PATH = '/console/session'

/** Bytes of a body: the longest token that is accepted, and its name. */
const LARGEST_BODY = 20_000

/** By what a page signs in. With `replace` a code also ends the session of another user. */
const signIn = z.union([
  z.strictObject({ code: z.string().min(1).max(256), replace: z.boolean().default(false) }),
  z.strictObject({ token: z.string().min(1).max(16_384) }),
])

/** Begins, renews and ends sessions, for the console's own page. */
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
    // Of whoever was signed in before.
    if (logins) c.header('set-cookie', logins.forgottenAt(hostOf(c)), { append: true })
    return c.json(begun)
  })
  app.post(`${PATH}/renewal`, async c => c.json(await renewSession(c, ownPage(c), routes)))
  app.delete(PATH, async c => {
    const request = ownPage(c)
    await signOut(request, routes)
    c.header('set-cookie', sessions.endAt(hostOf(c)))
    if (logins) c.header('set-cookie', logins.forgottenAt(hostOf(c)), { append: true })
    return c.body(null, 204)
  })
}

/** Who is signed in, and codes that sign a browser in, for callers that are authenticated. */
export function addSignedIn(
  app: Hono<RestEnv>,
  { codes, sessions, logins }: Pick<SessionRoutes, 'codes' | 'sessions' | 'logins'>,
): void {
  app.get(PATH, async c => {
    const { incoming } = c.env
    const expiresAt = incoming && (await sessions.of(incoming))?.until
    const renewal = incoming && (await logins?.renewal(incoming))
    return c.json(shown(c.var.caller, expiresAt, renewal?.user === c.var.caller.user))
  })
  app.post('/console/codes', c => {
    const [, token] = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '') ?? []
    // Of a session's cookie there is no such header: who has a session needs no other way in, and a page must not make one for others.
    if (!token)
      throw permissionDenied('a sign-in code stands for a token: send one as `Authorization: Bearer`')
    const { code, validMs } = codes.issue(c.var.caller.user, token)
    return c.json({ code, validSeconds: validMs / 1_000 })
  })
}

/**
 * A link that somebody sends signs its reader in as somebody else, who then sees what the reader does. So a session of another user is not replaced
 * before its reader says so. @throws Failure FAILED_PRECONDITION
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
    // A session that is over or cannot be checked is nobody's: replacing it takes nothing from anyone.
    return undefined
  }
}

/** @throws Failure for a request that the console's own page has not made */
function ownPage(c: Context<RestEnv>): IncomingMessage {
  const { incoming } = c.env
  if (!incoming || !isOfOwnPage(incoming)) throw ofAnotherPage()
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

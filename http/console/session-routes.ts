import type { IncomingMessage } from 'node:http'
import type { Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import type { Log } from '../../ports/log.js'
import { ServiceError } from '../../ports/service-error.js'
import { Code } from '../../transcoding/code.js'
import type { Audit } from '../audit/audit.js'
import { failedPrecondition, invalidArgument, permissionDenied, unauthenticated } from '../errors/failure.js'
import type { Authenticator } from '../identity/authenticate.js'
import type { Caller } from '../identity/caller.js'
import { credentialsOf } from '../identity/credentials.js'
import type { RestEnv } from '../rest/env.js'
import { originOf } from '../rest/origin.js'
import type { IssuerLogins } from './issuer-logins.js'
import { ofAnotherPage } from './of-another-page.js'
import { isOfOwnPage, type Sessions } from './sessions.js'
import type { SignInCodes } from './sign-in-codes.js'

/** What the way in and out depends on. */
export interface SessionRoutes {
  readonly sessions: Sessions
  readonly codes: SignInCodes
  /** Absent where people sign in at no issuer. */
  readonly logins?: IssuerLogins | undefined
  readonly authenticator: Authenticator
  readonly audit: Audit
  readonly log: Log
}

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
    const { session: _, ...begun } = await beginSession(
      c,
      'code' in by ? codes.redeem(by.code) : by.token,
      routes,
    )
    // Of whoever was signed in before.
    if (logins) c.header('set-cookie', logins.forgotten, { append: true })
    return c.json(begun)
  })
  app.post(`${PATH}/renewal`, async c => c.json(await renew(c, ownPage(c), routes)))
  app.delete(PATH, async c => {
    const request = ownPage(c)
    await end(request, routes)
    await revoke(request, routes)
    c.header('set-cookie', sessions.end)
    if (logins) c.header('set-cookie', logins.forgotten, { append: true })
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
 * Begins the session of a token that the authenticator accepts, and records that.
 * @param latest when it ends at the latest, milliseconds since 1970
 */
export async function beginSession(
  c: Context<RestEnv>,
  token: string,
  { sessions, authenticator, audit }: Pick<SessionRoutes, 'sessions' | 'authenticator' | 'audit'>,
) {
  const caller = await ownerOf(c, token, authenticator)
  const { until, id } = await putSession(c, token, caller.user, { sessions })
  audit.recordUnknown({
    ...originOf(c),
    requestId: c.var.requestId,
    wire: 'rest',
    operation: 'console.SignIn',
    caller,
    code: Code.OK,
  })
  return { ...shown(caller, until, false), session: id }
}

/** Whose a token is. @throws Failure UNAUTHENTICATED */
async function ownerOf(c: Context<RestEnv>, token: string, authenticator: Authenticator): Promise<Caller> {
  const { remote, port } = c.env.incoming ? credentialsOf(c.env.incoming) : {}
  return authenticator.authenticate({ authorization: `Bearer ${token}`, remote, port })
}

/** Sets the cookie of a session, also in the answer that refuses whatever fails after this. @throws Failure */
async function putSession(
  c: Context<RestEnv>,
  token: string,
  user: string,
  { sessions }: Pick<SessionRoutes, 'sessions'>,
  renewed?: { readonly latest: number; readonly id: string },
): Promise<{ readonly until: number; readonly id: string }> {
  const begun = await sessions.begin(token, user, renewed?.latest, renewed?.id)
  if (!begun)
    throw invalidArgument('the token is too large for the cookie of a session: some 2,800 characters fit')
  c.header('set-cookie', begun.cookie, { append: true })
  return begun
}

/** New tokens in the place of those of a session, for the same user. @throws Failure */
async function renew(c: Context<RestEnv>, request: IncomingMessage, routes: SessionRoutes) {
  const { logins } = routes
  const renewal = await logins?.renewal(request)
  if (!logins || !renewal || routes.sessions.uses.isEnded(renewal.session))
    throw unauthenticated('there is nothing to renew the session by: sign in')
  const until = renewal.exp * 1_000
  try {
    // No caller's own signal: tabs share one renewal, and its refresh token is spent, whoever has left.
    const tokens = await logins.renew(renewal, new AbortController().signal)
    const caller = await ownerOf(c, tokens.idToken, routes.authenticator)
    if (caller.user !== renewal.user) {
      c.header('set-cookie', logins.forgotten, { append: true })
      throw unauthenticated(`the issuer renewed the session of another user than ${renewal.user}: sign in`)
    }
    const { session: id } = renewal
    const begun = await putSession(c, tokens.idToken, renewal.user, routes, { latest: until, id })
    const kept = await logins.keep(
      // An issuer that rotates none gives none: the one before stays good.
      tokens.refreshToken ?? renewal.refreshToken,
      renewal,
      until,
    )
    c.header('set-cookie', kept.cookie, { append: true })
    return shown(caller, begun.until, kept.isRenewable)
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'IssuerRefused') {
      c.header('set-cookie', logins.forgotten, { append: true })
      throw unauthenticated(`the session cannot be renewed, so sign in again: ${error.message}`, {
        cause: error,
      })
    }
    throw error
  }
}

/** Ends what the browser's tabs have open here, and lets the session count no longer, whoever has its cookies. */
async function end(
  request: IncomingMessage,
  { sessions, logins }: Pick<SessionRoutes, 'sessions' | 'logins'>,
): Promise<void> {
  const ids = [(await sessions.of(request))?.id, (await logins?.renewal(request))?.session]
  for (const id of new Set(ids)) if (id !== undefined) sessions.uses.end(id)
}

/** Ends the login at its issuer. Signing out works also where the issuer is away: what the browser had is forgotten, and the log says so. */
async function revoke(request: IncomingMessage, { logins, log }: SessionRoutes): Promise<void> {
  const renewal = await logins?.renewal(request)
  if (!logins || !renewal) return
  try {
    // A browser that signs out may close at once: its token is withdrawn all the same.
    await logins.revoke(renewal, new AbortController().signal)
  } catch (error) {
    log.warn({ err: error, issuer: renewal.issuer }, 'a refresh token could not be withdrawn at its issuer')
  }
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

/** What a page learns of its session: never the token. */
const shown = ({ user, groups }: Caller, expiresAt: number | undefined, isRenewable: boolean) => ({
  user,
  groups,
  ...(expiresAt !== undefined && { expiresAt }),
  isRenewable,
})

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

import type { Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import { Code } from '../../transcoding/code.js'
import type { Audit } from '../audit/audit.js'
import { invalidArgument, permissionDenied } from '../errors/failure.js'
import type { Authenticator } from '../identity/authenticate.js'
import type { Caller } from '../identity/caller.js'
import { credentialsOf } from '../identity/credentials.js'
import type { RestEnv } from '../rest/env.js'
import { originOf } from '../rest/origin.js'
import { ofAnotherPage } from './of-another-page.js'
import { isOfOwnPage, type Sessions } from './sessions.js'
import type { SignInCodes } from './sign-in-codes.js'

/** What the way in and out depends on. */
export interface SessionRoutes {
  readonly sessions: Sessions
  readonly codes: SignInCodes
  readonly authenticator: Authenticator
  readonly audit: Audit
}

const PATH = '/console/session'

/** Bytes of a body: the longest token that is accepted, and its name. */
const LARGEST_BODY = 20_000

/** By what a page signs in. */
const signIn = z.union([
  z.strictObject({ code: z.string().min(1).max(256) }),
  z.strictObject({ token: z.string().min(1).max(16_384) }),
])

/** Begins and ends sessions, for the console's own page. */
export function addSessions(
  app: Hono<RestEnv>,
  { sessions, codes, authenticator, audit }: SessionRoutes,
): void {
  const limited = bodyLimit({
    maxSize: LARGEST_BODY,
    onError: () => {
      throw invalidArgument('the body is larger than a token can be')
    },
  })
  app.post(PATH, limited, async c => {
    requireOwnPage(c)
    const by = signInOf(await c.req.text())
    const token = 'code' in by ? codes.redeem(by.code) : by.token
    const { remote, port } = c.env.incoming ? credentialsOf(c.env.incoming) : {}
    const caller = await authenticator.authenticate({ authorization: `Bearer ${token}`, remote, port })
    const begun = await sessions.begin(token)
    if (!begun)
      throw invalidArgument('the token is too large for the cookie of a session: some 2,800 characters fit')
    audit.recordUnknown({
      ...originOf(c),
      requestId: c.var.requestId,
      wire: 'rest',
      operation: 'console.SignIn',
      caller,
      code: Code.OK,
    })
    c.header('set-cookie', begun.cookie)
    return c.json(shown(caller))
  })
  app.delete(PATH, c => {
    requireOwnPage(c)
    c.header('set-cookie', sessions.end)
    return c.body(null, 204)
  })
}

/** Who is signed in, and codes that sign a browser in, for callers that are authenticated. */
export function addSignedIn(app: Hono<RestEnv>, { codes }: Pick<SessionRoutes, 'codes'>): void {
  app.get(PATH, c => c.json(shown(c.var.caller)))
  app.post('/console/codes', c => {
    const [, token] = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '') ?? []
    // Of a session's cookie there is no such header: who has a session needs no other way in, and a page must not make one for others.
    if (!token)
      throw permissionDenied('a sign-in code stands for a token: send one as `Authorization: Bearer`')
    const { code, validMs } = codes.issue(c.var.caller.user, token)
    return c.json({ code, validSeconds: validMs / 1_000 })
  })
}

/** What a page learns of its session: never the token. */
const shown = ({ user, groups }: Caller) => ({ user, groups })

function requireOwnPage(c: Context<RestEnv>): void {
  if (!c.env.incoming || !isOfOwnPage(c.env.incoming)) throw ofAnotherPage()
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

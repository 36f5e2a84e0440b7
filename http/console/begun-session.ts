import type { Context } from 'hono'
import type { Log } from '../../ports/log.js'
import { Code } from '../../transcoding/code.js'
import type { Audit } from '../audit/audit.js'
import { invalidArgument } from '../errors/failure.js'
import type { Authenticator } from '../identity/authenticate.js'
import type { Caller } from '../identity/caller.js'
import { credentialsOf } from '../identity/credentials.js'
import type { EndedTokens } from '../identity/ended-tokens.js'
import type { RestEnv } from '../rest/env.js'
import { originOf } from '../rest/origin.js'
import type { IssuerLogins } from './issuer-logins.js'
import type { Later } from './later.js'
import type { Sessions } from './sessions.js'
import type { SignInCodes } from './sign-in-codes.js'
import type { SignedOutSessions } from './signed-out-sessions.js'

/** Dependencies of the session routes. */
export interface SessionRoutes {
  readonly sessions: Sessions
  readonly codes: SignInCodes
  /** Absent where no issuer is configured for sign-in. */
  readonly logins?: IssuerLogins | undefined
  readonly authenticator: Authenticator
  readonly endedTokens: EndedTokens
  readonly signedOut: SignedOutSessions
  readonly later: Later
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
  readonly audit: Audit
  readonly log: Log
}

/** Starts a session with a token that the authenticator accepts, and records it. */
export async function beginSession(
  c: Context<RestEnv>,
  token: string,
  { sessions, authenticator, audit }: Pick<SessionRoutes, 'sessions' | 'authenticator' | 'audit'>,
) {
  const caller = await callerOf(c, token, authenticator)
  const { until, id } = await putSession(c, token, caller.user, { sessions })
  audit.recordUnknown({
    ...originOf(c),
    requestId: c.var.requestId,
    wire: 'rest',
    operation: 'console.SignIn',
    caller,
    code: Code.OK,
  })
  return { ...sessionView(caller, until, false), session: id }
}

/** Authenticates a token. @throws Failure UNAUTHENTICATED */
export async function callerOf(
  c: Context<RestEnv>,
  token: string,
  authenticator: Authenticator,
): Promise<Caller> {
  const { remote, port } = c.env.incoming ? credentialsOf(c.env.incoming) : {}
  return authenticator.authenticate({ authorization: `Bearer ${token}`, remote, port })
}

/** The `Host` header: the server's name in the browser. */
export const hostOf = (c: Context<RestEnv>): string | undefined => c.req.header('host')

/** Sets the cookie of a session. The cookie is set also in an error answer of a later step. @throws Failure */
export async function putSession(
  c: Context<RestEnv>,
  token: string,
  user: string,
  { sessions }: Pick<SessionRoutes, 'sessions'>,
  renewed?: { readonly latest: number; readonly id: string },
): Promise<{ readonly until: number; readonly id: string }> {
  const begun = await sessions.begin(token, user, hostOf(c), renewed?.latest, renewed?.id)
  if (!begun)
    throw invalidArgument('the token is too large for the cookie of a session: some 2,800 characters fit')
  c.header('set-cookie', begun.cookie, { append: true })
  return begun
}

/** The session for its page, without the token. */
export const sessionView = (
  { user, groups }: Caller,
  expiresAt: number | undefined,
  isRenewable: boolean,
) => ({
  user,
  groups,
  ...(expiresAt !== undefined && { expiresAt }),
  isRenewable,
})

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
import type { Sessions } from './sessions.js'
import type { Later } from './shared-socket.js'
import type { SignInCodes } from './sign-in-codes.js'
import type { SignedOutSessions } from './signed-out-sessions.js'

/** What the way in and out depends on. */
export interface SessionRoutes {
  readonly sessions: Sessions
  readonly codes: SignInCodes
  /** Absent where people sign in at no issuer. */
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
export async function ownerOf(
  c: Context<RestEnv>,
  token: string,
  authenticator: Authenticator,
): Promise<Caller> {
  const { remote, port } = c.env.incoming ? credentialsOf(c.env.incoming) : {}
  return authenticator.authenticate({ authorization: `Bearer ${token}`, remote, port })
}

/** This server as the browser names it. */
export const hostOf = (c: Context<RestEnv>): string | undefined => c.req.header('host')

/** Sets the cookie of a session, also in the answer that refuses whatever fails after this. @throws Failure */
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

/** What a page learns of its session: never the token. */
export const shown = ({ user, groups }: Caller, expiresAt: number | undefined, isRenewable: boolean) => ({
  user,
  groups,
  ...(expiresAt !== undefined && { expiresAt }),
  isRenewable,
})

import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import { ServiceError } from '../../ports/service-error.js'
import { unauthenticated } from '../errors/failure.js'
import { callerKey } from '../identity/authorize.js'
import type { Caller } from '../identity/caller.js'
import type { RestEnv } from '../rest/env.js'
import { callerOf, hostOf, putSession, type SessionRoutes, sessionView } from './begun-session.js'
import { revokeRefreshToken } from './signing-out.js'

/** Why the earlier token is no longer valid, for its open calls. */
const CHANGED = 'the issuer says other groups of you now: this goes on under the session as it was renewed'
const ENDED = 'the issuer has ended the login of this session: sign in'

/**
 * Replaces the tokens of a session by new ones of the same user. Where the issuer names other groups, another user, or an ended login, the earlier
 * tokens are ended at once: their open calls would go on until they expire. @throws Failure
 */
export async function renewSession(c: Context<RestEnv>, request: IncomingMessage, routes: SessionRoutes) {
  const { logins, sessions } = routes
  const renewal = await logins?.renewal(request)
  if (!logins || !renewal || sessions.uses.isEnded(renewal.session)) throw nothingToRenewBy()
  const { session: id } = renewal
  const before = await sessions.of(request)
  const endBefore = (why: string, now?: string) => {
    for (const token of new Set([...(before?.id === id ? [before.token] : []), ...sessions.tokensOf(id)]))
      if (token !== now) routes.endedTokens.end(token, why)
  }
  const until = renewal.exp * 1_000
  try {
    // Not the request's signal: tabs share one renewal, and its refresh token is spent even if this client leaves.
    const tokens = await logins.renew(renewal, new AbortController().signal)
    if (sessions.uses.isEnded(id)) {
      // Somebody signed out meanwhile and revoked the earlier refresh token, so the new one is revoked as well.
      const { refreshToken } = tokens
      if (refreshToken !== undefined) await revokeRefreshToken({ ...renewal, refreshToken }, routes)
      throw nothingToRenewBy()
    }
    const caller = await callerOf(c, tokens.idToken, routes.authenticator)
    if (caller.user !== renewal.user) {
      c.header('set-cookie', logins.clearRenewal(hostOf(c)), { append: true })
      endBefore(ENDED)
      throw unauthenticated(`the issuer renewed the session of another user than ${renewal.user}: sign in`)
    }
    if (before && !(await isStill(caller, c, before.token, routes))) endBefore(CHANGED, tokens.idToken)
    const begun = await putSession(c, tokens.idToken, renewal.user, routes, { latest: until, id })
    const kept = await logins.keep(
      // An issuer without rotation sends none: the earlier one stays valid.
      tokens.refreshToken ?? renewal.refreshToken,
      renewal,
      until,
      hostOf(c),
    )
    c.header('set-cookie', kept.cookie, { append: true })
    return sessionView(caller, begun.until, kept.isRenewable)
  } catch (error) {
    if (!(error instanceof ServiceError) || !REFUSALS.has(error.reason)) throw error
    c.header('set-cookie', logins.clearRenewal(hostOf(c)), { append: true })
    if (error.reason === 'LoginOver') endBefore(ENDED)
    throw unauthenticated(`the session cannot be renewed, so sign in again: ${error.message}`, {
      cause: error,
    })
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['IssuerRefused', 'LoginOver'])

const nothingToRenewBy = () => unauthenticated('there is nothing to renew the session by: sign in')

/** Whether an earlier token has the same user and groups as the new one. */
async function isStill(
  caller: Caller,
  c: Context<RestEnv>,
  token: string,
  { authenticator }: SessionRoutes,
): Promise<boolean> {
  try {
    return callerKey(await callerOf(c, token, authenticator)) === callerKey(caller)
  } catch {
    // The earlier token is no longer valid, so nothing is left to end.
    return false
  }
}

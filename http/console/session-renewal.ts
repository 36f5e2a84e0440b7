import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import { ServiceError } from '../../ports/service-error.js'
import { unauthenticated } from '../errors/failure.js'
import { callerKey } from '../identity/authorize.js'
import type { Caller } from '../identity/caller.js'
import type { RestEnv } from '../rest/env.js'
import { hostOf, ownerOf, putSession, type SessionRoutes, shown } from './begun-session.js'
import { withdraw } from './signing-out.js'

/** Why the token before counts no longer, for whoever has something open by it. */
const CHANGED = 'the issuer says other groups of you now: this goes on under the session as it was renewed'
const ENDED = 'the issuer has ended the login of this session: sign in'

/**
 * New tokens in the place of those of a session, for the same user. Where the issuer says something else of its user than before, or that the login
 * is over, the tokens before count no longer: what is open by them would go on until they end. @throws Failure
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
    // No caller's own signal: tabs share one renewal, and its refresh token is spent, whoever has left.
    const tokens = await logins.renew(renewal, new AbortController().signal)
    if (sessions.uses.isEnded(id)) {
      // Somebody signed out meanwhile, and withdrew the refresh token that this one takes the place of.
      const { refreshToken } = tokens
      if (refreshToken !== undefined) await withdraw({ ...renewal, refreshToken }, routes)
      throw nothingToRenewBy()
    }
    const caller = await ownerOf(c, tokens.idToken, routes.authenticator)
    if (caller.user !== renewal.user) {
      c.header('set-cookie', logins.forgottenAt(hostOf(c)), { append: true })
      endBefore(ENDED)
      throw unauthenticated(`the issuer renewed the session of another user than ${renewal.user}: sign in`)
    }
    if (before && !(await isStill(caller, c, before.token, routes))) endBefore(CHANGED, tokens.idToken)
    const begun = await putSession(c, tokens.idToken, renewal.user, routes, { latest: until, id })
    const kept = await logins.keep(
      // An issuer that rotates none gives none: the one before stays good.
      tokens.refreshToken ?? renewal.refreshToken,
      renewal,
      until,
      hostOf(c),
    )
    c.header('set-cookie', kept.cookie, { append: true })
    return shown(caller, begun.until, kept.isRenewable)
  } catch (error) {
    if (!(error instanceof ServiceError) || !REFUSALS.has(error.reason)) throw error
    c.header('set-cookie', logins.forgottenAt(hostOf(c)), { append: true })
    if (error.reason === 'LoginOver') endBefore(ENDED)
    throw unauthenticated(`the session cannot be renewed, so sign in again: ${error.message}`, {
      cause: error,
    })
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['IssuerRefused', 'LoginOver'])

const nothingToRenewBy = () => unauthenticated('there is nothing to renew the session by: sign in')

/** Whether a token before says of its user what the new one says. */
async function isStill(
  caller: Caller,
  c: Context<RestEnv>,
  token: string,
  { authenticator }: SessionRoutes,
): Promise<boolean> {
  try {
    return callerKey(await ownerOf(c, token, authenticator)) === callerKey(caller)
  } catch {
    // It counts no longer: it is as good as another.
    return false
  }
}

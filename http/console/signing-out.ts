import type { IncomingMessage } from 'node:http'
import type { SessionRoutes } from './begun-session.js'
import type { Renewal } from './issuer-logins.js'
import type { Session } from './sessions.js'
import type { SignedOut } from './signed-out-sessions.js'

/** The time that a browser waits for its issuer and the host, milliseconds. Longer requests go on without it. */
const PATIENCE_MS = 2_000

/**
 * Ends the open calls of the browser's tabs and invalidates the session, wherever copies of its cookies are: at this replica at once, at the other
 * replicas and at the issuer as soon as they are reached. It works also while they are away.
 */
export async function signOut(request: IncomingMessage, routes: SessionRoutes): Promise<void> {
  const [session, renewal] = [await routes.sessions.of(request), await routes.logins?.renewal(request)]
  const ended = sessionsOf(session, renewal)
  for (const { id } of ended) routes.sessions.uses.end(id)
  const published = Promise.all([
    revokeRefreshToken(renewal, routes),
    ...ended.map(session => routes.signedOut.publish(session)),
  ])
  await new Promise<void>(resolve => {
    const stopWaiting = routes.later(resolve, PATIENCE_MS)
    void published.then(() => {
      stopWaiting()
      resolve()
    })
  })
}

/** The sessions of the browser's session cookie and renewal cookie, unless ended. Usually they are the same. */
function sessionsOf(session: Session | undefined, renewal: Renewal | undefined): readonly SignedOut[] {
  const ended = new Map<string, SignedOut>()
  if (session) ended.set(session.id, { ...session, user: decodeURIComponent(session.user) })
  if (renewal) {
    const { session: id, user, exp } = renewal
    ended.set(id, { id, user, until: exp * 1_000 })
  }
  return [...ended.values()]
}

/** Revokes a refresh token at its issuer. Never rejects: the browser's cookie is deleted in any case, and the log has the failure. */
export async function revokeRefreshToken(
  renewal: Renewal | undefined,
  { logins, log }: Pick<SessionRoutes, 'logins' | 'log'>,
): Promise<void> {
  if (!logins || !renewal) return
  try {
    // A browser may close right after a sign-out; the token is revoked in any case.
    await logins.revoke(renewal, new AbortController().signal)
  } catch (error) {
    log.warn({ err: error, issuer: renewal.issuer }, 'a refresh token could not be withdrawn at its issuer')
  }
}

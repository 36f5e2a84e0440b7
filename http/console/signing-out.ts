import type { IncomingMessage } from 'node:http'
import type { SessionRoutes } from './begun-session.js'
import type { Renewal } from './issuer-logins.js'
import type { Session } from './sessions.js'
import type { SignedOut } from './signed-out-sessions.js'

/** A browser waits so long for its issuer and for the host, milliseconds. What takes longer goes on without it. */
const PATIENCE_MS = 2_000

/**
 * Ends what the browser's tabs have open, and lets the session count no longer, whoever has its cookies: here at once, at the other replicas and
 * at the issuer as soon as they are told. It works also where they are away.
 */
export async function signOut(request: IncomingMessage, routes: SessionRoutes): Promise<void> {
  const [session, renewal] = [await routes.sessions.of(request), await routes.logins?.renewal(request)]
  const ended = sessionsOf(session, renewal)
  for (const { id } of ended) routes.sessions.uses.end(id)
  const told = Promise.all([
    withdraw(renewal, routes),
    ...ended.map(session => routes.signedOut.tell(session)),
  ])
  await new Promise<void>(resolve => {
    const stopWaiting = routes.later(resolve, PATIENCE_MS)
    void told.then(() => {
      stopWaiting()
      resolve()
    })
  })
}

/** The session of a browser's cookie, and that of its renewal, unless they are over: of one browser they are the same. */
function sessionsOf(session: Session | undefined, renewal: Renewal | undefined): readonly SignedOut[] {
  const ended = new Map<string, SignedOut>()
  if (session) ended.set(session.id, { ...session, user: decodeURIComponent(session.user) })
  if (renewal) {
    const { session: id, user, exp } = renewal
    ended.set(id, { id, user, until: exp * 1_000 })
  }
  return [...ended.values()]
}

/** Has the issuer withdraw what a session is renewed by. It never rejects: the browser forgets it in any case, and the log says so. */
export async function withdraw(
  renewal: Renewal | undefined,
  { logins, log }: Pick<SessionRoutes, 'logins' | 'log'>,
): Promise<void> {
  if (!logins || !renewal) return
  try {
    // A browser that signs out may close at once: its token is withdrawn all the same.
    await logins.revoke(renewal, new AbortController().signal)
  } catch (error) {
    log.warn({ err: error, issuer: renewal.issuer }, 'a refresh token could not be withdrawn at its issuer')
  }
}

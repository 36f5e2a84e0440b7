import { hkdfSync, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { decodeJwt } from 'jose'
import {
  isSessionUserProtocol,
  SESSION_USER,
  sessionUserProtocol,
  sessionUserText,
} from '../../transcoding/session-user.js'
import { SealedCookie } from './cookies.js'
import { SessionUses } from './session-uses.js'

/** A part of the cookie's name. */
const PURPOSE = 'session'
/** A session ends after a working day at the latest, milliseconds. The token in it may end sooner. */
export const SESSION_MS = 12 * 3_600_000
/** Sessions whose cookies were decrypted lately: decrypting takes some 0.1 ms. */
const MOST_KNOWN = 4_096

/**
 * The key of sessions, derived from the listener's private key: replicas that present one certificate share it, and there is no further secret to
 * keep. A new certificate ends all sessions. @param privateKey PEM
 */
export const sessionKeyOf = (privateKey: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', privateKey, '', 'kairship console session', 32))

/** A session as its cookie has it. */
export interface Session {
  /** The same through all renewals, so that signing out ends what an earlier token of it has open. It is no secret. */
  readonly id: string
  readonly token: string
  /** As the header of its pages has it. */
  readonly user: string
  /** Milliseconds since 1970. */
  readonly until: number
}

/**
 * Sessions of browsers. A session is the caller's own token, encrypted into a cookie that no script can read: there is nothing to keep on the server,
 * and every replica that has the key can read it. It gives no right by itself: its token is authenticated with each request, as any other.
 */
export class Sessions {
  readonly #known = new Map<string, Session>()
  /** Requests that count as their session's. */
  readonly #requests = new WeakMap<IncomingMessage, Session>()
  readonly #cookie: SealedCookie

  /**
   * @param key 32 bytes, the same on every replica
   * @param now milliseconds since 1970
   * @param mostKnown sessions whose cookies it need not decrypt again
   */
  constructor(
    key: Uint8Array,
    private readonly now: () => number = Date.now,
    private readonly mostKnown = MOST_KNOWN,
  ) {
    this.#cookie = new SealedCookie(PURPOSE, key, 'Strict', now)
  }

  /** What is under way of each, and those that were signed out of. */
  readonly uses = new SessionUses()

  /**
   * The `Set-Cookie` of a new session; undefined where the token is too large for a cookie.
   * @param user whose the token is
   * @param host as the browser names this server
   * @param latest when it ends at the latest, milliseconds since 1970
   * @param id of the session that it renews
   */
  async begin(
    token: string,
    user: string,
    host: string | undefined,
    latest = this.now() + SESSION_MS,
    id = randomBytes(12).toString('base64url'),
  ): Promise<{ readonly cookie: string; readonly until: number; readonly id: string } | undefined> {
    const until = Math.floor(Math.min(latest, expiryOf(token) ?? Number.POSITIVE_INFINITY) / 1_000) * 1_000
    const cookie = await this.#cookie.set({ token, id, user: sessionUserText(user) }, until, host)
    return cookie === undefined ? undefined : { cookie, until, id }
  }

  /** The `Set-Cookie` that makes a browser forget its session. @param host as the browser names this server */
  endAt(host: string | undefined): string {
    return this.#cookie.endAt(host)
  }

  /**
   * Makes the session of a browser's own page count as the `Authorization` header that a program would have sent, so that everything after
   * it has one kind of credential. A request that brings the header keeps it. Requests of other pages, and
   * of a page of another user's, are not touched.
   */
  async authorize(request: IncomingMessage): Promise<void> {
    if (request.headers.authorization !== undefined || !isOfOwnPage(request)) return
    const session = await this.of(request)
    if (!session || !isOfPageOf(session.user, request)) return
    request.headers.authorization = `Bearer ${session.token}`
    this.#requests.set(request, session)
  }

  /** The session that a request counts as one of: its caller has sent no credential, its browser has. */
  credentialOf(request: IncomingMessage): Session | undefined {
    return this.#requests.get(request)
  }

  /** Whether a request has a session cookie at all: most have none, and nothing to wait for. */
  mayHave(request: IncomingMessage): boolean {
    return this.#cookie.of(request) !== undefined
  }

  /** The session whose cookie a request has; undefined where it has none, or one that is over. */
  async of(request: IncomingMessage): Promise<Session | undefined> {
    const sealed = this.#cookie.of(request)
    if (sealed === undefined) return undefined
    const session = this.#known.get(sealed) ?? (await this.#opened(sealed))
    if (!session || session.until <= this.now() || this.uses.isEnded(session.id)) {
      this.#known.delete(sealed)
      return undefined
    }
    if (this.#known.size >= this.mostKnown) this.#known.clear()
    this.#known.set(sealed, session)
    return session
  }

  /** The tokens by which a session was used here lately. */
  tokensOf(id: string): readonly string[] {
    return [...this.#known.values()].filter(session => session.id === id).map(({ token }) => token)
  }

  async #opened(sealed: string): Promise<Session | undefined> {
    const { token, id, user, exp } = (await this.#cookie.opened(sealed)) ?? {}
    return typeof token === 'string' &&
      typeof id === 'string' &&
      typeof user === 'string' &&
      exp !== undefined
      ? { id, token, user, until: exp * 1_000 }
      : undefined
  }
}

/**
 * Whether a page of this origin made the request. All browsers say so since 2023; before that they named the origin of writes and WebSockets.
 * A request that says neither was not made by a page.
 */
export function isOfOwnPage({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { origin, host } = headers
  // Sessions are over TLS alone: whoever answers for this host without it is another.
  if (origin !== undefined && origin !== `https://${host}`) return false
  const site = headers['sec-fetch-site']
  return site === undefined ? origin !== undefined : site === 'same-origin'
}

/** Whether a request's page is this user's, or does not say whose it is: by the header, or by a WebSocket's subprotocol. @param user as a header has it */
function isOfPageOf(user: string, { headers }: IncomingMessage): boolean {
  const header = headers[SESSION_USER]
  if (header !== undefined && header !== user) return false
  const wanted = (headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map(protocol => protocol.trim())
    .filter(isSessionUserProtocol)
  const own = sessionUserProtocol(decodeURIComponent(user))
  return wanted.every(protocol => protocol === own)
}

/** When a token says that it ends, milliseconds since 1970; most tokens are JWTs. Their signature is for the authenticator to verify. */
function expiryOf(token: string): number | undefined {
  try {
    const { exp } = decodeJwt(token)
    return exp === undefined ? undefined : exp * 1_000
  } catch {
    // Not a JWT: the host knows when it ends.
    return undefined
  }
}

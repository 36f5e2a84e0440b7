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

/** The purpose in the cookie's name. */
const PURPOSE = 'session'
/** The longest session, milliseconds: a working day. Its token may end sooner. */
export const SESSION_MS = 12 * 3_600_000
/** The most decrypted sessions that are cached: decryption takes some 0.1 ms. */
const MOST_KNOWN = 4_096

/**
 * Derives the key of sessions from the listener's private key: replicas with one certificate share it, and there is no further secret to keep. A new
 * certificate ends all sessions. @param privateKey PEM
 */
export const sessionKeyOf = (privateKey: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', privateKey, '', 'kairship console session', 32))

/** The content of a session's cookie. */
export interface Session {
  /** Stays the same through all renewals, so that signing out ends the calls of earlier tokens too. It is no secret. */
  readonly id: string
  readonly token: string
  /** The user, encoded as in the header of its pages. */
  readonly user: string
  /** Milliseconds since 1970. */
  readonly until: number
}

/**
 * Sessions of browsers. A session is the caller's own token, encrypted in a cookie that scripts cannot read: the server stores nothing, and every
 * replica with the key can read it. A session gives no rights by itself: its token is authenticated with each request, like any other token.
 */
export class Sessions {
  readonly #known = new Map<string, Session>()
  /** Requests whose credential is their session. */
  readonly #requests = new WeakMap<IncomingMessage, Session>()
  readonly #cookie: SealedCookie

  /**
   * @param key 32 bytes, the same on every replica
   * @param now milliseconds since 1970
   * @param mostKnown the most decrypted sessions that are cached
   */
  constructor(
    key: Uint8Array,
    private readonly now: () => number = Date.now,
    private readonly mostKnown = MOST_KNOWN,
  ) {
    this.#cookie = new SealedCookie(PURPOSE, key, 'Strict', now)
  }

  /** The open calls of sessions, and the sessions that were signed out of. */
  readonly uses = new SessionUses()

  /**
   * The `Set-Cookie` of a new session; undefined where the token is too large for a cookie.
   * @param user of the token
   * @param host the server's name in the browser
   * @param latest the latest end of the session, milliseconds since 1970
   * @param id of the renewed session; absent for a new one
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

  /** The `Set-Cookie` that deletes the session's cookie. @param host the server's name in the browser */
  clear(host: string | undefined): string {
    return this.#cookie.clear(host)
  }

  /**
   * Sets the `Authorization` header of a request from its session's cookie, so that later steps see one kind of credential. A request with the header
   * keeps it. Requests of other pages, and of a page of another user, are not changed.
   */
  async authorize(request: IncomingMessage): Promise<void> {
    if (request.headers.authorization !== undefined || !isOfOwnPage(request)) return
    const session = await this.of(request)
    if (!session || !isOfPageOf(session.user, request)) return
    request.headers.authorization = `Bearer ${session.token}`
    this.#requests.set(request, session)
  }

  /** The session that is a request's credential; undefined where the request has another one. */
  credentialOf(request: IncomingMessage): Session | undefined {
    return this.#requests.get(request)
  }

  /** Whether a request has a session cookie. Most requests have none and need no asynchronous step. */
  mayHave(request: IncomingMessage): boolean {
    return this.#cookie.of(request) !== undefined
  }

  /** The session of a request's cookie; undefined where it has none, or an ended one. */
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

  /** The cached tokens of a session. */
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
 * Whether a page of this origin made the request. Browsers since 2023 send `Sec-Fetch-Site`; earlier ones sent `Origin` with writes and WebSockets. A
 * request with neither was not made by a page.
 */
export function isOfOwnPage({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { origin, host } = headers
  // Sessions exist only over TLS: a page of this host without TLS may come from somebody else.
  if (origin !== undefined && origin !== `https://${host}`) return false
  const site = headers['sec-fetch-site']
  return site === undefined ? origin !== undefined : site === 'same-origin'
}

/** Whether a request's page belongs to this user or names none, by the header or a WebSocket's subprotocol. @param user encoded as in the header */
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

/** The expiry of a token, milliseconds since 1970, where it is a JWT. The authenticator verifies its signature. */
function expiryOf(token: string): number | undefined {
  try {
    const { exp } = decodeJwt(token)
    return exp === undefined ? undefined : exp * 1_000
  } catch {
    // Not a JWT: only the host knows when it ends.
    return undefined
  }
}

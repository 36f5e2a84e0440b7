import { hkdfSync } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { decodeJwt, EncryptJWT, jwtDecrypt } from 'jose'

/**
 * `__Host-` makes browsers take the cookie only over TLS, for this host alone and for all of its paths
 * (RFC 6265bis, section 4.1.3.2).
 */
const COOKIE = '__Host-kairship-session'
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict'
/** A session ends after a working day at the latest, seconds. The token in it may end sooner. */
const SESSION_SECONDS = 12 * 3_600
/** Browsers keep cookies of 4,096 bytes with their name and attributes (RFC 6265, section 6.1). */
const LARGEST_COOKIE = 3_900
/** Sessions whose cookies were decrypted lately: decrypting takes some 0.1 ms. */
const MOST_KNOWN = 4_096

/**
 * The key of sessions, derived from the listener's private key: replicas that present one certificate share it, and there is no further secret to
 * keep. A new certificate ends all sessions. @param privateKey PEM
 */
export const sessionKeyOf = (privateKey: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', privateKey, '', 'kairship console session', 32))

/** A session as its cookie has it. */
interface Session {
  readonly token: string
  /** Milliseconds since 1970. */
  readonly until: number
}

/**
 * Sessions of browsers. A session is the caller's own token, encrypted into a cookie that no script can read: there is nothing to keep on the server,
 * and every replica that has the key can read it. It gives no right by itself: its token is authenticated with each request, as any other.
 */
export class Sessions {
  readonly #known = new Map<string, Session>()

  /**
   * @param key 32 bytes, the same on every replica
   * @param now milliseconds since 1970
   */
  constructor(
    private readonly key: Uint8Array,
    private readonly now: () => number = Date.now,
  ) {}

  /** The `Set-Cookie` of a new session; undefined where the token is too large for a cookie. */
  async begin(token: string): Promise<{ readonly cookie: string; readonly until: number } | undefined> {
    const seconds = Math.min(
      SESSION_SECONDS,
      (expiryOf(token) ?? Number.POSITIVE_INFINITY) - this.now() / 1_000,
    )
    const until = Math.floor(this.now() / 1_000 + seconds)
    const sealed = await new EncryptJWT({ token })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(until)
      .encrypt(this.key)
    if (sealed.length > LARGEST_COOKIE) return undefined
    const cookie = `${COOKIE}=${sealed}; ${ATTRIBUTES}; Max-Age=${Math.max(0, Math.floor(seconds))}`
    return { cookie, until: until * 1_000 }
  }

  /** The `Set-Cookie` that makes a browser forget its session. */
  get end(): string {
    return `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0`
  }

  /**
   * Makes the session of a browser's own page count as the `Authorization` header that a program would have sent, so that everything after
   * it has one kind of credential. A request that brings the header keeps it. Requests of other pages are not touched.
   */
  async authorize(request: IncomingMessage): Promise<void> {
    if (request.headers.authorization !== undefined || !isOfOwnPage(request)) return
    const session = await this.#of(cookieOf(request))
    if (session) request.headers.authorization = `Bearer ${session.token}`
  }

  /** Whether a request has a session cookie at all: most have none, and nothing to wait for. */
  static mayHave({ headers }: IncomingMessage): boolean {
    return headers.cookie?.includes(COOKIE) ?? false
  }

  async #of(sealed: string | undefined): Promise<Session | undefined> {
    if (sealed === undefined) return undefined
    const session = this.#known.get(sealed) ?? (await this.#opened(sealed))
    if (!session || session.until <= this.now()) {
      this.#known.delete(sealed)
      return undefined
    }
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(sealed, session)
    return session
  }

  async #opened(sealed: string): Promise<Session | undefined> {
    try {
      const { payload } = await jwtDecrypt(sealed, this.key, {
        currentDate: new Date(this.now()),
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      })
      const { token, exp } = payload
      return typeof token === 'string' && exp !== undefined ? { token, until: exp * 1_000 } : undefined
    } catch {
      // Made with another key, changed, or over: the request has no session then, and is refused where it needs one.
      return undefined
    }
  }
}

/**
 * Whether a page of this origin made the request. All browsers say so since 2023; before that they named the origin of writes and WebSockets.
 * A request that says neither was not made by a page.
 */
export function isOfOwnPage({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { origin, host } = headers
  if (origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host)) return false
  const site = headers['sec-fetch-site']
  return site === undefined ? origin !== undefined : site === 'same-origin'
}

function cookieOf({ headers }: IncomingMessage): string | undefined {
  const cookies = (headers.cookie ?? '').split(';').map(pair => pair.trim())
  const prefix = `${COOKIE}=`
  return cookies.find(pair => pair.startsWith(prefix))?.slice(prefix.length)
}

/** When a token says that it ends, seconds since 1970; most tokens are JWTs. Their signature is for the authenticator to verify. */
function expiryOf(token: string): number | undefined {
  try {
    return decodeJwt(token).exp
  } catch {
    // Not a JWT: the host knows when it ends.
    return undefined
  }
}

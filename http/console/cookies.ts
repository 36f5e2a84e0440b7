import { hkdfSync } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { EncryptJWT, type JWTPayload, jwtDecrypt } from 'jose'

/** The largest value of a cookie, characters: browsers keep cookies of 4,096 bytes with their name and attributes (RFC 6265, section 6.1). */
const LARGEST_VALUE = 3_900

/**
 * The SameSite attribute. `Strict`: no request from another site has the cookie. `Lax`: navigations from another site, such as an issuer, have it.
 * Scripts cannot read either.
 */
type Site = 'Strict' | 'Lax'

/**
 * The name of a cookie at a host. Browsers send cookies to all ports of a host (RFC 6265, section 8.5), so the name has the port: several Kairships
 * on forwarded ports of 127.0.0.1 have cookies of their own. With `__Host-` browsers accept it only over TLS, for this host alone and for all of its
 * paths (RFC 6265bis, section 4.1.3.2).
 * @param host the server's name in the browser: the `Host` header, or the host of a URL
 */
export function cookieName(purpose: string, host: string | undefined): string {
  const [, port] = /:(\d{1,5})$/.exec(host ?? '') ?? []
  // Browsers omit the port of https, and programs may write it.
  return `__Host-kairship-${purpose}${port === undefined || port === '443' ? '' : `-${port}`}`
}

/** A cookie with an encrypted value. Each purpose has a key of its own, so that a value of one purpose is invalid for another. */
export class SealedCookie {
  readonly #key: Uint8Array
  readonly #attributes: string

  /**
   * @param purpose a part of its name
   * @param key 32 bytes, from which its own is derived
   * @param now milliseconds since 1970
   */
  constructor(
    private readonly purpose: string,
    key: Uint8Array,
    site: Site = 'Strict',
    private readonly now: () => number = Date.now,
  ) {
    this.#key = new Uint8Array(hkdfSync('sha256', key, '', `cookie ${purpose}`, 32))
    this.#attributes = `Path=/; Secure; HttpOnly; SameSite=${site}`
  }

  /**
   * The `Set-Cookie` of a value; undefined where it is too large for a cookie.
   * @param until milliseconds since 1970
   * @param host the server's name in the browser
   */
  async set(payload: JWTPayload, until: number, host: string | undefined): Promise<string | undefined> {
    const seconds = Math.floor(until / 1_000)
    const sealed = await new EncryptJWT(payload)
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(seconds)
      .encrypt(this.#key)
    if (sealed.length > LARGEST_VALUE) return undefined
    const age = Math.max(0, Math.ceil(seconds - this.now() / 1_000))
    return `${cookieName(this.purpose, host)}=${sealed}; ${this.#attributes}; Max-Age=${age}`
  }

  /** The `Set-Cookie` that deletes the cookie. @param host the server's name in the browser */
  clear(host: string | undefined): string {
    return `${cookieName(this.purpose, host)}=; ${this.#attributes}; Max-Age=0`
  }

  /** The encrypted value of a request's cookie. */
  of({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
    const prefix = `${cookieName(this.purpose, headers.host)}=`
    return (headers.cookie ?? '')
      .split(';')
      .map(pair => pair.trim())
      .find(pair => pair.startsWith(prefix))
      ?.slice(prefix.length)
  }

  /** Decrypts a value; undefined where it was made with another key or for another purpose, was changed, or has expired. */
  async opened(sealed: string): Promise<JWTPayload | undefined> {
    try {
      const { payload } = await jwtDecrypt(sealed, this.#key, {
        currentDate: new Date(this.now()),
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      })
      return payload
    } catch {
      // Treated as a request without the cookie, which is refused where it needs one.
      return undefined
    }
  }
}

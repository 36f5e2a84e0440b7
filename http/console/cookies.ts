import { hkdfSync } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { EncryptJWT, type JWTPayload, jwtDecrypt } from 'jose'

/** Browsers keep cookies of 4,096 bytes with their name and attributes (RFC 6265, section 6.1). */
const LARGEST_VALUE = 3_900

/**
 * Which requests of other pages bring a cookie: none, or those by which a browser comes here from another page, as from an issuer. Of either
 * no script can read it.
 */
type Site = 'Strict' | 'Lax'

/**
 * A cookie whose value is encrypted by this server, for one purpose alone: what was sealed for one is no other. `__Host-` makes browsers take it
 * only over TLS, for this host alone and for all of its paths (RFC 6265bis, section 4.1.3.2).
 */
export class SealedCookie {
  readonly #name: string
  readonly #key: Uint8Array
  readonly #attributes: string

  /**
   * @param purpose the end of its name
   * @param key 32 bytes, from which its own is derived
   * @param now milliseconds since 1970
   */
  constructor(
    purpose: string,
    key: Uint8Array,
    site: Site = 'Strict',
    private readonly now: () => number = Date.now,
  ) {
    this.#name = `__Host-kairship-${purpose}`
    this.#key = new Uint8Array(hkdfSync('sha256', key, '', `cookie ${purpose}`, 32))
    this.#attributes = `Path=/; Secure; HttpOnly; SameSite=${site}`
  }

  /** The `Set-Cookie` of a value; undefined where it is too large for a cookie. @param until milliseconds since 1970 */
  async set(payload: JWTPayload, until: number): Promise<string | undefined> {
    const seconds = Math.floor(until / 1_000)
    const sealed = await new EncryptJWT(payload)
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(seconds)
      .encrypt(this.#key)
    if (sealed.length > LARGEST_VALUE) return undefined
    const age = Math.max(0, Math.ceil(seconds - this.now() / 1_000))
    return `${this.#name}=${sealed}; ${this.#attributes}; Max-Age=${age}`
  }

  /** The `Set-Cookie` that makes a browser forget it. */
  get end(): string {
    return `${this.#name}=; ${this.#attributes}; Max-Age=0`
  }

  /** Its value as a request has it, still sealed. */
  of({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
    const prefix = `${this.#name}=`
    return (headers.cookie ?? '')
      .split(';')
      .map(pair => pair.trim())
      .find(pair => pair.startsWith(prefix))
      ?.slice(prefix.length)
  }

  /** What was sealed; undefined where it was made with another key or for another purpose, was changed, or is over. */
  async opened(sealed: string): Promise<JWTPayload | undefined> {
    try {
      const { payload } = await jwtDecrypt(sealed, this.#key, {
        currentDate: new Date(this.now()),
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      })
      return payload
    } catch {
      // The request has no such cookie then, and is refused where it needs one.
      return undefined
    }
  }
}

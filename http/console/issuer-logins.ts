import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import type { IssuedTokens, IssuerSignIn, SignInAttempt, SignInPlace } from '../../ports/issuer-sign-in.js'
import { notFound } from '../errors/failure.js'
import type { IssuerConfiguration } from '../identity/oidc/configuration-schema.js'
import { SealedCookie } from './cookies.js'

/** The path to which issuers redirect browsers, below the server's address. It is registered at the issuer exactly like this. */
export const CALLBACK_PATH = '/console/sign-in/callback'
/** The longest sign-in, milliseconds: a user needs time to find a second factor. */
const ATTEMPT_MS = 600_000

/** The client of browser sign-ins. */
export interface BrowserSignIn {
  readonly issuer: IssuerSignIn
  readonly clientId: string
  readonly scopes: string
  readonly prompt?: string
}

/** A sign-in that a browser has begun. */
interface Begun extends SignInAttempt {
  readonly issuer: string
  /** The path to return to. */
  readonly returnTo: string
}

const begunShape = z.object({
  verifier: z.string(),
  state: z.string(),
  nonce: z.string(),
  issuer: z.string(),
  returnTo: z.string(),
})

/** The content of the renewal cookie. */
const renewalShape = z.object({
  refreshToken: z.string(),
  issuer: z.string(),
  user: z.string(),
  session: z.string(),
  exp: z.number(),
})

/** A renewal: its user, session, issuer and latest end. */
export type Renewal = z.output<typeof renewalShape>

/**
 * Signs browsers in at the issuer whose audiences include the console's client. The state of a sign-in is in cookies of its browser, so that every
 * replica can continue it, and nobody else can.
 */
export class IssuerLogins {
  readonly #attempts: SealedCookie
  readonly #renewals: SealedCookie
  readonly #renewing = new Map<string, Promise<IssuedTokens>>()

  /**
   * @param issuers the currently configured ones
   * @param baseUrl `https://host:port` at which browsers reach this server
   */
  constructor(
    private readonly options: BrowserSignIn,
    private readonly issuers: () => readonly IssuerConfiguration[],
    private readonly baseUrl: () => string,
    key: Uint8Array,
    private readonly now: () => number = Date.now,
  ) {
    // The redirect from an issuer is a navigation from another site, which carries no Strict cookies.
    this.#attempts = new SealedCookie('sign-in', key, 'Lax', now)
    this.#renewals = new SealedCookie('renewal', key, 'Strict', now)
  }

  /** The origin of the callback. Sign-ins must start there, because cookies belong to one host. */
  get origin(): string {
    return new URL(this.baseUrl()).origin
  }

  /** The issuer; undefined where none has the client. */
  get issuer(): string | undefined {
    return this.#place()?.issuer
  }

  /**
   * Begins a sign-in. @returns the issuer's URL, and the cookie that the redirect must set
   * @param host the server's name in the browser, here and below
   * @throws Failure; ServiceError
   */
  async begin(returnTo: string, host: string | undefined, signal: AbortSignal) {
    const place = this.#mustHavePlace()
    const { url, attempt } = await this.options.issuer.begin(place, this.#redirectUri, signal)
    const begun: Begun = { ...attempt, issuer: place.issuer, returnTo }
    const cookie = await this.#attempts.set({ ...begun }, this.now() + ATTEMPT_MS, host)
    if (cookie === undefined) throw new Error('the address to go on with is too long for a cookie')
    return { url, cookie }
  }

  /** The begun sign-in of a request's browser; undefined where it has none. */
  async begun(request: IncomingMessage): Promise<Begun | undefined> {
    const sealed = this.#attempts.of(request)
    return sealed === undefined ? undefined : begunShape.safeParse(await this.#attempts.opened(sealed)).data
  }

  /** The `Set-Cookie` that ends a begun sign-in. */
  clearAttempt(host: string | undefined): string {
    return this.#attempts.clear(host)
  }

  /** Exchanges the code for tokens. @param search the query of the issuer's redirect @throws Failure; ServiceError */
  async finish(begun: Begun, search: string, signal: AbortSignal): Promise<IssuedTokens> {
    const place = this.#mustHavePlace(begun.issuer)
    return this.options.issuer.finish(place, new URL(search, this.#redirectUri), begun, signal)
  }

  /**
   * The `Set-Cookie` that stores a session's refresh token. It deletes the cookie where the issuer sent none, or a too large one.
   * @param until the latest end of the session, milliseconds since 1970
   */
  async keep(
    refreshToken: string | undefined,
    of: Pick<Renewal, 'issuer' | 'user' | 'session'>,
    until: number,
    host: string | undefined,
  ) {
    const cookie =
      refreshToken === undefined ? undefined : await this.#renewals.set({ ...of, refreshToken }, until, host)
    return { cookie: cookie ?? this.#renewals.clear(host), isRenewable: cookie !== undefined }
  }

  /** The renewal of a request's cookie; undefined where it has none. */
  async renewal(request: IncomingMessage): Promise<Renewal | undefined> {
    const sealed = this.#renewals.of(request)
    return sealed === undefined ? undefined : renewalShape.safeParse(await this.#renewals.opened(sealed)).data
  }

  /** The `Set-Cookie` that deletes the renewal. */
  clearRenewal(host: string | undefined): string {
    return this.#renewals.clear(host)
  }

  /**
   * Gets new tokens for a refresh token. Concurrent requests with the same token share one answer: an issuer with rotation ends the login when a
   * token is used twice. @throws Failure; ServiceError
   */
  renew({ refreshToken, issuer }: Renewal, signal: AbortSignal): Promise<IssuedTokens> {
    const key = hash('sha256', refreshToken, 'base64')
    const underWay = this.#renewing.get(key)
    if (underWay) return underWay
    const renewing = this.options.issuer
      .renew(this.#mustHavePlace(issuer), refreshToken, signal)
      .finally(() => this.#renewing.delete(key))
    this.#renewing.set(key, renewing)
    return renewing
  }

  /** Revokes the refresh token of a renewal. @throws ServiceError */
  async revoke({ refreshToken, issuer }: Renewal, signal: AbortSignal): Promise<void> {
    const place = this.#place()
    if (place?.issuer === issuer) await this.options.issuer.revoke(place, refreshToken, signal)
  }

  get #redirectUri(): string {
    return `${this.baseUrl()}${CALLBACK_PATH}`
  }

  /** @param expected the issuer of a begun sign-in; another one may be configured by now @throws Failure NOT_FOUND */
  #mustHavePlace(expected?: string): SignInPlace {
    const place = this.#place()
    if (!place || (expected !== undefined && place.issuer !== expected))
      throw notFound(
        expected === undefined
          ? `no issuer of authenticationConfig has ${this.options.clientId} (consoleClientId) among its audiences`
          : `people no longer sign in at ${expected}: begin anew`,
        { reason: 'LoginNotConfigured' },
      )
    return place
  }

  #place(): SignInPlace | undefined {
    const { clientId, scopes, prompt } = this.options
    const found = this.issuers().find(({ issuer }) => issuer.audiences.includes(clientId))
    if (!found) return undefined
    const { url, discoveryURL, certificateAuthority } = found.issuer
    return {
      issuer: url,
      clientId,
      scopes,
      ...(discoveryURL && { discoveryUrl: discoveryURL }),
      ...(certificateAuthority && { certificateAuthority }),
      ...(prompt !== undefined && { prompt }),
    }
  }
}

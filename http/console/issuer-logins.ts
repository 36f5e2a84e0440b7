import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import type { IssuedTokens, IssuerSignIn, SignInAttempt, SignInPlace } from '../../ports/issuer-sign-in.js'
import { notFound } from '../errors/failure.js'
import type { IssuerConfiguration } from '../identity/oidc/configuration-schema.js'
import { SealedCookie } from './cookies.js'

/** Where an issuer sends the browser back to, below the server's address. It is registered there, exactly. */
export const CALLBACK_PATH = '/console/sign-in/callback'
/** A person finds a second factor within this time, milliseconds. */
const ATTEMPT_MS = 600_000

/** As whom people's browsers sign in, and where they come back to. */
export interface BrowserSignIn {
  readonly issuer: IssuerSignIn
  readonly clientId: string
  readonly scopes: string
  readonly prompt?: string
}

/** A sign-in that is under way in one browser. */
interface Begun extends SignInAttempt {
  readonly issuer: string
  /** The view to go on with. */
  readonly returnTo: string
}

const begunShape = z.object({
  verifier: z.string(),
  state: z.string(),
  nonce: z.string(),
  issuer: z.string(),
  returnTo: z.string(),
})

/** By what a session is renewed without its user. */
const renewalShape = z.object({
  refreshToken: z.string(),
  issuer: z.string(),
  user: z.string(),
  session: z.string(),
  exp: z.number(),
})

/** A renewal as its cookie has it: of which user and session, by which issuer, and until when. */
export type Renewal = z.output<typeof renewalShape>

/**
 * Signs browsers in at the issuer whose audiences have the console's client. What belongs to a sign-in is in cookies of the browser that began it,
 * so that every replica can go on with it, and nobody else can.
 */
export class IssuerLogins {
  readonly #attempts: SealedCookie
  readonly #renewals: SealedCookie
  readonly #renewing = new Map<string, Promise<IssuedTokens>>()

  /**
   * @param issuers as they are configured now
   * @param baseUrl `https://host:port` by which browsers reach this server
   */
  constructor(
    private readonly options: BrowserSignIn,
    private readonly issuers: () => readonly IssuerConfiguration[],
    private readonly baseUrl: () => string,
    key: Uint8Array,
    private readonly now: () => number = Date.now,
  ) {
    // An issuer's redirect is a navigation that another site began: a Strict cookie would not come with it.
    this.#attempts = new SealedCookie('sign-in', key, 'Lax', now)
    this.#renewals = new SealedCookie('renewal', key, 'Strict', now)
  }

  /** The origin that browsers come back to, and at which they must begin: cookies are of one host. */
  get origin(): string {
    return new URL(this.baseUrl()).origin
  }

  /** The issuer's name, for people; undefined where none has the client. */
  get issuer(): string | undefined {
    return this.#place()?.issuer
  }

  /**
   * Where to send the browser, and the cookie that its answer must come with.
   * @param host as the browser names this server, here and below
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

  /** The sign-in that a browser has under way; undefined where it has none. */
  async begun(request: IncomingMessage): Promise<Begun | undefined> {
    const sealed = this.#attempts.of(request)
    return sealed === undefined ? undefined : begunShape.safeParse(await this.#attempts.opened(sealed)).data
  }

  /** The `Set-Cookie` after which a sign-in is no longer under way. */
  overAt(host: string | undefined): string {
    return this.#attempts.endAt(host)
  }

  /** @param search the query that the issuer sent the browser back with @throws Failure; ServiceError */
  async finish(begun: Begun, search: string, signal: AbortSignal): Promise<IssuedTokens> {
    const place = this.#mustHavePlace(begun.issuer)
    return this.options.issuer.finish(place, new URL(search, this.#redirectUri), begun, signal)
  }

  /**
   * The `Set-Cookie` by which a session can be renewed; that which forgets it where the issuer gave no refresh token, or one that is too large.
   * @param until when the session ends whatever its issuer gives, milliseconds since 1970
   */
  async keep(
    refreshToken: string | undefined,
    of: Pick<Renewal, 'issuer' | 'user' | 'session'>,
    until: number,
    host: string | undefined,
  ) {
    const cookie =
      refreshToken === undefined ? undefined : await this.#renewals.set({ ...of, refreshToken }, until, host)
    return { cookie: cookie ?? this.#renewals.endAt(host), isRenewable: cookie !== undefined }
  }

  /** The renewal that a request brings; undefined where it brings none. */
  async renewal(request: IncomingMessage): Promise<Renewal | undefined> {
    const sealed = this.#renewals.of(request)
    return sealed === undefined ? undefined : renewalShape.safeParse(await this.#renewals.opened(sealed)).data
  }

  /** The `Set-Cookie` that makes a browser forget its renewal. */
  forgottenAt(host: string | undefined): string {
    return this.#renewals.endAt(host)
  }

  /**
   * New tokens by a refresh token. Requests that bring the same one get the same answer while it is under way: an issuer with rotation ends the
   * login when one comes twice. @throws Failure; ServiceError
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

  /** Withdraws what a browser had to renew its session by. @throws ServiceError */
  async revoke({ refreshToken, issuer }: Renewal, signal: AbortSignal): Promise<void> {
    const place = this.#place()
    if (place?.issuer === issuer) await this.options.issuer.revoke(place, refreshToken, signal)
  }

  get #redirectUri(): string {
    return `${this.baseUrl()}${CALLBACK_PATH}`
  }

  /** @param expected another issuer may be configured since @throws Failure NOT_FOUND */
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

/** An issuer at which people sign in to the console, and as which client the console's server comes there. */
export interface SignInPlace {
  readonly issuer: string
  /** Where its metadata is, where that is not below `issuer`. */
  readonly discoveryUrl?: string
  /** PEM of the authorities that vouch for it; the platform's own where it is absent. */
  readonly certificateAuthority?: string
  readonly clientId: string
  readonly scopes: string
  /** What the issuer is to ask in any case, as OpenID Connect names it. */
  readonly prompt?: string
}

/** What ties the answer of an issuer to the browser that began: it is kept by that browser, and shown to nobody else. */
export interface SignInAttempt {
  readonly verifier: string
  readonly state: string
  readonly nonce: string
}

/** What an issuer gave. */
export interface IssuedTokens {
  readonly idToken: string
  /** Good for one use where the issuer rotates them; absent where it gave none. */
  readonly refreshToken?: string
}

/**
 * The authorization code flow with PKCE (RFC 7636), as a server does it for a browser. The answers of issuers are bounded in time and bytes, and
 * TLS is always verified. All of it throws ServiceError: `IssuerRefused` where the issuer said no, others where it could not be asked.
 */
export interface IssuerSignIn {
  begin(
    place: SignInPlace,
    redirectUri: string,
    signal: AbortSignal,
  ): Promise<{ readonly url: string; readonly attempt: SignInAttempt }>
  /** @param callback the redirect URI as the browser came there, with its query */
  finish(
    place: SignInPlace,
    callback: URL,
    attempt: SignInAttempt,
    signal: AbortSignal,
  ): Promise<IssuedTokens>
  /** Exchanges a refresh token. It is spent, whatever becomes of the answer. */
  renew(place: SignInPlace, refreshToken: string, signal: AbortSignal): Promise<IssuedTokens>
  /** Withdraws a refresh token (RFC 7009) where the issuer can do that. */
  revoke(place: SignInPlace, refreshToken: string, signal: AbortSignal): Promise<void>
  /** Ends what is under way, and closes the sockets. */
  close(): Promise<void>
}

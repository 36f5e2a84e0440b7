import * as openid from 'openid-client'
import { joined, orAborted } from '../../ports/cancellation.js'
import type { IssuedTokens, IssuerSignIn, SignInAttempt, SignInPlace } from '../../ports/issuer-sign-in.js'
import { ServiceError } from '../../ports/service-error.js'
import { IssuerEndpoints } from './issuer-endpoints.js'
import { metadataOf } from './issuer-metadata.js'
import { asked, refused, send } from './issuer-requests.js'

/** An issuer's metadata is trusted for so long, milliseconds: endpoints change with releases. */
const KNOWN_MS = 300_000
/** Issuers of one configuration; it has 64 at most, of which one has the console's client. */
const MOST_KNOWN = 8
/** Requests of people to an issuer at once: one that waits long for its answer must not hold up the sign-ins and renewals of the others. */
const SOCKETS = 32

/** What an issuer publishes of itself, and until when that is trusted. */
interface Published {
  readonly server: openid.ServerMetadata
  readonly until: number
}

/** A client's secret; undefined for a public client. It may change while this runs. */
export type ClientSecret = () => Promise<string | undefined>

/** Signs people in at issuers over openid-client, the certified client that `kairship login` uses. */
export class OpenIdSignIn implements IssuerSignIn {
  readonly #published = new Map<string, Promise<Published>>()
  readonly #endpoints = new Map<string, IssuerEndpoints>()

  constructor(
    private readonly secret: ClientSecret = async () => undefined,
    private readonly now: () => number = () => performance.now(),
  ) {}

  async begin(place: SignInPlace, redirectUri: string, signal: AbortSignal) {
    const configuration = await this.#configuration(place, signal)
    const attempt: SignInAttempt = {
      verifier: openid.randomPKCECodeVerifier(),
      state: openid.randomState(),
      nonce: openid.randomNonce(),
    }
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: place.scopes,
      code_challenge: await openid.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
      state: attempt.state,
      nonce: attempt.nonce,
      ...(place.prompt !== undefined && { prompt: place.prompt }),
    })
    return { url: url.href, attempt }
  }

  async finish(place: SignInPlace, callback: URL, attempt: SignInAttempt, signal: AbortSignal) {
    const configuration = await this.#configuration(place, signal)
    return asked(place, signal, async () =>
      issued(
        place,
        await openid.authorizationCodeGrant(configuration, callback, {
          pkceCodeVerifier: attempt.verifier,
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
        }),
      ),
    )
  }

  async renew(place: SignInPlace, refreshToken: string, signal: AbortSignal) {
    const configuration = await this.#configuration(place, signal)
    return asked(place, signal, async () => {
      try {
        return issued(place, await openid.refreshTokenGrant(configuration, refreshToken))
      } catch (error) {
        // RFC 6749, section 5.2: the refresh token is over, which is more than a refusal of this request.
        if (error instanceof openid.ResponseBodyError && error.error === 'invalid_grant')
          throw refused(place.issuer, error, 'LoginOver')
        throw error
      }
    })
  }

  async revoke(place: SignInPlace, refreshToken: string, signal: AbortSignal) {
    const configuration = await this.#configuration(place, signal)
    if (configuration.serverMetadata().revocation_endpoint === undefined) return
    await asked(place, signal, () =>
      openid.tokenRevocation(configuration, refreshToken, { token_type_hint: 'refresh_token' }),
    )
  }

  async close(): Promise<void> {
    this.#published.clear()
    const endpoints = [...this.#endpoints.values()]
    this.#endpoints.clear()
    for (const one of endpoints) await one.close().catch(() => undefined)
  }

  /** The client at an issuer, for one caller: its requests end with that one's signal. */
  async #configuration(place: SignInPlace, signal: AbortSignal): Promise<openid.Configuration> {
    const key = JSON.stringify([place.issuer, place.discoveryUrl, place.certificateAuthority, place.clientId])
    const server = await orAborted(this.#server(key, place), signal)
    const prove: openid.ClientAuth = async (as, client, body, headers) =>
      authentication(server, await this.secret())(as, client, body, headers)
    const configuration = new openid.Configuration(server, place.clientId, {}, prove)
    const endpoints = this.#endpointsOf(key, place)
    configuration[openid.customFetch] = async (url, { method, headers, body, signal: given }) => {
      const both = joined([signal, given])
      try {
        return await send(endpoints, url, { method, headers, body, signal: both.signal })
      } finally {
        both.clear()
      }
    }
    return configuration
  }

  /** What is read for one caller is for all who wait for it, so none of them ends it; `IssuerEndpoints` bounds its time. */
  async #server(key: string, place: SignInPlace): Promise<openid.ServerMetadata> {
    const known = this.#published.get(key)
    if (known) {
      const { server, until } = await known
      if (until > this.now()) return server
      // Another caller may have begun to read it anew while this one waited.
      if (this.#published.get(key) === known) this.#published.delete(key)
      else return this.#server(key, place)
    }
    const reading = this.#read(place, this.#endpointsOf(key, place))
    this.#published.set(key, reading)
    try {
      return (await reading).server
    } catch (error) {
      if (this.#published.get(key) === reading) this.#published.delete(key)
      throw error
    }
  }

  /** They outlive what the issuer publishes: a request may be under way on them, whose answer is the only one that there is. */
  #endpointsOf(key: string, { certificateAuthority }: SignInPlace): IssuerEndpoints {
    const known = this.#endpoints.get(key)
    if (known) return known
    const [oldest] = this.#endpoints
    if (this.#endpoints.size >= MOST_KNOWN && oldest) {
      this.#endpoints.delete(oldest[0])
      this.#published.delete(oldest[0])
      oldest[1].close().catch(() => undefined)
    }
    const made = new IssuerEndpoints(certificateAuthority, SOCKETS)
    this.#endpoints.set(key, made)
    return made
  }

  async #read(place: SignInPlace, endpoints: IssuerEndpoints): Promise<Published> {
    const server = await metadataOf(place, endpoints, new AbortController().signal)
    return { server, until: this.now() + KNOWN_MS }
  }
}

/** How a client proves itself: with a secret as the issuer wants it (Basic unless it takes forms alone), and else not at all. */
function authentication(server: openid.ServerMetadata, secret: string | undefined): openid.ClientAuth {
  if (secret === undefined) return openid.None()
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return methods.includes('client_secret_basic')
    ? openid.ClientSecretBasic(secret)
    : openid.ClientSecretPost(secret)
}

function issued(place: SignInPlace, tokens: openid.TokenEndpointResponse): IssuedTokens {
  if (tokens.id_token === undefined)
    throw new ServiceError(
      'unmet',
      `the issuer ${place.issuer} gave no ID token: do the scopes have openid?`,
      'IssuerRefused',
    )
  return {
    idToken: tokens.id_token,
    ...(tokens.refresh_token !== undefined && { refreshToken: tokens.refresh_token }),
  }
}

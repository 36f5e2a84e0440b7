import { z } from 'zod'
import { ServiceError } from '../../ports/service-error.js'
import { authorizationOf, type ServiceCredential } from '../outbound/credential.js'
import type { Endpoint } from '../outbound/endpoint.js'
import type { Challenge } from './challenge.js'

const answer = z.object({
  token: z.string().optional(),
  access_token: z.string().optional(),
  expires_in: z.number().optional(),
})

/** The token spec: one without a time lives for 60 s. Kairship uses none in its last ten. */
const DEFAULT_SECONDS = 60
const SPARE_SECONDS = 10
/** An hour: a right that is taken away must not live on in a token for longer. */
const MOST_SECONDS = 3_600
const MOST_BYTES = 64 << 10
/** Scopes that are remembered: each repository has its own. */
const MOST_TOKENS = 1_000

interface Token {
  readonly text: string
  /** Milliseconds of the clock. */
  readonly until: number
}

/** The tokens of one registry, by what they are for (https://distribution.github.io/distribution/spec/auth/token/). */
export class RegistryTokens {
  readonly #tokens = new Map<string, Token>()

  /**
   * @param registry its name, for messages
   * @param servers where tokens may be had, by origin: a registry that names another one gets no credential sent there
   */
  constructor(
    private readonly registry: string,
    private readonly servers: ReadonlyMap<string, Endpoint>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** A token that was had for this purpose, while it lives. */
  known(purpose: string): string | undefined {
    const token = this.#tokens.get(purpose)
    return token && token.until > this.now() ? token.text : undefined
  }

  /** Gets a token as a challenge wants it. @throws ServiceError; the signal's reason when that aborts */
  async get(
    purpose: string,
    { realm, service, scope }: Challenge & { readonly scheme: 'bearer' },
    credential: ServiceCredential | undefined,
    signal: AbortSignal,
  ): Promise<string> {
    const { server, url } = this.#server(realm)
    if (service !== undefined) url.searchParams.set('service', service)
    if (scope !== undefined) url.searchParams.set('scope', scope)
    const { status, body } = await server.send({
      method: 'GET',
      path: url.pathname + url.search,
      headers: {
        accept: 'application/json',
        ...(credential && { authorization: authorizationOf(credential) }),
      },
      maxBytes: MOST_BYTES,
      signal,
    })
    if (status === 401 || status === 403) throw credentialRefused(this.registry, credential !== undefined)
    const { data } = answer.safeParse(status === 200 ? jsonOf(body) : undefined)
    const text = data?.token ?? data?.access_token
    // A line break would end the header that it is sent in.
    if (!data || text === undefined || !/^[\x21-\x7e]+$/.test(text))
      throw new ServiceError(
        status >= 500 ? 'unavailable' : 'gateway',
        `the token server of registry ${this.registry} answered ${status} and no token`,
        'NoRegistryToken',
      )
    const seconds = Math.min(data.expires_in ?? DEFAULT_SECONDS, MOST_SECONDS) - SPARE_SECONDS
    if (this.#tokens.size >= MOST_TOKENS) this.#tokens.clear()
    this.#tokens.set(purpose, { text, until: this.now() + seconds * 1000 })
    return text
  }

  #server(realm: string): { readonly server: Endpoint; readonly url: URL } {
    const url = URL.canParse(realm) ? new URL(realm) : undefined
    const server = url && this.servers.get(url.origin)
    if (url && server && url.username === '' && url.password === '') return { server, url }
    throw new ServiceError(
      'gateway',
      `registry ${this.registry} has callers get tokens from ${JSON.stringify(url?.origin ?? 'no URL')}, which registriesFile does not name in its tokenServers`,
      'TokenServerNotAllowed',
    )
  }
}

/** @param had whether a credential was sent */
export const credentialRefused = (registry: string, had: boolean): ServiceError =>
  new ServiceError(
    'gateway',
    had
      ? `registry ${registry} refuses Kairship's credential: renew its credentialsFile, or give it the right to list and pull`
      : `registry ${registry} wants a credential: name a credentialsFile for it in registriesFile`,
    'RegistryCredentialRefused',
  )

export function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

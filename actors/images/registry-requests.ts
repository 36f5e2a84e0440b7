import type { ServiceError } from '../../ports/service-error.js'
import { authorizationOf, CredentialFile, type ServiceCredential } from '../outbound/credential.js'
import { Endpoint, type OutboundAnswer, unusable } from '../outbound/endpoint.js'
import { FreshFile } from '../outbound/fresh-file.js'
import { challengeOf } from './challenge.js'
import type { RegistryEntry } from './registries-file.js'
import { credentialRefused, RegistryTokens } from './registry-tokens.js'

/** Milliseconds of one request. A call makes many, and ends after a minute. */
const TIMEOUT_MS = 15_000
/** To one registry at once, of all callers. */
const SOCKETS = 16

/** One read. */
export interface RegistryRequest {
  /** `/v2/…`, encoded, with its query. */
  readonly path: string
  /** What is read, as registries say it: a token is remembered for it. */
  readonly scope: string
  readonly accept: string
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** Bounds that tests set. */
export interface RequestBounds {
  readonly timeoutMs?: number
}

/**
 * Reads of one registry, under its credential: sent as it is (a token), as Basic, or for a token, as the registry wants it. Nothing is
 * sent to any host but the registry's and the token servers that its entry names.
 */
export class RegistryRequests {
  readonly #registry: Endpoint
  readonly #servers: ReadonlyMap<string, Endpoint>
  readonly #tokens: RegistryTokens
  readonly #credential: CredentialFile | undefined
  /** The registry takes a name and a password without a token. */
  #takesBasic = false

  constructor(
    private readonly entry: RegistryEntry,
    { timeoutMs = TIMEOUT_MS }: RequestBounds = {},
  ) {
    const { name, url, caFile, credentialsFile, tokenServers } = entry
    const setting = (key: string) => `registriesFile: ${key} of ${name}`
    const ca = caFile === undefined ? {} : { ca: new FreshFile(caFile, setting('caFile')) }
    const common = { ...ca, timeoutMs, sockets: SOCKETS }
    this.#registry = new Endpoint({ ...common, name: `registry ${name}`, url })
    const others = tokenServers.filter(origin => origin !== url)
    this.#servers = new Map([
      [url, this.#registry],
      ...others.map(
        origin =>
          [
            origin,
            new Endpoint({ ...common, name: `the token server of registry ${name}`, url: origin }),
          ] as const,
      ),
    ])
    this.#tokens = new RegistryTokens(name, this.#servers)
    this.#credential =
      credentialsFile === undefined
        ? undefined
        : new CredentialFile(credentialsFile, setting('credentialsFile'))
  }

  /** Reads the files now. @throws ServiceSettingError */
  async prepare(): Promise<void> {
    await this.#registry.prepare()
    await this.#credential?.current()
  }

  /** The answer, unless it asks for a credential. @throws ServiceError; the signal's reason when that aborts */
  async get(request: RegistryRequest): Promise<OutboundAnswer> {
    const credential = await this.#current()
    const first = await this.#send(request, this.#proof(request, credential))
    if (first.status !== 401) return first
    const challenge = challengeOf(first.headers['www-authenticate'])
    if (challenge === undefined || (credential && 'token' in credential)) throw this.#refused()
    if (challenge.scheme === 'basic') {
      if (this.#takesBasic) return this.#withNewCredential(request, credential)
      if (!credential) throw this.#refused()
      this.#takesBasic = true
      return this.#accepted(await this.#send(request, authorizationOf(credential)))
    }
    const { scope, signal } = request
    let token: string
    try {
      token = await this.#tokens.get(scope, challenge, credential, signal)
    } catch (error) {
      this.#credential?.refused()
      throw error
    }
    return this.#accepted(await this.#send(request, `Bearer ${token}`))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map(server => server.close()))
  }

  /** The credential may just have been replaced. */
  async #withNewCredential(
    request: RegistryRequest,
    before: ServiceCredential | undefined,
  ): Promise<OutboundAnswer> {
    this.#credential?.refused()
    const credential = await this.#current()
    const isNew = credential && before && authorizationOf(credential) !== authorizationOf(before)
    if (!isNew) throw this.#refused()
    return this.#accepted(await this.#send(request, authorizationOf(credential)))
  }

  #proof({ scope }: RegistryRequest, credential: ServiceCredential | undefined): string | undefined {
    if (credential && ('token' in credential || this.#takesBasic)) return authorizationOf(credential)
    const token = this.#tokens.known(scope)
    return token && `Bearer ${token}`
  }

  #send(
    { path, accept, maxBytes, signal }: RegistryRequest,
    authorization: string | undefined,
  ): Promise<OutboundAnswer> {
    const headers = { accept, ...(authorization !== undefined && { authorization }) }
    return this.#registry.send({ method: 'GET', path, headers, maxBytes, signal })
  }

  #accepted(answer: OutboundAnswer): OutboundAnswer {
    if (answer.status === 401) throw this.#refused()
    return answer
  }

  #refused(): ServiceError {
    this.#credential?.refused()
    return credentialRefused(this.entry.name, this.#credential !== undefined)
  }

  async #current(): Promise<ServiceCredential | undefined> {
    try {
      return await this.#credential?.current()
    } catch (cause) {
      throw unusable(`registry ${this.entry.name}`, cause)
    }
  }
}

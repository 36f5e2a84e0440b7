import { Endpoint, type OutboundAnswer, type OutboundRequest } from '../outbound/endpoint.js'

/** Milliseconds for one request. */
const TIMEOUT_MS = 10_000
/** A key of 4,096 bits with its certificates has some 5 KB, and an issuer publishes a few. */
const MOST_BYTES = 1 << 20
/** An issuer has its documents at one origin or two; one that names another each time must not collect sockets. */
const MOST_ORIGINS = 4

/** The origins of one issuer, each over TLS that is verified by the same authorities. Redirects are not followed. */
export class IssuerEndpoints {
  readonly #endpoints = new Map<string, Endpoint>()

  /**
   * @param certificateAuthority PEM; the platform's own authorities where it is absent
   * @param sockets requests to one origin at once; further ones wait
   */
  constructor(
    private readonly certificateAuthority: string | undefined,
    private readonly sockets = 1,
  ) {}

  /** @throws ServiceError when no whole answer came within the bounds; the signal's reason when that aborted */
  send(
    url: string,
    request: Pick<OutboundRequest, 'method' | 'headers' | 'body' | 'signal'>,
  ): Promise<OutboundAnswer> {
    const { origin, pathname, search } = new URL(url)
    return this.#endpoint(origin).send({ ...request, path: pathname + search, maxBytes: MOST_BYTES })
  }

  async close(): Promise<void> {
    await Promise.all([...this.#endpoints.values()].map(endpoint => endpoint.close()))
  }

  #endpoint(origin: string): Endpoint {
    const known = this.#endpoints.get(origin)
    if (known) return known
    const [oldest] = this.#endpoints
    if (this.#endpoints.size >= MOST_ORIGINS && oldest) {
      this.#endpoints.delete(oldest[0])
      oldest[1].close().catch(() => undefined)
    }
    const pem = this.certificateAuthority
    const endpoint = new Endpoint({
      name: origin,
      url: origin,
      sockets: this.sockets,
      timeoutMs: TIMEOUT_MS,
      ...(pem !== undefined && {
        ca: { text: async () => pem, setting: 'authenticationConfig', path: 'certificateAuthority' },
      }),
    })
    this.#endpoints.set(origin, endpoint)
    return endpoint
  }
}

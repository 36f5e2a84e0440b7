import type { ConnectIssuer, IssuerDocuments } from '../../ports/issuer-documents.js'
import { Endpoint } from '../outbound/endpoint.js'

/** Milliseconds for one document. */
const TIMEOUT_MS = 10_000
/** A key of 4,096 bits with its certificates has some 5 KB, and an issuer publishes a few. */
const MOST_BYTES = 1 << 20
/** An issuer has its documents at one origin or two; one that names another each time must not collect sockets. */
const MOST_ORIGINS = 4

/** Reads an issuer's documents over HTTPS. */
export const connectIssuer: ConnectIssuer = certificateAuthority => new HttpsDocuments(certificateAuthority)

class HttpsDocuments implements IssuerDocuments {
  readonly #endpoints = new Map<string, Endpoint>()

  constructor(private readonly certificateAuthority: string | undefined) {}

  async read(url: string, signal: AbortSignal): Promise<unknown> {
    const { origin, pathname, search } = new URL(url)
    const { status, headers, body } = await this.#endpoint(origin).send({
      method: 'GET',
      path: pathname + search,
      headers: { accept: 'application/json' },
      maxBytes: MOST_BYTES,
      signal,
    })
    if (status !== 200) throw new Error(`${url} answered ${status}${advice(status)}`)
    try {
      return JSON.parse(body.toString('utf8'))
    } catch (cause) {
      throw new Error(`${url} answered with ${String(headers['content-type'])} that is no JSON`, { cause })
    }
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
      sockets: 1,
      timeoutMs: TIMEOUT_MS,
      ...(pem !== undefined && {
        ca: { text: async () => pem, setting: 'authenticationConfig', path: 'certificateAuthority' },
      }),
    })
    this.#endpoints.set(origin, endpoint)
    return endpoint
  }
}

const advice = (status: number): string =>
  status >= 300 && status < 400 ? ', and redirects are not followed: name the place itself' : ''

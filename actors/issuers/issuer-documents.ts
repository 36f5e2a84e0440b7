import type { ConnectIssuer, IssuerDocuments } from '../../ports/issuer-documents.js'
import { IssuerEndpoints } from './issuer-endpoints.js'

/** Reads an issuer's documents over HTTPS. */
export const connectIssuer: ConnectIssuer = certificateAuthority => new HttpsDocuments(certificateAuthority)

class HttpsDocuments implements IssuerDocuments {
  readonly #endpoints: IssuerEndpoints

  constructor(certificateAuthority: string | undefined) {
    this.#endpoints = new IssuerEndpoints(certificateAuthority)
  }

  async read(url: string, signal: AbortSignal): Promise<unknown> {
    const { status, headers, body } = await this.#endpoints.send(url, {
      method: 'GET',
      headers: { accept: 'application/json' },
      signal,
    })
    if (status !== 200) throw new Error(`${url} answered ${status}${advice(status)}`)
    try {
      return JSON.parse(body.toString('utf8'))
    } catch (cause) {
      throw new Error(`${url} answered with ${String(headers['content-type'])} that is no JSON`, { cause })
    }
  }

  close(): Promise<void> {
    return this.#endpoints.close()
  }
}

const advice = (status: number): string =>
  status >= 300 && status < 400 ? ', and redirects are not followed: name the place itself' : ''

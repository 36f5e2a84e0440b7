import { once } from 'node:events'
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import { afterEach, beforeEach } from 'vitest'
import type { ApiOptions } from '../../../http/api-options.js'
import { fakeFleet, viewOf } from '../fakes/fleet.js'
import { listeningApi } from '../fakes/listening.js'
import { type FakeUpstream, fakeUpstream } from './fake-upstream.js'

/** What a test sends. */
export interface Sent {
  readonly token?: string
  readonly method?: string
  readonly headers?: Record<string, string | string[]>
  readonly body?: string | Buffer
}

export const root = '/apis/kairship.io/v1alpha1/instances'

/** The API with its proxy on real sockets, before an instance `north` that the test answers for; `south` cannot be reached. */
export class ProxyUnderTest {
  upstream!: FakeUpstream
  fleet!: ReturnType<typeof fakeFleet>
  api!: Awaited<ReturnType<typeof listeningApi>>

  constructor(options: Partial<ApiOptions> = {}, upstream: object = {}) {
    beforeEach(async () => {
      this.upstream = await fakeUpstream('', upstream)
      this.fleet = fakeFleet(viewOf('north'), viewOf('south', 'degraded'))
      this.fleet.connections.set('north', this.upstream.api)
      this.api = await listeningApi(this.fleet, { graceMs: 60_000, ...options })
    })
    afterEach(async () => {
      await this.api.running.close()
      await this.upstream.close()
    })
  }

  /**
   * From now on the instance leaves requests unanswered; they are the test's to answer. It gives signs of life, for which the proxy
   * asks when a request waits for seconds, as one does on a busy machine: it would give up the requests of a server that hangs.
   */
  hold(): ServerResponse[] {
    const waiting: ServerResponse[] = []
    this.upstream.answer = ({ url }, response) => {
      if (url === '/livez') response.end()
      else waiting.push(response)
    }
    return waiting
  }

  /** Begins a request to the proxy, and leaves the rest to the test. */
  begin(path: string, { token = 'admin', method = 'GET', headers = {} }: Sent = {}): ClientRequest {
    const { url, certificateAuthority } = this.api.running
    const { hostname, port } = new URL(url)
    // Not as one URL: it would be tidied up before it is sent.
    return httpsRequest({
      hostname,
      port,
      path: `${root}${path}`,
      agent: false,
      ca: certificateAuthority,
      method,
      headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers },
    })
  }

  /** Sends a request and reads its answer. */
  async ask(path: string, sent: Sent = {}) {
    const request = this.begin(path, sent)
    request.end(sent.body)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    return { status: response.statusCode, headers: response.headers, rawHeaders: response.rawHeaders, text }
  }

  /** Opens a watch; what comes is the test's to read. */
  async watch(path = '/north/proxy/api/v1/pods?watch=true', sent: Sent = {}) {
    const request = this.begin(path, sent)
    request.on('error', () => undefined)
    request.end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.on('error', () => undefined)
    return { request, response }
  }

  /** A bare TLS connection, for what no HTTP client would say. */
  async socket({ allowHalfOpen = false } = {}): Promise<TLSSocket> {
    const { hostname, port } = new URL(this.api.running.url)
    const ca = this.api.running.certificateAuthority
    const socket = connect({
      ...{ host: hostname, port: Number(port), ca, servername: 'localhost' },
      ...({ allowHalfOpen } as object),
    })
    await once(socket, 'secureConnect')
    return socket
  }
}

/** What a request that is not ended gives, read to its end or its break. */
export async function readAll(response: IncomingMessage): Promise<{ bytes: Buffer; complete: boolean }> {
  const chunks: Buffer[] = []
  response.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise(resolve => response.once('close', resolve))
  return { bytes: Buffer.concat(chunks), complete: response.complete }
}

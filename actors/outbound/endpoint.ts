import { X509Certificate } from 'node:crypto'
import { Pool } from 'undici'
import { DeadlineError, deadline } from '../../ports/cancellation.js'
import { ServiceError, ServiceSettingError } from '../../ports/service-error.js'
import type { FreshFile } from './fresh-file.js'

/** One HTTP service. */
export interface EndpointOptions {
  /** In messages: `Prometheus`, `the registry team`. */
  readonly name: string
  /** `https://host:port`, or `http://…`; its path goes in front of every request's. */
  readonly url: string
  /** PEM of the authorities that vouch for it, read again when the file changes; the platform's own where it is absent. */
  readonly ca?: Pick<FreshFile, 'text' | 'setting' | 'path'>
  /** Requests under way at once; others wait. */
  readonly sockets: number
  /** Milliseconds for one request with its answer. */
  readonly timeoutMs: number
}

/** One request. Nothing but `headers` is sent, and a host name. */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST'
  /** Encoded, with its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Bytes of the answer's body at most. */
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** An answer, whatever its status. */
export interface OutboundAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

const CONNECT_TIMEOUT_MS = 10_000
/** Less than servers give an idle connection: nginx 75 s, Go's none. */
const KEEP_ALIVE_MS = 30_000

/**
 * A service at one origin, and never another: redirects are answers, and not followed. Certificates are verified. Whatever it
 * sends, an answer is bounded in time and bytes.
 */
export class Endpoint {
  readonly #origin: string
  readonly #base: string
  #pool: { readonly ca: string | undefined; readonly pool: Pool } | undefined

  constructor(private readonly options: EndpointOptions) {
    const { origin, pathname } = new URL(options.url)
    this.#origin = origin
    this.#base = pathname.replace(/\/+$/, '')
  }

  /** Reads the authorities now. @throws ServiceSettingError when they cannot be used */
  async prepare(): Promise<void> {
    await this.#current()
  }

  /** @throws ServiceError when no whole answer came within the bounds; the signal's reason when that aborted */
  async send({
    method,
    path,
    headers,
    body,
    maxBytes,
    signal: caller,
  }: OutboundRequest): Promise<OutboundAnswer> {
    const { timeoutMs } = this.options
    const { signal, clear } = deadline([caller], timeoutMs)
    try {
      const pool = await this.#current()
      const answer = await pool.request({
        method,
        path: this.#base + path,
        headers: { 'user-agent': 'kairship', ...headers },
        body: body ?? null,
        signal,
      })
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        size += chunk.length
        // Leaving the loop destroys the body, and with it the socket.
        if (size > maxBytes) throw this.#tooLarge(maxBytes)
        chunks.push(chunk)
      }
      return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }
    } catch (error) {
      throw this.#explained(error, signal, caller)
    } finally {
      clear()
    }
  }

  /** Ends what is under way, and closes the sockets. */
  async close(): Promise<void> {
    await this.#pool?.pool.destroy()
  }

  async #current(): Promise<Pool> {
    const ca = await this.options.ca?.text()
    if (this.#pool && this.#pool.ca === ca) return this.#pool.pool
    this.#check(ca)
    // What is under way ends on the old sockets.
    this.#pool?.pool.close().catch(() => undefined)
    const pool = new Pool(this.#origin, {
      connections: this.options.sockets,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connect: { timeout: CONNECT_TIMEOUT_MS, ...(ca !== undefined && { ca }) },
      // The deadline of each request is its signal's affair.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    this.#pool = { ca, pool }
    return pool
  }

  /** Node.js accepts a text without a certificate, and then trusts no server. */
  #check(ca: string | undefined): void {
    if (ca === undefined) return
    try {
      new X509Certificate(ca)
    } catch (cause) {
      const { setting, path } = this.options.ca as FreshFile
      throw new ServiceSettingError(`${setting}: ${path} holds no certificate in PEM form`, { cause })
    }
  }

  #tooLarge(maxBytes: number): ServiceError {
    const { name } = this.options
    return new ServiceError(
      'unmet',
      `${name} answers with more than ${maxBytes} bytes, the most that is read: ask for less`,
      'AnswerTooLarge',
    )
  }

  #explained(error: unknown, signal: AbortSignal, caller: AbortSignal): unknown {
    if (caller.aborted) return caller.reason
    if (error instanceof ServiceError) return error
    const { name } = this.options
    if (error instanceof ServiceSettingError) return unusable(name, error)
    const cause: unknown = signal.aborted ? signal.reason : error
    if (cause instanceof DeadlineError)
      return new ServiceError('late', `${name} gave ${cause.message}`, 'ServiceTimeout', { cause })
    return new ServiceError(
      'unavailable',
      `${name} cannot be reached: ${wordsOf(cause)}`,
      'ServiceUnreachable',
      {
        cause,
      },
    )
  }
}

/** A dual-stack connect fails with an AggregateError whose own message is empty: its first error has one. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return wordsOf(error.errors[0])
  return error instanceof Error ? error.message || error.name : String(error)
}

/** What callers read when a setting cannot be used: not which file, which is the operator's affair. */
export const unusable = (name: string, cause: unknown): ServiceError =>
  new ServiceError(
    'gateway',
    `a file of Kairship's settings for ${name} cannot be used: Kairship's log says which, and why`,
    'ServiceSettingUnusable',
    { cause },
  )

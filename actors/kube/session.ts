import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2'
import { isIP, type LookupFunction } from 'node:net'
import { connect as connectTls, type SecureContext, TLSSocket } from 'node:tls'
import { DeadlineError } from '../../ports/cancellation.js'
import type { AnswerHeaders } from './answer.js'

/** Where sessions lead, and how the server is trusted. */
export interface SessionTarget {
  /** `https://host:port`. */
  readonly origin: string
  readonly secureContext: SecureContext
  /** Overrides the host name that the certificate is checked against. */
  readonly serverName?: string
  readonly insecure: boolean
  readonly connectTimeoutMs: number
  /** Looks its name up; Node's own when absent. */
  readonly lookup?: LookupFunction
}

/** The head of an answer whose body is still coming in. */
export interface StreamedAnswer {
  readonly statusCode: number
  readonly headers: AnswerHeaders
  /** Leaving it early ends the stream. @throws when it is cut before its end */
  readonly body: AsyncIterable<Buffer>
}

/** A request to open a stream with; its path is encoded and has its query. */
export interface StreamRequest {
  readonly method: string
  readonly path: string
  readonly body: string | null
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly signal: AbortSignal
}

/**
 * A session on which nothing came for so long is pinged, and given up when no answer comes: client-go's 30 s and 15 s. What comes is a
 * sign of life itself: of ten thousand sessions at rest, pings without regard to it were 333 a second.
 */
const SILENCE_MS = 30_000
const PING_TIMEOUT_MS = 15_000
/**
 * How long the sign of life may take after a request got no answer in time. A server that is only slow answers pings all the
 * same; on a dead connection the next request but one must find a new one, before three failures call the server broken.
 */
const PING_IN_DOUBT_TIMEOUT_MS = 5_000
/** Room for what all watches of a session may have sent unread, so that one slow reader does not stop the others. */
const SESSION_WINDOW_BYTES = 16 << 20
const STREAM_WINDOW_BYTES = 1 << 20

/**
 * HTTP/2, else HTTP/1.1, as ALPN writes them. Of an array of names Node.js makes a piece of its pool of buffers, which keeps 8 KB for as
 * long as the socket lives; of a view of bytes it makes a copy of just these.
 */
const PROTOCOLS = new DataView(Uint8Array.from(['h2', 'http/1.1'].flatMap(encoded)).buffer)
function encoded(protocol: string): number[] {
  return [protocol.length, ...Buffer.from(protocol)]
}

/**
 * One HTTP/2 session on which watches and requests are streams. A TLS handshake costs either side some
 * milliseconds, and its socket some 60 KB each; a stream costs a fraction of it.
 */
export class Session {
  readonly #session: ClientHttp2Session
  /** Fires when nothing came for `SILENCE_MS`. */
  readonly #silence: NodeJS.Timeout
  #streams = 0
  /** Something came. Without effect on a session that has ended: its timer must not begin again. */
  readonly #heard = (): void => {
    if (!this.#session.destroyed) this.#silence.refresh()
  }

  private constructor(socket: TLSSocket, origin: string) {
    this.#session = connectHttp2(origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
    })
    this.#session.setLocalWindowSize(SESSION_WINDOW_BYTES)
    // Every stream gets an 'error' of its own; without a listener here, this one would end the process.
    this.#session.on('error', () => this.#session.destroy())
    this.#silence = setTimeout(() => this.#askForLife(PING_TIMEOUT_MS), SILENCE_MS).unref()
    this.#session.once('close', () => clearTimeout(this.#silence))
  }

  /**
   * Connects and negotiates.
   * @returns undefined when the server does not speak HTTP/2
   * @throws what the system or the TLS check says, or that there was no connection within `connectTimeoutMs`
   */
  static async open(target: SessionTarget): Promise<Session | undefined> {
    const socket = await negotiated(target)
    if (socket.alpnProtocol === 'h2') return new Session(socket, target.origin)
    socket.destroy()
    return undefined
  }

  /** Whether one more stream fits; false once the server or we are ending the session. */
  get hasRoom(): boolean {
    const { closed, destroyed, remoteSettings } = this.#session
    return !closed && !destroyed && this.#streams < (remoteSettings?.maxConcurrentStreams ?? 100)
  }

  /** Opens a stream at once; resolves with the head of its answer. @throws signal.reason, or what ended the stream */
  async request({ method, path, headers, body, signal }: StreamRequest): Promise<StreamedAnswer> {
    const named = { ':method': method, ':path': path, ...headers }
    const stream = this.#session.request(named, { endStream: body === null })
    if (body !== null) stream.end(body)
    this.#streams++
    const abort = (): void => {
      stream.destroy(signal.reason)
      if (signal.reason instanceof DeadlineError) this.#askForLife(PING_IN_DOUBT_TIMEOUT_MS)
    }
    stream.once('close', () => {
      this.#streams--
      signal.removeEventListener('abort', abort)
    })
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    const { ':status': statusCode = 0, ...rest } = await headOf(stream)
    this.#heard()
    return { statusCode, headers: rest as AnswerHeaders, body: new Body(stream, this.#heard) }
  }

  /** Calls back once the session has ended, at once if it has. */
  whenOver(then: () => void): void {
    if (this.#session.destroyed) then()
    else this.#session.once('close', then)
  }

  /** Refuses new streams and ends the session when those that run have ended. */
  retire(): void {
    if (!this.#session.destroyed) this.#session.close()
  }

  /** Ends the session and every stream on it. */
  destroy(reason: Error): void {
    this.#session.destroy(reason)
  }

  #askForLife(withinMs: number): void {
    if (this.#session.destroyed) return
    const giveUp = setTimeout(() => {
      const error = new Error(`the server did not answer a ping within ${withinMs} ms`)
      this.#session.destroy(Object.assign(error, { code: 'ETIMEDOUT' }))
    }, withinMs).unref()
    this.#session.ping(() => {
      clearTimeout(giveUp)
      this.#heard()
    })
  }
}

function negotiated(target: SessionTarget): Promise<TLSSocket> {
  const { hostname, port } = new URL(target.origin)
  const host = hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      host,
      port: Number(port || 443),
      // RFC 6066: a server name is no address; the certificate is checked against `host` then.
      servername: target.serverName ?? (isIP(host) ? '' : host),
      secureContext: target.secureContext,
      rejectUnauthorized: !target.insecure,
      ...(target.lookup && { lookup: target.lookup }),
      ALPNProtocols: PROTOCOLS,
    })
    // Node checks the server's name against its own certificate, and asks for those of all issuers with it: that is a third of a handshake.
    socket.getPeerCertificate = (() =>
      TLSSocket.prototype.getPeerCertificate.call(socket, false)) as TLSSocket['getPeerCertificate']
    const late = setTimeout(() => {
      const error = new Error(`no connection within ${target.connectTimeoutMs} ms`)
      socket.destroy(Object.assign(error, { code: 'UND_ERR_CONNECT_TIMEOUT' }))
    }, target.connectTimeoutMs)
    socket.once('error', reject)
    socket.once('close', () => clearTimeout(late))
    socket.once('secureConnect', () => {
      clearTimeout(late)
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

function headOf(stream: ClientHttp2Stream): Promise<IncomingHttpHeaders & { ':status'?: number }> {
  return new Promise((resolve, reject) => {
    const closed = (): void => reject(reset(stream))
    stream.on('error', reject) // which comes before the close, and may come long after the head
    stream.once('response', (head: IncomingHttpHeaders & { ':status'?: number }) => {
      stream.off('close', closed)
      resolve(head)
    })
    stream.once('close', closed)
  })
}

/**
 * The body of an answer, read when its reader asks. Node's own iterator of a stream listens for each of its ends with closures of their
 * own, which live as long as a watch does: with the generator around it, it was 5 KB a watch.
 */
class Body implements AsyncIterableIterator<Buffer> {
  #wake: (() => void) | undefined

  /** @param heard is told of each piece */
  constructor(
    private readonly stream: ClientHttp2Stream,
    private readonly heard: () => void,
  ) {
    const wake = (): void => this.#wake?.()
    for (const event of ['readable', 'end', 'close']) stream.on(event, wake)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Node ends a stream whose connection is cut as if it were complete; its reset code shows the difference. */
  async next(): Promise<IteratorResult<Buffer, undefined>> {
    const { stream } = this
    for (;;) {
      const chunk: Buffer | null = stream.destroyed ? null : stream.read()
      if (chunk !== null) {
        this.heard()
        return { done: false, value: chunk }
      }
      if (stream.errored) throw stream.errored
      if (stream.rstCode || (stream.destroyed && !stream.readableEnded)) throw reset(stream)
      if (stream.readableEnded) return { done: true, value: undefined }
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
  }

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.stream.destroy()
    return { done: true, value: undefined }
  }
}

const reset = ({ rstCode }: ClientHttp2Stream): Error =>
  Object.assign(new Error(`the stream was cut (${nameOf(rstCode)})`), { code: 'ECONNRESET' })

/** The name of an HTTP/2 error code (RFC 9113, section 7). */
function nameOf(code: number | undefined): string {
  const named = Object.entries(constants).find(
    ([name, value]) => name.startsWith('NGHTTP2_') && value === code,
  )
  return named?.[0] ?? `code ${code}`
}

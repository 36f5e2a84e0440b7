import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { stringify } from 'yaml'
import type { KeyPair } from '../access/certificates.js'
import { requestEntityTooLarge } from '../api-status.js'
import { Answering } from './answering.js'
import { encodeList, encodeObject, encodeWatchItem, listObject } from './encode.js'
import { type ApiBody, type ApiRequest, type ApiResponse, header, type RawMessage } from './exchange.js'
import { negotiate } from './negotiate.js'
import { BODY_LIMIT } from './request-body.js'

const compress = promisify(gzip)
/** Bodies from this size on are compressed for callers that accept it, as kube-apiserver does. */
const GZIP_FROM = 128 * 1024
/** How long a client may keep an unused connection. */
const KEEP_ALIVE_MS = 90_000
/** How many requests may be under way on one HTTP/2 connection: kube-apiserver's --http2-max-streams-per-connection. */
const MAX_STREAMS = 250

/** Node's compatibility layer gives HTTP/2 answers the methods of HTTP/1.1 ones, all those used here; its types are apart. */
type RawResponse = ServerResponse

/** How long a client may take to end its side of a connection that the server has ended. */
const LINGER_MS = 100

/** One TLS listener on loopback. */
export interface Listener {
  readonly port: number
  /** Stops accepting, lets answers finish, and cuts what is left after `graceMs`. */
  close(graceMs: number): Promise<void>
  /** Cuts every connection, as a network that fails. */
  cut(): void
}

/** Called before each connection is served; false drops it. */
export type Gate = () => boolean

export async function listen(
  options: { readonly port: number; readonly serving: KeyPair; readonly clientAuthority: string },
  answer: (request: ApiRequest) => Promise<ApiResponse>,
  gate: Gate,
): Promise<Listener> {
  const sockets = new Set<TLSSocket>()
  /** Below TLS: those that are still shaking hands are here alone. */
  const connections = new Set<Duplex>()
  const sessions = new Set<ServerHttp2Session>()
  const server = createSecureServer({
    allowHTTP1: true,
    // The https server's default, which this one lacks: an answer of several writes waited 40 ms for the reader's delayed ACK.
    noDelay: true,
    settings: { maxConcurrentStreams: MAX_STREAMS },
    cert: options.serving.certificate,
    key: options.serving.key,
    ca: options.clientAuthority,
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
  })
  // Of HTTP/1.1, which the types of the HTTP/2 server do not know.
  Object.assign(server, { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 })
  server.on('session', session => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    session.on('error', () => session.destroy())
  })
  const answering = new Answering()
  server.on('connection', socket => {
    if (answering.isClosing || !gate()) {
      socket.destroy()
      return
    }
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  server.on('secureConnection', socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // A client that resets its connection has gone; there is nobody left to tell.
    socket.on('error', () => socket.destroy())
  })
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  server.on('request', (message, response) => {
    const raw = response as unknown as RawResponse
    answering.add(raw, message.httpVersionMajor)
    void serve(message, raw, answer)
  })
  server.on('upgrade', (message: IncomingMessage, socket: Duplex, head: Buffer) => {
    void serveUpgrade(message, socket, head, answer)
  })
  server.listen(options.port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      await answering.finish(graceMs)
      await close(server, sessions, sockets, connections)
    },
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function close(
  server: Http2SecureServer,
  sessions: ReadonlySet<ServerHttp2Session>,
  sockets: ReadonlySet<TLSSocket>,
  connections: ReadonlySet<Duplex>,
): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  for (const session of sessions) session.close()
  // An ended connection lets its peer read what was sent; who does not end it in turn is cut.
  for (const socket of sockets) if (socket.alpnProtocol !== 'h2') socket.end()
  const timer = setTimeout(() => {
    for (const connection of connections) connection.destroy()
  }, LINGER_MS)
  await closed
  clearTimeout(timer)
}

/** Why a request is aborted; one for all, because an error of its own for each costs more than the abort. */
const CALLER_GONE = new DOMException('the caller has gone', 'AbortError')

/** Whether a caller is still there. Most requests never ask, so the signal is made when one does. */
class Presence {
  #gone = false
  #abort: AbortController | undefined

  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#gone) this.#abort.abort(CALLER_GONE)
    return this.#abort.signal
  }

  end(): void {
    this.#gone = true
    this.#abort?.abort(CALLER_GONE)
  }
}

function requestOf(message: RawMessage, caller: Presence): ApiRequest {
  const url = message.url ?? '/'
  const mark = url.indexOf('?')
  let body: Promise<Buffer> | undefined
  return {
    method: message.method ?? 'GET',
    path: mark === -1 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1)),
    headers: headersOf(message),
    body: () => {
      body ??= readBody(message)
      return body
    },
    get signal() {
      return caller.signal
    },
    raw: message,
  }
}

/**
 * The headers as HTTP/1.1 has them, whichever version brought them. Node joins repeated ones; whom a caller impersonates
 * must stay apart.
 */
function headersOf({ headers, rawHeaders, httpVersionMajor }: RawMessage): ApiRequest['headers'] {
  const apart: Record<string, string[]> = {}
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const raw = rawHeaders[at] ?? ''
    // Of the few headers that begin with an i; putting all of them in lower case is what this would cost.
    if (raw[0] !== 'i' && raw[0] !== 'I') continue
    const name = raw.toLowerCase()
    if (name !== 'impersonate-group' && !name.startsWith('impersonate-extra-')) continue
    apart[name] = [...(apart[name] ?? []), rawHeaders[at + 1] ?? '']
  }
  if (httpVersionMajor < 2) return Object.keys(apart).length === 0 ? headers : { ...headers, ...apart }
  const { ':method': _m, ':path': _p, ':scheme': _s, ':authority': host, ...plain } = headers
  return { ...(host !== undefined && { host }), ...plain, ...apart }
}

async function readBody(message: RawMessage): Promise<Buffer> {
  if (Number(message.headers['content-length'] ?? 0) > BODY_LIMIT) throw requestEntityTooLarge(BODY_LIMIT)
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > BODY_LIMIT) throw requestEntityTooLarge(BODY_LIMIT)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function serve(
  message: RawMessage,
  response: RawResponse,
  answer: (request: ApiRequest) => Promise<ApiResponse>,
): Promise<void> {
  const caller = new Presence()
  response.on('close', () => caller.end())
  response.on('error', () => caller.end())
  const request = requestOf(message, caller)
  try {
    await send(request, response, await answer(request))
  } catch {
    // The answer was under way and its source or its reader failed: only a cut says so.
    response.destroy()
  }
}

async function serveUpgrade(
  message: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  answer: (request: ApiRequest) => Promise<ApiResponse>,
): Promise<void> {
  const caller = new Presence()
  socket.on('close', () => caller.end())
  socket.on('error', () => socket.destroy())
  const response = await answer({ ...requestOf(message, caller), upgrade: { socket, head } })
  if ('taken' in response.body) return
  const { code, body } = response
  const told = Buffer.concat(await chunksOf(body))
  const contentType = 'text' in body ? body.contentType : 'application/json'
  socket.end(
    Buffer.concat([
      Buffer.from(
        `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\nContent-Type: ${contentType}\r\nContent-Length: ${told.length}\r\nConnection: close\r\n\r\n`,
      ),
      told,
    ]),
  )
}

/** The whole of a short body: what an upgrade is refused with. */
async function chunksOf(body: ApiBody): Promise<Buffer[]> {
  if ('object' in body) return [Buffer.from(JSON.stringify(body.object))]
  if ('text' in body) return [Buffer.from(body.text)]
  const chunks: Buffer[] = []
  if ('stream' in body) for await (const chunk of body.stream) chunks.push(Buffer.from(chunk))
  return chunks
}

async function send(
  request: ApiRequest,
  response: RawResponse,
  { code, headers, body }: ApiResponse,
): Promise<void> {
  if ('taken' in body) return
  response.statusCode = code
  response.setHeader('Audit-Id', header(request, 'audit-id') || randomUUID())
  response.setHeader('Cache-Control', 'no-cache, private')
  for (const [name, value] of Object.entries(headers ?? {}))
    response.setHeader(name, value as string | string[])
  // A body that was not read must not be taken for the next request of the connection; HTTP/2 has no such trouble.
  if (code >= 400 && request.raw && !request.raw.complete && request.raw.httpVersionMajor < 2)
    response.setHeader('Connection', 'close')
  if ('watch' in body || 'stream' in body) return stream(response, body, request.signal)
  const { text, contentType } = encode(request, body)
  response.setHeader('Content-Type', contentType)
  const compressible =
    text.length >= GZIP_FROM &&
    /\bgzip\b/.test(header(request, 'accept-encoding')) &&
    request.method !== 'HEAD'
  if (!compressible) {
    response.setHeader('Content-Length', Buffer.byteLength(text))
    response.end(request.method === 'HEAD' ? undefined : text)
    return
  }
  // Level 4, as kube-apiserver: most of the gain for little of the time.
  const compressed = await compress(text, { level: 4 })
  response.setHeader('Content-Encoding', 'gzip')
  response.setHeader('Vary', 'Accept-Encoding')
  response.setHeader('Content-Length', compressed.length)
  response.end(compressed)
}

function encode(
  request: ApiRequest,
  body: Exclude<
    ApiBody,
    { readonly watch: unknown } | { readonly stream: unknown } | { readonly taken: unknown }
  >,
): { text: string | Buffer; contentType: string } {
  if ('text' in body) return body
  if (wantsYaml(request)) {
    return {
      text: stringify('list' in body ? listObject(body.list) : body.object),
      contentType: 'application/yaml',
    }
  }
  return {
    text: 'list' in body ? encodeList(body.list) : encodeObject(body),
    contentType: 'application/json',
  }
}

function wantsYaml(request: ApiRequest): boolean {
  try {
    return negotiate(header(request, 'accept')).yaml
  } catch {
    // The answer says that nothing acceptable can be made; it says so in JSON.
    return false
  }
}

async function stream(
  response: RawResponse,
  body: Extract<ApiBody, { readonly watch: unknown } | { readonly stream: unknown }>,
  signal: AbortSignal,
): Promise<void> {
  if ('watch' in body) response.setHeader('Content-Type', 'application/json')
  response.flushHeaders()
  const chunks = 'watch' in body ? watchChunks(body.watch) : body.stream
  for await (const chunk of chunks) {
    if (!response.write(chunk)) await drained(response, signal)
    if (signal.aborted) return
  }
  response.end()
}

async function* watchChunks(
  watch: Extract<ApiBody, { readonly watch: unknown }>['watch'],
): AsyncIterable<string> {
  for await (const batch of watch) yield batch.map(encodeWatchItem).join('')
}

/** Resolves when the socket takes more, or the reader has gone. */
function drained(response: RawResponse, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      response.off('drain', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    response.once('drain', done)
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })
}

import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { KeyPair } from '../access/certificates.js'
import { Answering } from './answering.js'
import type { ApiRequest, ApiResponse } from './exchange.js'
import type { RawResponse } from './send.js'
import { serve, serveUpgrade } from './serve.js'

/** How long a client may keep an unused connection. */
const KEEP_ALIVE_MS = 90_000
/** How many requests may be under way on one HTTP/2 connection: kube-apiserver's --http2-max-streams-per-connection. */
const MAX_STREAMS = 250

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
    // A client that resets its connection has gone; no error can be sent to it.
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

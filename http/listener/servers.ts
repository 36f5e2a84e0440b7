import { constants } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { ServerOptions } from 'node:https'
import { LARGEST_HEADERS, type SlowRequests } from './listener.js'

/** An option of the sockets beneath, which the types of the HTTPS server do not know. */
const HALF_OPEN = { allowHalfOpen: true } as object

/** The options of the HTTPS server that callers connect to. */
export const tlsServerOptions = ({
  certificate,
  key,
  clientCertificateAuthority,
  slowRequests,
}: {
  readonly certificate: string
  readonly key: string
  readonly clientCertificateAuthority?: string | undefined
  readonly slowRequests: SlowRequests
}): ServerOptions => ({
  cert: certificate,
  key,
  maxHeaderSize: LARGEST_HEADERS,
  // As without TLS: an upgraded connection may end on one side while the other goes on. Requests are not affected.
  ...HALF_OPEN,
  connectionsCheckingInterval: slowRequests.lookMs,
  // Half-open sockets are not closed by a client that left before it shook hands; Node gives those two minutes.
  handshakeTimeout: slowRequests.headersMs,
  // A connection has one identity. Also, a renegotiation costs the server more than the client.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  // A caller whose network went away without a word is noticed in minutes and not never.
  keepAlive: true,
  keepAliveInitialDelay: KEEP_ALIVE_MS,
  // Requested, not required: other callers send a token. A certificate that cannot be verified does not count.
  requestCert: clientCertificateAuthority !== undefined,
  rejectUnauthorized: false,
  ...(clientCertificateAuthority ? { ca: clientCertificateAuthority } : {}),
})

/** A server for requests whose connections workers have ended the TLS of: they apply the limits of it. */
export const relayedServer = ({ lookMs }: Pick<SlowRequests, 'lookMs'>, answer: RequestListener): Server =>
  createServer({ maxHeaderSize: LARGEST_HEADERS, connectionsCheckingInterval: lookMs }, answer)

/** Silence on a connection, in milliseconds, after which the system asks the peer whether it is there. */
export const KEEP_ALIVE_MS = 60_000

import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Address } from './address.js'

/** How long a request may take to be said, in milliseconds. */
export interface SlowRequests {
  /** Until its headers are there. */
  readonly headersMs: number
  /** From its first byte to its last; its answer may take longer. */
  readonly requestMs: number
  /** How often is looked: a connection lives this much longer than the above. */
  readonly lookMs: number
}

export const SLOW_REQUESTS: SlowRequests = { headersMs: 10_000, requestMs: 60_000, lookMs: 5_000 }

/** Node keeps this many headers of a request and drops the others without a word: who has as many is refused. */
export const MOST_HEADERS = 100

/** Limits of an HTTP listener against slow and oversized requests. */
export function hardened<S extends Server>(server: S, slow: SlowRequests): S {
  server.headersTimeout = slow.headersMs
  server.requestTimeout = slow.requestMs
  // Longer than the 60 s of common load balancers, so that they close idle connections first.
  server.keepAliveTimeout = 75_000
  server.maxHeadersCount = MOST_HEADERS
  return server
}

/** What all headers of a request may measure: tokens with many groups are large, and nothing else is. */
export const LARGEST_HEADERS = 32 * 1024

/** A server that listens. */
export interface Listener {
  /** The port that was bound. */
  readonly port: number
  /** Takes no new connections, ends idle ones, waits for requests under way, and cuts off what is left after `graceMs`. */
  close(graceMs: number): Promise<void>
}

/** Starts listening. @throws what the system says, e.g. EADDRINUSE */
export function listen(server: Server, { host, port }: Address): Promise<Listener> {
  const accepted = connectionsOf(server)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const bound = (server.address() as AddressInfo).port
      resolve({ port: bound, close: graceMs => close(server, accepted, graceMs) })
    })
  })
}

/** As they are accepted: Node's own list of them lacks those that are still shaking hands, and upgraded ones. */
function connectionsOf(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>()
  server.on('connection', socket => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return open
}

const SWEEP_MS = 50

function close(server: Server, accepted: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  return new Promise(resolve => {
    const cut = setTimeout(() => {
      server.closeAllConnections()
      for (const socket of accepted) socket.destroy()
    }, graceMs)
    // A connection becomes idle when its last request is answered, and Node does not close it then by itself.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
    server.close(() => {
      clearTimeout(cut)
      clearInterval(sweep)
      resolve()
    })
    server.closeIdleConnections()
  })
}

import type { Server, Socket } from 'node:net'
import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import { sourceOf } from '../listener/source-address.js'
import type { Authenticator, Credentials } from './authenticate.js'

/** The listeners whose connections are counted. */
export type Wire = 'rest' | 'grpc'

/** A connection on which nothing has authenticated yet. */
interface Waiting {
  readonly source: string
  readonly wire: Wire
  /** It counts no longer. */
  isOver: boolean
}

/** What the count needs. */
export interface UnauthenticatedConnectionsOptions {
  /** Connections of one source at once, of all wires together; 0 for any number. */
  readonly most: number
  readonly log: Log
  readonly meter: Meter
  /** A clock in milliseconds that never goes back. */
  readonly now: () => number
}

/** How often a source that has too many is logged, in milliseconds: anyone can cause these lines. */
const SAID_EVERY_MS = 60_000

/**
 * Bounds the connections that a source holds and on which no caller has authenticated. Each costs a file descriptor and the
 * state of its TLS, for anyone. A connection counts from when it is accepted until its first request with an accepted
 * credential, or its end. One more than `most` is closed before TLS begins: there is no cheaper place, and none to say why.
 */
export class UnauthenticatedConnections {
  /** By wire and the peer's address and port, which no two open connections of a listener share. */
  readonly #waiting = new Map<string, Waiting>()
  readonly #ofSource = new Map<string, number>()
  readonly #ofWire: Record<Wire, number> = { rest: 0, grpc: 0 }
  #saidAt = Number.NEGATIVE_INFINITY

  constructor(private readonly options: UnauthenticatedConnectionsOptions) {}

  /** Counts the connections of a server, and closes those beyond the limit when they are accepted. */
  guard(server: Pick<Server, 'prependListener'>, wire: Wire): void {
    // Before TLS takes the connection: it does nothing with one that is destroyed.
    server.prependListener('connection', socket => this.#accept(socket, wire))
  }

  /** The authenticator of a wire: who is accepted makes its connection count no longer. */
  releasing(authenticator: Authenticator, wire: Wire): Authenticator {
    return {
      authenticate: credentials => {
        const found = authenticator.authenticate(credentials)
        if (!(found instanceof Promise)) {
          this.#authenticated(credentials, wire)
          return found
        }
        return found.then(caller => {
          this.#authenticated(credentials, wire)
          return caller
        })
      },
    }
  }

  #accept(socket: Socket, wire: Wire): void {
    const { remoteAddress, remotePort } = socket
    // It has ended already.
    if (remoteAddress === undefined || remotePort === undefined) return
    const source = sourceOf(remoteAddress)
    const { most, meter } = this.options
    const held = this.#ofSource.get(source) ?? 0
    if (most > 0 && held >= most) {
      socket.destroy()
      meter.count('kairship_api_connections_refused_total', { wire })
      this.#say(source, wire)
      return
    }
    const key = keyOf(wire, remoteAddress, remotePort)
    const waiting: Waiting = { source, wire, isOver: false }
    this.#waiting.set(key, waiting)
    this.#ofSource.set(source, held + 1)
    this.#count(wire, 1)
    socket.once('close', () => this.#release(key, waiting))
  }

  #authenticated({ remote, port }: Credentials, wire: Wire): void {
    // Most of the time none waits, and no key has to be made.
    if (this.#waiting.size === 0 || remote === undefined || port === undefined) return
    const key = keyOf(wire, remote, port)
    const waiting = this.#waiting.get(key)
    if (waiting) this.#release(key, waiting)
  }

  /** Once for each connection. */
  #release(key: string, waiting: Waiting): void {
    if (waiting.isOver) return
    waiting.isOver = true
    // A new connection may have the peer's port before the end of the old one is reported.
    if (this.#waiting.get(key) === waiting) this.#waiting.delete(key)
    const left = (this.#ofSource.get(waiting.source) ?? 1) - 1
    if (left > 0) this.#ofSource.set(waiting.source, left)
    else this.#ofSource.delete(waiting.source)
    this.#count(waiting.wire, -1)
  }

  #count(wire: Wire, by: number): void {
    this.#ofWire[wire] += by
    this.options.meter.gauge('kairship_api_unauthenticated_connections', this.#ofWire[wire], { wire })
  }

  #say(source: string, wire: Wire): void {
    const { log, most, now } = this.options
    if (now() - this.#saidAt < SAID_EVERY_MS) return
    this.#saidAt = now()
    log.warn(
      { source, wire, most },
      'a source has too many connections without an accepted credential, and further ones are closed: if all callers come through this address, as behind a load balancer, raise unauthenticatedConnectionsPerSource, or set it to 0',
    )
  }
}

const keyOf = (wire: Wire, address: string, port: number): string => `${wire} ${address} ${port}`

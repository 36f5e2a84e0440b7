import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { verifiedCertificate } from '../identity/certificate.js'
import type { ToParent } from './messages.js'
import { greetingLine } from './relay-listener.js'

/** A caller's connection, as its worker knows it. */
export interface WorkerConnection {
  /** What the parent calls it. */
  readonly number: number
  /** Carries its requests to the parent, one after the other. */
  readonly relay: Agent
  /** A new connection to the parent, which speaks for this one. */
  readonly openRelay: () => Socket
}

/** The connections of a worker. */
export class WorkerConnections {
  /** By the peer's address and port, which no two open connections of a listener share. */
  readonly #accepted = new Map<string, number>()
  readonly #known = new WeakMap<object, WorkerConnection>()

  constructor(
    private readonly relay: { readonly path: string; readonly secret: string },
    private readonly send: (message: ToParent) => void,
  ) {}

  /** Notes a connection before TLS begins on it. */
  accepted(socket: Socket, number: number): void {
    const key = keyOf(socket)
    this.#accepted.set(key, number)
    socket.once('close', () => {
      // A new connection may have the peer's port before the end of the old one is reported.
      if (this.#accepted.get(key) === number) this.#accepted.delete(key)
      this.send({ is: 'ended', connection: number })
    })
  }

  /** The connection of a request; undefined where it has ended. */
  of(socket: Socket): WorkerConnection | undefined {
    const known = this.#known.get(socket)
    if (known) return known
    const number = this.#accepted.get(keyOf(socket))
    if (number === undefined) return undefined
    const certificate = verifiedCertificate(socket)
    if (certificate) this.send({ is: 'certificate', connection: number, certificate })
    const openRelay = () => {
      const opened = connect({ path: this.relay.path, allowHalfOpen: true })
      opened.write(greetingLine({ secret: this.relay.secret, connection: number, certificate }))
      return opened
    }
    const relay = new Agent({ keepAlive: true, maxSockets: 1 })
    relay.createConnection = () => openRelay()
    const connection = { number, relay, openRelay }
    this.#known.set(socket, connection)
    socket.once('close', () => relay.destroy())
    return connection
  }
}

const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

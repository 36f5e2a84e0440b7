import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Address } from './address.js'
import { endSlowBody } from './body-deadline.js'

/** How long a request may take to arrive, in milliseconds. */
export interface SlowRequests {
  /** Until its headers are complete. */
  readonly headersMs: number
  /** How long its body may stop arriving. */
  readonly bodyIdleMs: number
  /** Least rate of a body, over two times `bodyIdleMs`; 0 for any. */
  readonly bodyBytesPerSecond: number
  /** From its first byte to its last; its answer may take longer. */
  readonly requestMs: number
  /** How often headers and whole requests are checked: a connection lives this much longer than those two. */
  readonly lookMs: number
}

export const SLOW_REQUESTS: SlowRequests = {
  headersMs: 10_000,
  bodyIdleMs: 10_000,
  bodyBytesPerSecond: 240,
  requestMs: 600_000,
  lookMs: 5_000,
}

/** The proxy refuses a request with this many headers, or more. */
export const MOST_HEADERS = 100

/**
 * Node's own limit, and its default. Beyond it Node.js 20 drops headers without a word and Node.js 24 answers an empty 431:
 * it is far above ours, so that a request with too many is refused alike on every version, and with a reason.
 */
const MOST_PARSED_HEADERS = 2_000

/** Limits of an HTTP listener against slow and oversized requests. */
export function hardened<S extends Server>(server: S, slow: SlowRequests): S {
  server.headersTimeout = slow.headersMs
  server.requestTimeout = slow.requestMs
  const pace = { idleMs: slow.bodyIdleMs, bytesPerSecond: slow.bodyBytesPerSecond }
  server.on('request', (request, response) => endSlowBody(request, response, pace))
  // Longer than the 60 s of common load balancers, so that they close idle connections first.
  server.keepAliveTimeout = 75_000
  server.maxHeadersCount = MOST_PARSED_HEADERS
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

/** Starts listening. @throws the system's error, e.g. EADDRINUSE */
export function listen(server: Server, { host, port }: Address): Promise<Listener> {
  const connections = new Connections(server)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const bound = (server.address() as AddressInfo).port
      resolve({ port: bound, close: graceMs => close(server, connections, graceMs) })
    })
  })
}

/**
 * Has a server take connections that something else accepts: each is to be emitted as its `connection`.
 * @returns what `Listener.close` does; connections must not be emitted any more then
 */
export function serveAccepted(server: Server): (graceMs: number) => Promise<void> {
  const connections = new Connections(server)
  // Node begins to look for slow requests when a server listens.
  server.emit('listening')
  return graceMs =>
    new Promise(resolve => {
      const cut = setTimeout(() => connections.cut(), graceMs)
      const sweep = setInterval(() => {
        connections.endIdle()
        if (!connections.isEmpty) return
        clearTimeout(cut)
        clearInterval(sweep)
        server.close(() => resolve())
      }, SWEEP_MS)
      connections.endAll()
      connections.endIdle()
    })
}

/** The connections of a server, and what is still to be answered on them. */
class Connections {
  /** As they are accepted: Node's own list of them lacks those that are still shaking hands, and upgraded ones. */
  readonly #accepted = new Set<Socket>()
  /** Answers that are not completely sent, by connection. A connection without a request yet is not here. */
  readonly #answers = new Map<Socket, Answers>()
  #ending = false

  constructor(server: Server) {
    server.on('connection', socket => {
      this.#accepted.add(socket)
      socket.once('close', () => this.#accepted.delete(socket))
    })
    server.on('request', ({ socket }, response) => this.#began(socket, response))
    if (server.listenerCount('upgrade') > 0)
      server.on('upgrade', ({ socket }) => this.#answers.delete(socket))
    // Node calls this too when it closes, and takes a connection for idle whose answer is written and still unread: it would
    // cut that answer off.
    server.closeIdleConnections = () => this.endIdle()
  }

  get isEmpty(): boolean {
    return this.#accepted.size === 0
  }

  /** From now on every answer is the last one of its connection, and its head says so if it is not sent yet. */
  endAll(): void {
    this.#ending = true
    for (const { under } of this.#answers.values()) for (const answer of under) answer.shouldKeepAlive = false
  }

  endIdle(): void {
    for (const [socket, { under }] of this.#answers) if (under.length === 0) socket.destroySoon()
  }

  cut(): void {
    for (const socket of this.#accepted) socket.destroy()
  }

  #began(socket: Socket, response: ServerResponse): void {
    const answers = this.#answers.get(socket) ?? this.#first(socket)
    answers.under.push(response)
    if (this.#ending) response.shouldKeepAlive = false
    response.on('close', answers.over)
  }

  /** Apart from its first answer: functions made in one place share what they refer to, and this one lives as long as the connection. */
  #first(socket: Socket): Answers {
    const answers = new Answers()
    this.#answers.set(socket, answers)
    socket.once('close', () => this.#answers.delete(socket))
    return answers
  }
}

/** The answers of one connection that are not completely sent. */
class Answers {
  readonly under: ServerResponse[] = []
  /** Hears of the one `close` of each answer, which calls it on that answer: one function for a connection, where each request would need one. */
  readonly over: (this: ServerResponse) => void

  constructor() {
    const { under } = this
    this.over = function () {
      under.splice(under.indexOf(this), 1)
    }
  }
}

const SWEEP_MS = 50

function close(server: Server, connections: Connections, graceMs: number): Promise<void> {
  return new Promise(resolve => {
    const cut = setTimeout(() => {
      server.closeAllConnections()
      connections.cut()
    }, graceMs)
    // A connection becomes idle when its last request is answered, and Node does not close it then by itself.
    const sweep = setInterval(() => connections.endIdle(), SWEEP_MS)
    connections.endAll()
    server.close(() => {
      clearTimeout(cut)
      clearInterval(sweep)
      resolve()
    })
    connections.endIdle()
  })
}

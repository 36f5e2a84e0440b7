import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'

/** Requests of one connection that may wait for their answers at once. Browsers and clients of Kubernetes never send a second. */
const MOST_PIPELINED = 32

/**
 * Counts the requests that a connection has sent ahead of their answers. Node reads all requests of a chunk before it looks
 * whether the answers are read: 50 KB of requests would make megabytes of answers, for anyone.
 */
export class Pipelines {
  readonly #lines = new WeakMap<Socket, Line>()

  /** Whether a request is answered. A connection with too many is cut, and what else it had sent is dropped. */
  admits(socket: Socket, response: Pick<EventEmitter, 'on'>): boolean {
    // Requests of a chunk come here even when its connection was cut for an earlier one.
    if (socket.destroyed) return false
    const line = this.#lines.get(socket) ?? this.#first(socket)
    if (line.waiting >= MOST_PIPELINED) {
      socket.destroy()
      return false
    }
    line.waiting += 1
    response.on('close', line.answered)
    return true
  }

  #first(socket: Socket): Line {
    const line = new Line()
    this.#lines.set(socket, line)
    return line
  }
}

/** The requests of one connection that wait. */
class Line {
  waiting = 0
  /** Hears of the one `close` of each answer: one function for a connection, where each request would need one. */
  readonly answered = (): void => {
    this.waiting -= 1
  }
}

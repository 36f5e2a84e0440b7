import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one connection that may wait for their answers at once. Browsers and clients of Kubernetes never send a second. */
const MOST_PIPELINED = 32

/**
 * Counts the requests that a connection has sent ahead of their answers. Node reads all requests of a chunk before it looks
 * whether the answers are read: 50 KB of requests would make megabytes of answers, for anyone.
 */
export class Pipelines {
  readonly #waiting = new WeakMap<Socket, number>()

  /** Whether a request is answered. A connection with too many is cut, and what else it had sent is dropped. */
  admits(socket: Socket, response: Pick<ServerResponse, 'once'>): boolean {
    // Requests of a chunk come here even when its connection was cut for an earlier one.
    if (socket.destroyed) return false
    const waiting = this.#waiting.get(socket) ?? 0
    if (waiting >= MOST_PIPELINED) {
      socket.destroy()
      return false
    }
    this.#waiting.set(socket, waiting + 1)
    response.once('close', () => this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1))
    return true
  }
}

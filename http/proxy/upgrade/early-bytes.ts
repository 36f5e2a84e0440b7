import type { Duplex } from 'node:stream'

/** Bytes held for a caller that speaks before its upgrade was decided. Clients of Kubernetes wait for the 101. */
const MOST_BYTES = 16 * 1024

/**
 * What a caller sends between its upgrade request and the decision. It is meant for the new protocol: if the upgrade is
 * refused, they must not be read as another request. A caller that ends its side meanwhile has hung up.
 */
export class EarlyBytes {
  readonly #socket: Duplex
  readonly #chunks: Buffer[]
  #size: number

  constructor(socket: Duplex, head: Buffer) {
    this.#socket = socket
    this.#chunks = [head]
    this.#size = head.length
    socket.on('data', this.#keep)
    socket.on('end', this.#hangUp)
  }

  /** The upgrade was accepted: gives back what came until now; what comes is for others to read. */
  take(): readonly Buffer[] {
    this.#stop()
    this.#socket.pause()
    return this.#chunks
  }

  /** The upgrade was refused: what came and what comes is thrown away. */
  drop(): void {
    this.#stop()
    this.#chunks.length = 0
    this.#socket.resume()
  }

  readonly #keep = (chunk: Buffer): void => {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size > MOST_BYTES) this.#socket.pause()
  }

  readonly #hangUp = (): void => void this.#socket.destroy()

  #stop(): void {
    this.#socket.off('data', this.#keep)
    this.#socket.off('end', this.#hangUp)
  }
}

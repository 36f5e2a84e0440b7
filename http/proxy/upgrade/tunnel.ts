import type { Duplex } from 'node:stream'
import { ConnectionClosedError } from '../../../ports/kube-api.js'
import { cancelled, type Failure, unavailable } from '../../errors/failure.js'
import type { LastWords } from './last-words.js'

/** Milliseconds that both sides of a tunnel that we end have to end it as well. */
const LINGER_MS = 1_000

/**
 * Milliseconds that one side of a tunnel may go on when the other has ended its own: long enough for what is on its way. A
 * caller that vanished looks the same, and must not hold a tunnel. Kubernetes' own proxies do not wait at all.
 */
const HALF_CLOSED_MS = 5_000

/** Two sockets after a change of protocols, joined byte by byte. The end of one side is passed on as an end, a break as a break. */
export class Tunnel {
  /** Resolves when both sides are closed, with a failure where they did not end by themselves. */
  readonly over: Promise<Failure | undefined>
  readonly #client: Duplex
  readonly #upstream: Duplex
  /** How it ended, where the first cause was no end. */
  #failure: Failure | undefined
  /** From then on we close the sides, and a side that closes is no break. */
  #closing = false
  #cutting: NodeJS.Timeout | undefined

  constructor(
    client: Duplex,
    upstream: Duplex,
    readonly words: LastWords,
  ) {
    this.#client = client
    this.#upstream = upstream
    const closed = [
      this.#follow(client, upstream, error => cancelled('the caller broke off the connection', error)),
      this.#follow(upstream, client, brokenByInstance),
    ]
    client.pipe(upstream)
    upstream.pipe(client)
    this.over = Promise.all(closed).then(() => {
      clearTimeout(this.#cutting)
      return this.#failure
    })
  }

  /**
   * Ends both sides and says why, where it can: what was sent until now is still delivered.
   * @param lingerMs how long both sides have to end as well
   */
  end(failure: Failure, lingerMs = LINGER_MS): void {
    this.#failure ??= failure
    this.#closing = true
    this.#upstream.unpipe(this.#client)
    this.#upstream.resume()
    if (!this.#client.writableEnded) this.#client.end(this.words.of(failure))
    this.#upstream.end()
    this.#cutAfter(lingerMs)
  }

  /** Resolves when this side is closed. */
  #follow(side: Duplex, other: Duplex, broken: (cause: { cause?: unknown }) => Failure): Promise<void> {
    let cause: unknown
    side.once('error', error => {
      cause = error
    })
    side.once('end', () => {
      if (!this.#closing) this.#cutAfter(HALF_CLOSED_MS)
    })
    return new Promise(resolve => {
      const closed = () => {
        if (!side.readableEnded) {
          const failure = broken(cause === undefined ? {} : { cause })
          if (this.#closing) other.destroy()
          // The caller is still there: it gets the reason.
          else if (cause instanceof ConnectionClosedError) this.end(failure)
          else {
            this.#failure ??= failure
            this.#closing = true
            other.destroy()
          }
        }
        resolve()
      }
      if (side.closed) closed()
      else side.once('close', closed)
    })
  }

  #cutAfter(milliseconds: number): void {
    clearTimeout(this.#cutting)
    this.#cutting = setTimeout(() => {
      this.#closing = true
      this.#client.destroy()
      this.#upstream.destroy()
    }, milliseconds)
  }
}

const brokenByInstance = (details: { cause?: unknown }): Failure =>
  details.cause instanceof ConnectionClosedError
    ? unavailable("the instance was deleted, or Kairship's connection to it was replaced", details)
    : unavailable('the instance broke off the connection', details)

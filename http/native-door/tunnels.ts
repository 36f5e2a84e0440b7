import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { RawSocket } from '../../ports/kube-api.js'
import { toFailure } from '../errors.js'
import { cancelled, Failure, unavailable } from '../failure.js'
import { admit, type DoorOptions, type Visit } from './admission.js'
import { requestHeaders } from './headers.js'
import { shuttingDown } from './passage.js'
import { record } from './record.js'
import { refuseUpgrade } from './refusal.js'

/** How long both sides of a tunnel that we end may take to end it as well. */
const LINGER_MS = 1_000

/**
 * How long one side of a tunnel may go on when the other has ended its own: long enough for what is on its way. A caller who
 * vanished looks the same, and must not hold a tunnel. Kubernetes' own proxies do not wait at all.
 */
const HALF_CLOSED_MS = 5_000

/**
 * Upgraded connections: exec, attach, port-forward and cp, over WebSocket or SPDY alike. The request's head is written to
 * a socket of its own to the instance, and from then on both sides talk through us byte by byte; the 101, or the refusal
 * instead of it, is the instance's own answer.
 */
export class Tunnels {
  readonly #open = new Set<() => void>()
  #closed = false

  constructor(readonly options: DoorOptions) {}

  /** Owns the socket until it is closed: it never rejects. */
  async open(request: IncomingMessage, socket: Duplex, head: Buffer, visit: Visit): Promise<void> {
    // Node hands over a socket without an error listener, and an unheard error would end the process.
    let gone: Failure | undefined
    socket.on('error', error => {
      gone ??= cancelled('the caller hung up', { cause: error })
    })
    let release: () => void = () => undefined
    let failure: Failure | undefined
    try {
      const admission = await admit(this.options, request, visit, true)
      release = admission.release
      if (this.#closed) throw shuttingDown()
      const upstream = await opened(
        admission.upstream.open({
          method: request.method ?? 'GET',
          path: admission.path,
          headers: requestHeaders(request.rawHeaders, admission.caller, true),
        }),
      )
      await this.#join(socket, upstream, head)
    } catch (error) {
      failure = gone ?? toFailure(error)
      refuseUpgrade(socket, failure, visit.requestId)
    } finally {
      release()
      record(this.options, visit, failure ? 0 : 101, failure)
    }
  }

  /**
   * Ends every connection: what was said is still delivered, then both sides hear an end as one that was meant. What they
   * speak is not ours, so nothing can be said in it.
   */
  close(): void {
    this.#closed = true
    for (const end of this.#open) end()
  }

  /** Resolves when both directions are over. The end of one side is passed on as an end, a break as a break. */
  async #join(client: Duplex, upstream: Duplex, head: Buffer): Promise<void> {
    const sides = [client, upstream]
    const cut = () => {
      for (const side of sides) side.destroy()
    }
    let lingering: NodeJS.Timeout | undefined
    const cutAfter = (milliseconds: number) => {
      lingering ??= setTimeout(cut, milliseconds)
    }
    const end = () => {
      for (const side of sides) side.end()
      clearTimeout(lingering)
      lingering = setTimeout(cut, LINGER_MS)
    }
    this.#open.add(end)
    if (head.length > 0) upstream.write(head)
    try {
      // How a protocol that is not ours ended is the affair of those who speak it.
      const directions = [pipeline(client, upstream), pipeline(upstream, client)].map(direction =>
        direction.finally(() => cutAfter(HALF_CLOSED_MS)),
      )
      await Promise.allSettled(directions)
    } finally {
      clearTimeout(lingering)
      this.#open.delete(end)
      cut()
    }
  }
}

/** A socket to the instance is a Duplex, which a port cannot say. */
async function opened(socket: Promise<RawSocket>): Promise<Duplex> {
  try {
    return (await socket) as Duplex
  } catch (error) {
    if (error instanceof Failure) throw error
    throw unavailable(`the instance could not be reached: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    })
  }
}

import type { RawExchange, RawSink, Upstream } from '../../ports/kube-api.js'
import { orAborted, startDeadline } from '../deadline.js'
import { Failure, unavailable } from '../failure.js'
import type { Attempt, Circuit } from './circuit.js'

/** How long an instance may take to give us a socket, with all that belongs to it. */
const OPEN_TIMEOUT_MS = 15_000

/** An endpoint that is not asked while its circuit is open, and whose circuit learns from what is asked. */
export function guarded(behind: Upstream, circuit: Circuit): Upstream {
  return {
    send(request, sink) {
      try {
        return behind.send(request, new Watched(sink, circuit.enter()))
      } catch (error) {
        sink.failed(error as Error)
        return NEVER_SENT
      }
    },
    async open(request) {
      const attempt = circuit.enter()
      try {
        const socket = await inTime(behind.open(request))
        attempt.answered()
        return socket
      } catch (error) {
        attempt.broke()
        throw error
      } finally {
        attempt.over()
      }
    },
  }
}

const NEVER_SENT: RawExchange = { resume: () => undefined, abort: () => undefined }

/** Hands an answer on, and tells the circuit of it. */
class Watched implements RawSink {
  #headSeen = false

  constructor(
    readonly sink: RawSink,
    readonly attempt: Attempt,
  ) {}

  head(status: number, message: string, headers: readonly string[]): void {
    this.#headSeen = true
    this.attempt.answered()
    this.sink.head(status, message, headers)
  }

  data(chunk: Uint8Array): boolean {
    return this.sink.data(chunk)
  }

  end(): void {
    this.attempt.over()
    this.sink.end()
  }

  failed(error: Error): void {
    if (!this.#headSeen && ofTransport(error)) this.attempt.broke()
    this.attempt.over()
    this.sink.failed(error)
  }
}

/** Whether nobody was there, as opposed to a request that could not be sent as it is, or that its caller gave up. */
function ofTransport(error: Error & { readonly code?: unknown; readonly syscall?: unknown }): boolean {
  if (error instanceof Failure) return false
  if (error.syscall !== undefined) return true
  return typeof error.code === 'string' && TRANSPORT.test(error.code)
}

/** Of undici, of sockets, and of TLS, whose verdicts on certificates have many names. */
const TRANSPORT =
  /^(UND_ERR_(CONNECT_TIMEOUT|HEADERS_TIMEOUT|SOCKET)|ECONN|EPIPE|ERR_(TLS|SSL)|DEPTH_|SELF_SIGNED_|UNABLE_TO_|CERT_)/

/** @throws Failure UNAVAILABLE when it takes too long; what the opening says */
async function inTime<S extends { destroy(error?: Error): unknown }>(opening: Promise<S>): Promise<S> {
  const late = unavailable('the instance could not be reached in time')
  const deadline = startDeadline([], OPEN_TIMEOUT_MS, late)
  try {
    return await orAborted(opening, deadline.signal)
  } catch (error) {
    // Should it come after all, nobody is waiting for it any more.
    opening.then(
      came => came.destroy(),
      () => undefined,
    )
    throw error
  } finally {
    deadline.release()
  }
}

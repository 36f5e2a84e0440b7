import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  ConnectionClosedError,
  ImpersonationRefusedError,
  type RawExchange,
  type RawRequest,
  type RawSink,
} from '../../../ports/kube-api.js'
import { valuesOf } from '../../../ports/raw-headers.js'
import {
  badGateway,
  cancelled,
  deadlineExceeded,
  Failure,
  invalidArgument,
  unavailable,
} from '../../errors/failure.js'
import { kubeStatusOf } from '../refusal.js'
import type { ExchangeTarget } from '../target.js'
import { foreignRedirect } from './foreign-redirect.js'
import { type Frames, framesOf } from './frames.js'
import { answerHeaders, hasBody, requestHeaders, sandboxed } from './headers.js'
import { refusedCredential } from './own-credential.js'

/** A kube-apiserver gives a request a minute; it answers before that or says so itself. */
export const HEAD_TIMEOUT_MS = 65_000
/** An answer that ends by itself does not stand still for this long, while its reader waits. */
export const IDLE_TIMEOUT_MS = 65_000

/** What a caller who has lost the right has to take the reason, milliseconds. */
const LAST_WORDS_MS = 500

/**
 * What is held for a caller before the upstream is held back. Each time it is, undici copies what its socket has read
 * meanwhile, and reads more: held back at every 16 KiB, as Node would have it, a stream of small events was measured at a
 * twentieth of its speed, and what the socket had read grew.
 */
const HELD_BYTES = 256 * 1024

/** One request on its way through, in both directions at each side's pace: the sink of its own answer. */
export class ProxyExchange implements RawSink {
  /** Resolves when the answer was passed on whole; rejects when it could not be. */
  readonly over: Promise<void>
  readonly #target: ExchangeTarget
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #now: () => number
  #resolve: () => void = () => undefined
  #reject: (error: unknown) => void = () => undefined
  #exchange: RawExchange | undefined
  #frames: Frames | undefined
  #ending = false
  /** Called when an answer that goes on for long has begun. */
  begun?: (status: number) => void
  /** What a watch that is ended by us still says. */
  #lastEvent: Uint8Array | undefined
  /** Since when the reader has taken nothing of what is there for it. */
  #waitingSince: number | undefined
  /** How many bytes the answer says that it has, where its end follows them. */
  #length = Number.NaN
  /** All of the answer: its end comes with it, and to write both at once costs less. */
  #whole: Uint8Array | undefined
  #cut: Failure | undefined

  constructor(request: IncomingMessage, response: ServerResponse, target: ExchangeTarget, now: () => number) {
    this.#request = request
    this.#response = response
    this.#target = target
    this.#now = now
    this.over = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#send()
  }

  /** A stream ends after a whole event, as an API server's own end looks; what ends by itself is left to do so. */
  endStream(): void {
    if (!this.#target.info.long || this.#ending) return
    this.#ending = true
    if (!this.#response.headersSent) this.#exchange?.abort(shuttingDown())
    // Half a compressed event is no end: a connection that breaks says what is true.
    else if (!this.#frames) this.#response.destroy()
    else if (this.#frames.between) this.#end()
  }

  /** Ends the exchange because its caller has lost the right, and says why where the answer has a place for it. */
  cutShort(failure: Failure): void {
    const response = this.#response
    this.#cut ??= failure
    if (!response.headersSent) {
      this.#exchange?.abort(failure)
      return
    }
    // What is cut short must not look whole; in a followed log nothing could be told from what the program wrote.
    if (!this.#frames || this.#target.info.verb !== 'watch') {
      response.destroy()
      return
    }
    this.#lastEvent = this.#frames.errorEvent(kubeStatusOf(failure))
    // For a reader that takes nothing, and an event that is never whole.
    const silent = setTimeout(() => response.destroy(), LAST_WORDS_MS)
    silent.unref()
    response.once('close', () => clearTimeout(silent))
    if (this.#ending) return
    this.#ending = true
    if (this.#frames.between) this.#end()
  }

  /** Cuts off a reader who has taken nothing for so long: it holds memory here, and a connection behind us. */
  cutIfStalled(now: number, patienceMs: number): boolean {
    if (this.#waitingSince === undefined || now - this.#waitingSince < patienceMs) return false
    this.#cut = cancelled('the caller did not read the answer')
    this.#response.destroy()
    return true
  }

  head(status: number, message: string, received: readonly string[]): void {
    const response = this.#response
    const refused =
      refusedCredential(status, received, this.#target.info) ?? foreignRedirect(status, received)
    if (refused) {
      this.#exchange?.abort(refused)
      this.#reject(refused)
      return
    }
    try {
      response.writeHead(status, message, sandboxed(answerHeaders(received)))
    } catch (error) {
      const failure = badGateway('the instance answered with a head that HTTP does not allow', {
        reason: 'BadAnswer',
        cause: error,
      })
      this.#exchange?.abort(failure)
      this.#reject(failure)
      return
    }
    if (!this.#target.info.long) {
      this.#length = Number(valuesOf(received, 'content-length')[0] ?? Number.NaN)
      return
    }
    this.#frames = framesOf(received)
    if (status < 400) this.begun?.(status)
    // A watch that is silent has begun all the same: informers wait for its head.
    response.flushHeaders()
  }

  data(chunk: Uint8Array): boolean {
    const response = this.#response
    if (chunk.length === this.#length && chunk.length > 0) {
      this.#whole = chunk
      return true
    }
    const whole = this.#frames?.take(chunk) ?? 0
    if (this.#ending && whole > 0) {
      response.write(chunk.subarray(0, whole))
      this.#end()
      return true
    }
    if (response.write(chunk)) return true
    this.#wait()
    return response.writableLength < HELD_BYTES
  }

  end(): void {
    this.#response.end(this.#whole)
    // Until it is taken: what is left is little, but it holds a place.
    this.#waitingSince ??= this.#now()
  }

  failed(error: Error): void {
    // Our own end looks like a break from behind.
    if (this.#response.writableEnded) return
    if (this.#response.destroyed) this.#reject(this.#hungUp())
    // Closed on purpose, not broken: an end after a whole event is how a server says that it was meant.
    else if (error instanceof ConnectionClosedError && this.#frames?.between) this.#response.end()
    else this.#reject(upstreamFailure(error))
  }

  #send(): void {
    const { upstream, path, caller, auditId, info } = this.#target
    const { method = 'GET', rawHeaders, headers } = this.#request
    const request: { -readonly [K in keyof RawRequest]: RawRequest[K] } = {
      method,
      path,
      headers: requestHeaders(rawHeaders, caller, auditId),
      long: info.long,
      headTimeoutMs: HEAD_TIMEOUT_MS,
    }
    if (hasBody(headers)) request.body = bodyOf(this.#request)
    if (!info.long) request.idleTimeoutMs = IDLE_TIMEOUT_MS
    this.#response.on('close', () => this.#closed())
    this.#exchange = upstream.send(request, this)
  }

  #closed(): void {
    this.#waitingSince = undefined
    if (this.#response.writableFinished) {
      this.#resolve()
      return
    }
    // By us, when streams end; else the caller is gone, and the upstream request is of no use.
    const gone = this.#hungUp()
    if (this.#ending) this.#resolve()
    else this.#reject(gone)
    this.#exchange?.abort(gone)
  }

  /** Until the reader has taken what is there for it. Few are ever waited for. */
  #wait(): void {
    if (this.#waitingSince !== undefined) return
    this.#waitingSince = this.#now()
    this.#response.once('drain', () => {
      this.#waitingSince = undefined
      this.#exchange?.resume()
    })
  }

  #end(): void {
    this.#response.end(this.#lastEvent)
    this.#exchange?.abort(this.#cut ?? shuttingDown())
  }

  #hungUp(): Failure {
    return this.#cut ?? cancelled('the caller hung up')
  }
}

/**
 * A request's body. What the upstream takes no more of is read and dropped: an API server that refuses a large body answers before it has read it, and a client
 * that writes before it reads, as browsers do, would never see that answer.
 */
async function* bodyOf(request: IncomingMessage): AsyncGenerator<Uint8Array, void> {
  try {
    // undici destroys a stream that it gives up, and a destroyed request holds its socket.
    yield* request.iterator({ destroyOnReturn: false })
  } finally {
    request.resume()
  }
}

/** Answered before anything was sent, so the caller may repeat the request at once, elsewhere. */
export const shuttingDown = (): Failure =>
  unavailable('the server is shutting down', { retryAfterSeconds: 1 })

/** What went wrong behind us, in the proxy's words. Nothing is sent again: it may have been executed. */
export function upstreamFailure(error: Error): Failure {
  if (error instanceof Failure) return error
  if (error instanceof ImpersonationRefusedError)
    return badGateway(`the request was not sent: ${error.message}`, {
      reason: 'ImpersonationRefused',
      cause: error,
    })
  const code = 'code' in error ? error.code : ''
  if (code === 'UND_ERR_INVALID_ARG')
    return invalidArgument(`the request cannot be passed on: ${error.message}`, { cause: error })
  return code === 'UND_ERR_HEADERS_TIMEOUT'
    ? deadlineExceeded('the instance did not answer in time', { cause: error })
    : unavailable(`the instance could not be reached: ${error.message}`, {
        reason: 'InstanceUnreachable',
        cause: error,
      })
}

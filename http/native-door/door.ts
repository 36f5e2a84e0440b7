import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RawExchange } from '../../ports/kube-api.js'
import { Code } from '../code.js'
import { toFailure } from '../errors.js'
import { cancelled, deadlineExceeded, Failure, unavailable } from '../failure.js'
import { type Admission, admit, type DoorOptions, type Visit, visitOf } from './admission.js'
import { answerHeaders, requestHeaders } from './headers.js'
import { parseDoorPath } from './path.js'
import { record } from './record.js'
import { refuse } from './refusal.js'
import { Tunnels } from './tunnels.js'

/** A kube-apiserver gives a request a minute; it answers before that or says so itself. */
const HEAD_TIMEOUT_MS = 65_000

/** The native door: any Kubernetes request, passed on to its instance as it is. */
export interface NativeDoor {
  /** Takes a request that is for the door, and says whether it was. */
  request(request: IncomingMessage, response: ServerResponse): boolean
  /** Takes an upgrade that is for the door, and says whether it was. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean
  /** Ends watches where a line ends, so that clients resume elsewhere, and closes upgraded connections. */
  endStreams(): void
}

/**
 * Bytes go from socket to socket: bodies are neither parsed nor buffered, and the answer bypasses Hono, which was measured
 * at half the cost and is the only way that survives clients who vanish.
 */
export function nativeDoor(options: DoorOptions): NativeDoor {
  const passing = new Set<Passage>()
  const tunnels = new Tunnels(options)
  return {
    request(request, response) {
      const door = parseDoorPath(request.url ?? '')
      if (!door) return false
      void pass(options, request, response, visitOf(request, door, options.now()), passing)
      return true
    },
    upgrade(request, socket, head) {
      const door = parseDoorPath(request.url ?? '')
      if (!door) return false
      void tunnels.open(request, socket, head, visitOf(request, door, options.now()))
      return true
    },
    endStreams() {
      for (const passage of passing) passage.endStream()
      tunnels.close()
    },
  }
}

/** Owns the request from here to its record: it never rejects. */
async function pass(
  options: DoorOptions,
  request: IncomingMessage,
  response: ServerResponse,
  visit: Visit,
  passing: Set<Passage>,
): Promise<void> {
  let release: () => void = () => undefined
  let failure: Failure | undefined
  try {
    const admission = await admit(options, request, visit, false)
    release = admission.release
    const passage = new Passage(request, response, admission)
    passing.add(passage)
    try {
      await passage.over
    } finally {
      passing.delete(passage)
    }
  } catch (error) {
    failure = toFailure(error)
    refuse(response, failure, visit.requestId)
    if (failure.code === Code.INTERNAL) {
      options.log.error({ requestId: visit.requestId, err: failure.cause ?? failure }, 'passing on failed')
    }
  } finally {
    release()
    record(options, visit, response.statusCode, failure)
  }
}

/** One request on its way through, in both directions at each side's pace. */
class Passage {
  /** Resolves when the answer was passed on whole; rejects when it could not be. */
  readonly over: Promise<void>
  #exchange: RawExchange | undefined
  #endAtLine = false
  readonly #response: ServerResponse
  readonly #long: boolean

  constructor(request: IncomingMessage, response: ServerResponse, admission: Admission) {
    this.#response = response
    this.#long = admission.info.long
    this.over = new Promise((resolve, reject) => this.#start(request, admission, resolve, reject))
  }

  /** A stream ends after a whole line, as an API server's own end looks; what ends by itself is left to do so. */
  endStream(): void {
    if (!this.#long) return
    this.#endAtLine = true
    if (this.#atLineEnd) this.#end()
  }

  #atLineEnd = true

  #start(
    request: IncomingMessage,
    { upstream, path, caller, info }: Admission,
    resolve: () => void,
    reject: (error: unknown) => void,
  ): void {
    const response = this.#response
    const { method = 'GET', rawHeaders } = request
    const hasBody = request.headers['content-length'] !== undefined || 'transfer-encoding' in request.headers
    response.on('drain', () => this.#exchange?.resume())
    response.on('close', () => {
      if (!response.writableFinished) this.#exchange?.abort(cancelled('the caller hung up'))
      resolve()
    })
    this.#exchange = upstream.send(
      {
        method,
        path,
        headers: requestHeaders(rawHeaders, caller),
        ...(hasBody ? { body: request } : {}),
        long: info.long,
        headTimeoutMs: HEAD_TIMEOUT_MS,
      },
      {
        head: (status, message, headers) => {
          response.writeHead(status, message, answerHeaders(headers))
          // A watch that is silent has begun all the same: informers wait for its head.
          if (this.#long) response.flushHeaders()
        },
        data: chunk => this.#data(chunk),
        end: () => response.end(),
        failed: error =>
          reject(response.destroyed ? cancelled('the caller hung up') : upstreamFailure(error)),
      },
    )
  }

  #data(chunk: Uint8Array): boolean {
    if (!this.#endAtLine) {
      if (this.#long) this.#atLineEnd = chunk.at(-1) === NEWLINE
      return this.#response.write(chunk)
    }
    const line = chunk.lastIndexOf(NEWLINE)
    this.#response.write(chunk.subarray(0, line + 1))
    if (line >= 0) this.#end()
    return true
  }

  #end(): void {
    this.#response.end()
    this.#exchange?.abort(unavailable('the server is shutting down'))
  }
}

const NEWLINE = 10

/** What went wrong behind us, in the door's words. Nothing is sent again: it may have been executed. */
function upstreamFailure(error: Error): Failure {
  if (error instanceof Failure) return error
  return 'code' in error && error.code === 'UND_ERR_HEADERS_TIMEOUT'
    ? deadlineExceeded('the instance did not answer in time', { cause: error })
    : unavailable(`the instance could not be reached: ${error.message}`, { cause: error })
}

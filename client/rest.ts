import type { JsonValue, Message } from '@bufbuild/protobuf'
import type { HttpMethod } from '../transcoding/binding.js'
import { Code } from '../transcoding/code.js'
import { encodeRequest } from '../transcoding/encode.js'
import { AnswerError, ApiError, ConnectionError, refusal } from './errors.js'
import { serverSentEvents } from './server-sent-events.js'

/** The part of `fetch` that is needed. A browser's and Node.js' own have it. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Record<string, string>
    readonly body?: string
    readonly redirect: 'error'
    readonly signal: AbortSignal
  },
) => Promise<Answer>

interface Answer {
  readonly status: number
  readonly body: { getReader(): Reader } | null
}

interface Reader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

/** How to reach a Kairship. */
export interface RestOptions {
  /** `https://kairship.example:8443`, without a path. Empty for a page's own server. */
  readonly server: string
  /** Called before each request, so that it may change; undefined where `fetch` authenticates. An error of it ends the call. */
  readonly token?: () => string | undefined | Promise<string | undefined>
  readonly userAgent?: string
  /** The runtime's own unless given. */
  readonly fetch?: Fetch
  /** Milliseconds until a call without a deadline of its own is given up. Default: 60,000, as long as the server's own. */
  readonly timeoutMs?: number
}

/** What belongs to one call. */
export interface CallOptions {
  /** Ends the call, and on the server what it does for it; the call fails with the signal's reason. */
  readonly signal?: AbortSignal
  /** Milliseconds until the call fails with DEADLINE_EXCEEDED; the server is told. Of a stream: until it begins. */
  readonly timeoutMs?: number
}

/** Calls over REST, as JSON: what the server sent, with fields that this client does not know. */
export interface Rest {
  /** @throws ApiError, ConnectionError, AnswerError, EncodeError, or the reason of the call's signal */
  unary(method: HttpMethod, request: Message, options?: CallOptions): Promise<JsonValue>
  /** Connects when it is read. It ends when the server says that it is complete; reading it can throw as `unary` does. */
  stream(method: HttpMethod, request: Message, options?: CallOptions): AsyncGenerator<JsonValue>
}

const DEFAULT_TIMEOUT_MS = 60_000
/** Bytes of an answer: ten thousand instances are some 40 MB. A refusal has one message. */
const LARGEST_ANSWER = 64 << 20
const LARGEST_REFUSAL = 1 << 20

/** Makes calls of one server. It keeps no state between them. */
export function restCalls(options: RestOptions): Rest {
  return {
    async unary(method, request, call = {}) {
      const started = new Started(call.signal, call.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
      try {
        const answer = await send(options, method, request, started, { 'grpc-timeout': started.header })
        return parsed(await started.guarded(textOf(answer, LARGEST_ANSWER)))
      } finally {
        started.end()
      }
    },
    async *stream(method, request, call = {}) {
      const started = new Started(call.signal, call.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
      try {
        const answer = await send(options, method, request, started, { accept: 'text/event-stream' })
        // Silence is normal from here on: nothing may change for hours.
        started.stopClock()
        const events = serverSentEvents(chunksOf(answer))[Symbol.asyncIterator]()
        for (;;) {
          const step = await started.guarded(events.next())
          // The server says why a stream is over; an end without it is a broken connection.
          if (step.done) throw new ConnectionError('the stream broke off')
          const { event, data } = step.value
          if (event !== 'end') yield parsed(data)
          else {
            const end = refusal(data)
            if (end.code === Code.OK) return
            throw end
          }
        }
      } finally {
        // The connection closes also when the reader leaves.
        started.abort()
      }
    },
  }
}

/** One request under way: its deadline, and who ended it. */
class Started {
  readonly #controller = new AbortController()
  readonly #clock: ReturnType<typeof setTimeout>
  #late = false
  readonly #hangUp = () => this.#controller.abort(this.caller?.reason)

  constructor(
    private readonly caller: AbortSignal | undefined,
    private readonly timeoutMs: number,
  ) {
    this.#clock = setTimeout(() => {
      this.#late = true
      this.#controller.abort()
    }, timeoutMs)
    if (caller?.aborted) this.#hangUp()
    else caller?.addEventListener('abort', this.#hangUp, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** `grpc-timeout` has at most eight digits. */
  get header(): string {
    const ms = Math.max(1, Math.ceil(this.timeoutMs))
    return ms < 1e8 ? `${ms}m` : `${Math.min(Math.ceil(ms / 1000), 99_999_999)}S`
  }

  /**
   * Waits until the call ends, whether or not the work obeys its signal, and says why it failed: the caller's own reason, the deadline,
   * or the connection.
   */
  async guarded<T>(work: Promise<T>, what = 'cannot reach the server'): Promise<T> {
    try {
      return await orAborted(work, this.signal)
    } catch (error) {
      if (this.caller?.aborted) throw this.caller.reason
      if (this.#late) throw new ApiError(Code.DEADLINE_EXCEEDED, `no answer came within ${this.timeoutMs} ms`)
      if (error instanceof AnswerError) throw error
      throw new ConnectionError(`${what}: ${messageOf(error)}`, { cause: error })
    }
  }

  stopClock(): void {
    clearTimeout(this.#clock)
  }

  end(): void {
    this.stopClock()
    this.caller?.removeEventListener('abort', this.#hangUp)
  }

  abort(): void {
    this.end()
    this.#controller.abort()
  }
}

/** Rejects when the signal aborts first; the result of the work is then dropped. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const hangUp = () => reject(signal.reason)
    if (signal.aborted) hangUp()
    else signal.addEventListener('abort', hangUp, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', hangUp))
  })
}

/** `fetch` says "fetch failed", and why in the cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? messageOf(error.cause) : error.message
}

/** Sends a request. @returns an answer other than a refusal */
async function send(
  { server, token, userAgent, fetch: given }: RestOptions,
  method: HttpMethod,
  request: Message,
  started: Started,
  more: Record<string, string>,
): Promise<Answer> {
  const { verb, path, body } = encodeRequest(method, request)
  const bearer = await started.guarded(
    Promise.resolve().then(() => token?.()),
    'cannot get a token',
  )
  const headers = {
    ...more,
    ...(bearer && { authorization: `Bearer ${bearer}` }),
    ...(userAgent && { 'user-agent': userAgent }),
    ...(verb !== 'GET' && { 'content-type': 'application/json' }),
  }
  const init = { method: verb, headers, redirect: 'error', signal: started.signal } as const
  const sent = Promise.resolve().then(() =>
    (given ?? fetch)(`${server}${path}`, body ? { ...init, body } : init),
  )
  const answer = await started.guarded(sent)
  if (answer.status >= 200 && answer.status < 300) return answer
  throw refusal(await started.guarded(textOf(answer, LARGEST_REFUSAL)), answer.status)
}

async function* chunksOf({ body }: Answer): AsyncGenerator<Uint8Array> {
  if (!body) return
  const reader = body.getReader()
  let isOver = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      isOver = done
      if (done) return
      if (value) yield value
    }
  } catch (error) {
    isOver = true
    throw error
  } finally {
    if (!isOver) await reader.cancel()
  }
}

/** Reads an answer up to a bound; the rest is not read. @throws AnswerError beyond it */
async function textOf(answer: Answer, most: number): Promise<string> {
  const decoder = new TextDecoder()
  const parts: string[] = []
  let size = 0
  for await (const chunk of chunksOf(answer)) {
    size += chunk.byteLength
    if (size > most) throw new AnswerError(`the server’s answer is larger than ${most >> 20} MiB`)
    parts.push(decoder.decode(chunk, { stream: true }))
  }
  return parts.join('') + decoder.decode()
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch (error) {
    throw new AnswerError(`the server answered with something that is not JSON: ${text.slice(0, 200)}`, {
      cause: error,
    })
  }
}

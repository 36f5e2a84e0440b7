import type { RawExchange, RawRequest, RawSink, Sender } from '../../../ports/kube-api.js'

/** The head of an answer, and its body as it comes. */
export interface Streamed {
  readonly status: number
  readonly headers: readonly string[]
  readonly chunks: AsyncIterable<Buffer>
  /** Ends the exchange if it is under way, whether the body is being read or not. Idempotent. */
  readonly leave: () => void
}

/**
 * Sends a request whose answer is read as it comes: the sender is held back while the reader is busy. Who has it calls `leave` in the
 * end, else its connection stays: chunks that were never read cannot be returned.
 * @throws what the sender reports before the head; the signal's reason
 */
export async function streamOf(
  upstream: Sender,
  request: RawRequest,
  signal: AbortSignal,
): Promise<Streamed> {
  signal.throwIfAborted()
  const stream = new ByteStream()
  const onAbort = () => stream.abort(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  const over = () => signal.removeEventListener('abort', onAbort)
  try {
    const { status, headers } = await stream.start(upstream, request)
    const leave = () => {
      over()
      stream.leave()
    }
    return { status, headers, chunks: stream.read(), leave }
  } catch (error) {
    over()
    throw error
  }
}

/** A refusal is short and comes at once: of a longer one the beginning is read, of a later one what is there by then. */
const LONGEST_REFUSAL = 64 << 10
const LATEST_REFUSAL_MS = 10_000

/** The body of an answer that refuses a stream. The exchange may go on after it. @throws what the sender reports */
export async function refusalOf({ chunks, leave }: Pick<Streamed, 'chunks' | 'leave'>): Promise<Buffer> {
  const all: Buffer[] = []
  let [length, isLate] = [0, false]
  const timer = setTimeout(() => {
    isLate = true
    leave()
  }, LATEST_REFUSAL_MS)
  try {
    for await (const chunk of chunks) {
      all.push(chunk)
      length += chunk.length
      if (length > LONGEST_REFUSAL) break
    }
  } catch (error) {
    if (!isLate) throw error
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(all)
}

/** A sink that is read. */
class ByteStream implements RawSink {
  #chunks: Buffer[] = []
  #end: { readonly error?: Error } | undefined
  #wake: () => void = () => undefined
  #exchange: RawExchange | undefined
  #begun: (head: { status: number; headers: readonly string[] }) => void = () => undefined
  #failed: (error: Error) => void = () => undefined

  start(upstream: Sender, request: RawRequest): Promise<{ status: number; headers: readonly string[] }> {
    return new Promise((resolve, reject) => {
      this.#begun = resolve
      this.#failed = reject
      this.#exchange = upstream.send(request, this)
    })
  }

  abort(reason: Error): void {
    this.#exchange?.abort(reason)
  }

  leave(): void {
    if (!this.#end) this.abort(new Error('the reader has left'))
  }

  head(status: number, _message: string, headers: readonly string[]): void {
    this.#begun({ status, headers })
  }

  data(chunk: Uint8Array): boolean {
    this.#chunks.push(Buffer.from(chunk))
    this.#wake()
    return false
  }

  end(): void {
    this.#end = {}
    this.#wake()
  }

  failed(error: Error): void {
    this.#end = { error }
    this.#failed(error)
    this.#wake()
  }

  async *read(): AsyncGenerator<Buffer, void> {
    for (;;) {
      const chunk = this.#chunks.shift()
      if (chunk) yield chunk
      else if (this.#end) {
        if (this.#end.error) throw this.#end.error
        return
      } else {
        const more = new Promise<void>(resolve => {
          this.#wake = resolve
        })
        this.#exchange?.resume()
        await more
      }
    }
  }
}

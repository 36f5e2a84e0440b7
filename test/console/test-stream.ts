/** A stream of a server, as a test gives it; it ends with its signal. */
export class TestStream<T> {
  readonly #queue: (T | Error | undefined)[] = []
  #wake: () => void = () => undefined

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener('abort', () => this.#wake())
  }

  send(message: T): void {
    this.#put(message)
  }

  break(error = new Error('the connection broke')): void {
    this.#put(error)
  }

  end(): void {
    this.#put(undefined)
  }

  #put(next: T | Error | undefined): void {
    this.#queue.push(next)
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      if (this.signal.aborted) throw this.signal.reason
      if (this.#queue.length === 0) {
        await new Promise<void>(resolve => {
          this.#wake = resolve
        })
        continue
      }
      const next = this.#queue.shift()
      if (next === undefined) return
      if (next instanceof Error) throw next
      yield next
    }
  }
}

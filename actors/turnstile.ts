/** Lets so many through at once, in order of arrival; a stampede becomes a queue. */
export class Turnstile {
  #inside = 0
  readonly #waiting: (() => void)[] = []

  constructor(private readonly width: number) {}

  /** Resolves to a function that leaves again (idempotent) when there is room; rejects when `signal` aborts before that. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#inside < this.width) this.#inside += 1
    else await this.#turn(signal)
    let left = false
    return () => {
      if (left) return
      left = true
      const next = this.#waiting.shift()
      if (next) next()
      else this.#inside -= 1
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = () => {
        signal.removeEventListener('abort', abandon)
        resolve()
      }
      const abandon = () => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1)
        reject(signal.reason as Error)
      }
      this.#waiting.push(turn)
      signal.addEventListener('abort', abandon, { once: true })
    })
  }
}

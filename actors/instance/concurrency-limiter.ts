/**
 * Limits how many pieces of work run at once; the others wait in order of arrival. A place belongs to the promise of one
 * `run` and is freed when that promise ends, so no place can be lost.
 */
export class ConcurrencyLimiter {
  #running = 0
  readonly #waiting = new Set<() => void>()

  /**
   * @param limit how many may run at once
   * @param patienceMs work that runs longer gives up its place and goes on without one, so that it does not block others
   */
  constructor(
    private readonly limit: number,
    private readonly patienceMs?: number,
  ) {}

  /**
   * Starts the work when there is a place, and ends as it ends.
   * @throws the reason of `signal`, without starting the work, when the signal aborts before that
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#place(signal)
    let held = true
    const free = (): void => {
      if (held) this.#free()
      held = false
    }
    const overdue = this.patienceMs === undefined ? undefined : setTimeout(free, this.patienceMs).unref()
    try {
      signal.throwIfAborted() // it can abort between the moment a place is handed over and this one
      return await work()
    } finally {
      clearTimeout(overdue)
      free()
    }
  }

  #place(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason)
    if (this.#running < this.limit) {
      this.#running += 1
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const takeOver = (): void => {
        signal.removeEventListener('abort', abandon)
        resolve()
      }
      const abandon = (): void => {
        this.#waiting.delete(takeOver)
        reject(signal.reason)
      }
      this.#waiting.add(takeOver)
      signal.addEventListener('abort', abandon, { once: true })
    })
  }

  /** Hands the place to the first that waits. */
  #free(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#running -= 1
      return
    }
    this.#waiting.delete(next)
    next()
  }
}

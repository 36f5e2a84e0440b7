/** Lets so many through at once, in order of arrival; a stampede becomes a queue. */
export class Turnstile {
  #inside = 0
  readonly #waiting: (() => void)[] = []

  /**
   * @param width how many may be inside at once
   * @param patienceMs who is inside for longer than this counts no more, so that one who is stuck does not block the others
   */
  constructor(
    private readonly width: number,
    private readonly patienceMs?: number,
  ) {}

  /** Resolves to a function that leaves again (idempotent) when there is room; rejects when `signal` aborts before that. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#inside < this.width) this.#inside += 1
    else await this.#turn(signal)
    let left = false
    let impatient: NodeJS.Timeout | undefined
    const leave = (): void => {
      if (left) return
      left = true
      clearTimeout(impatient)
      const next = this.#waiting.shift()
      if (next) next()
      else this.#inside -= 1
    }
    if (this.patienceMs !== undefined) impatient = setTimeout(leave, this.patienceMs).unref()
    return leave
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

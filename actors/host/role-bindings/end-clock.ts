/** How far a timer may be set, milliseconds: the clock of the machine may be set forward meanwhile, and an end counts within a second. */
const MOST_MS = 1_000

/** Calls back when the end of something has come, by the clock on the wall. One timer, and none while nothing has an end. */
export class EndClock {
  readonly #ends = new Map<string, number>()
  #first = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  /**
   * @param now milliseconds since 1970
   * @param came called with the keys of what has ended
   */
  constructor(
    readonly now: () => number,
    private readonly came: (keys: readonly string[]) => void,
  ) {}

  /** @param end in milliseconds since 1970; undefined or past for what is not waited for */
  set(key: string, end: number | undefined): void {
    const waited = this.#ends.delete(key)
    if (end !== undefined && end > this.now()) {
      this.#ends.set(key, end)
      this.#first = Math.min(this.#first, end)
    } else if (!waited) return
    this.#wait()
  }

  /** Whoever reads looks first, so that no reader depends on the timer. */
  look(): void {
    const now = this.now()
    if (now < this.#first) return
    const over = [...this.#ends].flatMap(([key, end]) => (end <= now ? [key] : []))
    for (const key of over) this.#ends.delete(key)
    this.#first = Math.min(Number.POSITIVE_INFINITY, ...this.#ends.values())
    this.#wait()
    if (over.length > 0) this.came(over)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#ends.clear()
    this.#first = Number.POSITIVE_INFINITY
  }

  #wait(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#ends.size === 0) return
    const ms = Math.min(MOST_MS, Math.max(0, this.#first - this.now()))
    this.#timer = setTimeout(() => {
      this.look()
      this.#wait()
    }, ms).unref()
  }
}

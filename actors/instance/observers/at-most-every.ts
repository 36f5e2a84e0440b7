/**
 * Hands the first value on at once, and of those that come within the time after it the last one when that is over. At rest it has no
 * timer and keeps no value: every instance has some.
 */
export class AtMostEvery<T> {
  #timer: NodeJS.Timeout | undefined
  #waiting: { readonly value: T } | undefined

  constructor(
    private readonly ms: number,
    private readonly act: (value: T) => void,
  ) {}

  offer(value: T): void {
    if (this.#timer) this.#waiting = { value }
    else this.#hand(value)
  }

  /** What waits is not handed on any more. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiting = undefined
  }

  #hand(value: T): void {
    this.#timer = setTimeout(() => this.#over(), this.ms)
    this.act(value)
  }

  #over(): void {
    const waiting = this.#waiting
    this.#timer = undefined
    this.#waiting = undefined
    if (waiting) this.#hand(waiting.value)
  }
}

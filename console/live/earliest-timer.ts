import type { Clock } from './clock.js'

/** A timer that is set several times and fires once, at the earliest of the times it was set to. */
export class EarliestTimer {
  #next: { readonly at: number; readonly cancel: () => void } | undefined

  constructor(
    private readonly time: Clock,
    private readonly work: () => void,
  ) {}

  get isSet(): boolean {
    return this.#next !== undefined
  }

  fireWithin(ms: number): void {
    const at = this.time.now() + ms
    if (this.#next && this.#next.at <= at) return
    this.cancel()
    const cancel = this.time.later(() => {
      this.#next = undefined
      this.work()
    }, ms)
    this.#next = { at, cancel }
  }

  cancel(): void {
    this.#next?.cancel()
    this.#next = undefined
  }
}

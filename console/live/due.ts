import type { Clock } from './clock.js'

/** Something that is to be done once, at the soonest time that it was wanted for. */
export class Due {
  #next: { readonly at: number; readonly cancel: () => void } | undefined

  constructor(
    private readonly time: Clock,
    private readonly work: () => void,
  ) {}

  get isSet(): boolean {
    return this.#next !== undefined
  }

  within(ms: number): void {
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

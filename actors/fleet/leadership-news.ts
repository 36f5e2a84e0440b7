/** So many actors are told in one turn of the event loop: a few milliseconds of work. */
const TOLD_AT_ONCE = 100

/**
 * Tells all actors who leads, some at a time, so that ten thousand of them do not keep the renewal of the lease waiting. No
 * actor acts because of old news: each request is checked against the lease itself (`election/fenced-api.ts`).
 */
export class LeadershipNews {
  #untold: readonly string[] = []
  #next: NodeJS.Immediate | undefined

  /** @param tell says to one actor who leads at that moment */
  constructor(private readonly tellOne: (name: string) => void) {}

  /** The lease was won or lost. The first are told before this returns; those that were not told of earlier news are told once. */
  tell(names: readonly string[]): void {
    this.stop()
    this.#untold = names
    this.#tellSome()
  }

  stop(): void {
    clearImmediate(this.#next)
    this.#untold = []
  }

  #tellSome(): void {
    const now = this.#untold.slice(0, TOLD_AT_ONCE)
    this.#untold = this.#untold.slice(TOLD_AT_ONCE)
    for (const name of now) this.tellOne(name)
    if (this.#untold.length > 0) this.#next = setImmediate(() => this.#tellSome())
  }
}

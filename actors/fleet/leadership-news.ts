/**
 * Telling actors may take so much of one turn of the event loop, milliseconds. An actor that leads no more ends its watches and its
 * effects, which takes up to a millisecond; giving the lease back takes some turns, and another replica waits for it.
 */
const TOLD_FOR_MS = 4

/**
 * Tells all actors who leads, some at a time, so that ten thousand of them do not keep the renewal of the lease waiting. No
 * actor acts because of old news: each request is checked against the lease itself (`election/fenced-api.ts`).
 */
export class LeadershipNews {
  #names: readonly string[] = []
  /** How many of them were told. */
  #told = 0
  #next: NodeJS.Immediate | undefined

  /** @param tellOne says to one actor who leads at that moment */
  constructor(
    private readonly tellOne: (name: string) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The lease was won or lost. The first are told before this returns; those that were not told of earlier news are told once. */
  tell(names: readonly string[]): void {
    this.stop()
    this.#names = names
    this.#tellSome()
  }

  stop(): void {
    clearImmediate(this.#next)
    this.#names = []
    this.#told = 0
  }

  #tellSome(): void {
    const from = this.now()
    while (this.#told < this.#names.length && this.now() - from < TOLD_FOR_MS)
      this.tellOne(this.#names[this.#told++] as string)
    if (this.#told < this.#names.length) this.#next = setImmediate(() => this.#tellSome())
  }
}

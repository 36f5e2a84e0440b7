import { resourceExhausted } from '../errors/failure.js'

/**
 * Limits what each name (a caller, an instance) holds at once: it refuses one more than `most`. Names that hold nothing take no
 * memory.
 */
export class ConcurrencyLimit {
  readonly #held = new Map<string, number>()

  constructor(
    readonly what: string,
    readonly most: number,
  ) {}

  /**
   * Takes a slot for this name and returns what gives it back (idempotent).
   * @param holder the name in messages, where that is another
   * @throws Failure RESOURCE_EXHAUSTED at the limit
   */
  take(name: string, holder = name): () => void {
    const held = this.#held.get(name) ?? 0
    if (held >= this.most) {
      throw resourceExhausted(
        `${holder} already has ${held} ${this.what}, the most allowed: end some first`,
        {
          retryAfterSeconds: 1,
        },
      )
    }
    this.#held.set(name, held + 1)
    let given = false
    return () => {
      if (given) return
      given = true
      const left = (this.#held.get(name) ?? 1) - 1
      if (left > 0) this.#held.set(name, left)
      else this.#held.delete(name)
    }
  }
}

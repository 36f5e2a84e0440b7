/** What was asked for, and for how long it may be believed. */
export interface Answer<T> {
  readonly value: T
  /** Milliseconds; 0 forgets at once. */
  readonly ttlMs: number
}

/**
 * A bounded memory of answers that cost a request. Askers of the same key while the answer is under way share it; a
 * failure is shared but never remembered. When full, the entry asked for longest ago goes.
 */
export class Remembered<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly expires: number }>()
  readonly #underWay = new Map<string, Promise<T>>()
  readonly #capacity: number
  readonly #now: () => number
  /** Asked for last: its place is right already. Each other change of places makes garbage, at every request. */
  #newest: string | undefined

  constructor(options: { readonly capacity: number; readonly now: () => number }) {
    this.#capacity = options.capacity
    this.#now = options.now
  }

  /** The remembered answer at once, or what `ask` finds out. */
  get(key: string, ask: () => Promise<Answer<T>>): T | Promise<T> {
    const entry = this.#entries.get(key)
    if (entry && entry.expires > this.#now()) {
      if (this.#newest !== key) this.#renew(key, entry)
      return entry.value
    }
    const pending = this.#underWay.get(key)
    if (pending) return pending
    const asked = this.#ask(key, ask)
    this.#underWay.set(key, asked)
    return asked
  }

  async #ask(key: string, ask: () => Promise<Answer<T>>): Promise<T> {
    try {
      const { value, ttlMs } = await ask()
      this.#entries.delete(key)
      if (ttlMs > 0) this.#remember(key, value, ttlMs)
      return value
    } finally {
      this.#underWay.delete(key)
    }
  }

  #remember(key: string, value: T, ttlMs: number): void {
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= this.#capacity && oldest !== undefined) this.#entries.delete(oldest)
    this.#renew(key, { value, expires: this.#now() + ttlMs })
  }

  #renew(key: string, entry: { readonly value: T; readonly expires: number }): void {
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    this.#newest = key
  }
}

/** The answer to a request, and how long it may be used. */
export interface Answer<T> {
  readonly value: T
  /** Milliseconds; 0 stores nothing. */
  readonly ttlMs: number
  /** A denial. Denials have a bound of their own, so that any number of them evicts no accepted answer. */
  readonly refused?: boolean
}

/**
 * A bounded cache of answers that cost a request. Callers that need the same key while its request is in flight share
 * that request; a failure is shared too, but never stored. Accepted and refused answers have a bound each; when one is
 * reached, the least recently used entry of that kind is evicted.
 */
export class AnswerCache<T> {
  readonly #accepted: Entries<T>
  readonly #refused: Entries<T>
  readonly #underWay = new Map<string, Promise<T>>()
  readonly #now: () => number

  constructor(options: { readonly capacity: number; readonly now: () => number }) {
    this.#accepted = new Entries(options.capacity)
    this.#refused = new Entries(options.capacity)
    this.#now = options.now
  }

  /** The cached answer synchronously, or that of `request`. */
  get(key: string, request: () => Promise<Answer<T>>): T | Promise<T> {
    const now = this.#now()
    const entry = this.#accepted.read(key, now) ?? this.#refused.read(key, now)
    if (entry) return entry.value
    return this.renew(key, request)
  }

  /** The answer of `request`, whatever is cached; that of one under way where there is one. */
  renew(key: string, request: () => Promise<Answer<T>>): Promise<T> {
    const pending = this.#underWay.get(key)
    if (pending) return pending
    const requested = this.#request(key, request)
    this.#underWay.set(key, requested)
    return requested
  }

  /** What is cached under a key does not hold any more. A request under way goes on. */
  forget(key: string): void {
    this.#accepted.forget(key)
    this.#refused.forget(key)
  }

  async #request(key: string, request: () => Promise<Answer<T>>): Promise<T> {
    try {
      const { value, ttlMs, refused } = await request()
      this.forget(key)
      const expires = this.#now() + ttlMs
      if (ttlMs > 0) (refused ? this.#refused : this.#accepted).write(key, { value, expires })
      return value
    } finally {
      this.#underWay.delete(key)
    }
  }
}

interface Entry<T> {
  readonly value: T
  readonly expires: number
}

/** As many entries as allowed; the one that was unused for longest makes room for a new one. */
class Entries<T> {
  readonly #entries = new Map<string, Entry<T>>()
  /** Its place is right already. Each other change of places makes garbage, at every request. */
  #newest: string | undefined

  constructor(readonly capacity: number) {}

  read(key: string, now: number): Entry<T> | undefined {
    const entry = this.#entries.get(key)
    if (!entry || entry.expires <= now) return undefined
    if (this.#newest !== key) this.#place(key, entry)
    return entry
  }

  write(key: string, entry: Entry<T>): void {
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= this.capacity && oldest !== undefined) this.#entries.delete(oldest)
    this.#place(key, entry)
  }

  forget(key: string): void {
    this.#entries.delete(key)
  }

  #place(key: string, entry: Entry<T>): void {
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    this.#newest = key
  }
}

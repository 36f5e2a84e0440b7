import { isAway } from '../errors/is-away.js'

/** A caller waits so long for an answer where the last one may stand in, milliseconds. */
const PATIENCE_MS = 2_000
/** While the last answer stands in, it is asked for again this often, milliseconds. */
const RETRY_MS = 1_000

/** The answer to a request, and how long it may be used. */
export interface Answer<T> {
  readonly value: T
  /** Milliseconds; 0 stores nothing. */
  readonly ttlMs: number
  /**
   * Milliseconds since the question for which the answer may stand in while nobody answers; none when absent. Only accepted answers do: a refusal
   * is not made to last.
   */
  readonly standInMs?: number
  /** A denial. Denials have a bound of their own, so that any number of them evicts no accepted answer. */
  readonly refused?: boolean
}

/**
 * A bounded cache of answers that cost a request. Callers that need the same key while its request is in flight share
 * that request; a failure is shared too, but never stored. Refused answers, accepted ones, and accepted ones that may stand in while who is asked
 * does not answer have a bound each; when one is reached, the least recently used entry of that kind is evicted. So callers who make any number of
 * tokens that are verified here take from nobody what may stand in for the host.
 */
export class AnswerCache<T> {
  readonly #lasting: Entries<T>
  readonly #accepted: Entries<T>
  readonly #refused: Entries<T>
  readonly #underWay = new Map<string, Promise<T>>()
  readonly #now: () => number
  readonly #standingIn: () => void

  /** @param options.standingIn called each time that the last answer stands in */
  constructor(options: {
    readonly capacity: number
    readonly now: () => number
    readonly standingIn?: () => void
  }) {
    this.#standingIn = options.standingIn ?? (() => undefined)
    this.#lasting = new Entries(options.capacity)
    this.#accepted = new Entries(options.capacity)
    this.#refused = new Entries(options.capacity)
    this.#now = options.now
  }

  /** The cached answer synchronously, or that of `request`. */
  get(key: string, request: () => Promise<Answer<T>>): T | Promise<T> {
    const now = this.#now()
    const entry =
      this.#lasting.read(key, now) ?? this.#accepted.read(key, now) ?? this.#refused.read(key, now)
    if (entry) return entry.value
    const last = this.#lasting.last(key)
    return last && now < last.standsInUntil ? this.#orLast(key, request, last) : this.renew(key, request)
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
    this.#lasting.forget(key)
    this.#accepted.forget(key)
    this.#refused.forget(key)
  }

  /** The answer, or the last one where nobody answers, or not soon. Once nobody did, no caller waits for the next attempt. */
  #orLast(key: string, request: () => Promise<Answer<T>>, last: Entry<T>): T | Promise<T> {
    const now = this.#now()
    if (last.retryAt === undefined) return this.#firstOrLast(key, request, last)
    if (now >= last.retryAt) {
      last.retryAt = now + RETRY_MS
      this.renew(key, request).catch(error => {
        // Who answers otherwise than with an answer is there: the next caller hears it.
        if (!isAway(error)) this.forget(key)
      })
    }
    this.#standingIn()
    return last.value
  }

  async #firstOrLast(key: string, request: () => Promise<Answer<T>>, last: Entry<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const silent = new Promise<undefined>(resolve => {
      timer = setTimeout(() => resolve(undefined), PATIENCE_MS)
      timer.unref()
    })
    const answer = this.renew(key, request)
    try {
      const first = await Promise.race([answer.then(value => ({ value })), silent])
      if (first) return first.value
      answer.catch(() => undefined)
    } catch (error) {
      if (!isAway(error)) throw error
    } finally {
      clearTimeout(timer)
    }
    last.retryAt = this.#now() + RETRY_MS
    this.#standingIn()
    return last.value
  }

  async #request(key: string, request: () => Promise<Answer<T>>): Promise<T> {
    try {
      const askedAt = this.#now()
      const { value, ttlMs, standInMs = 0, refused } = await request()
      this.forget(key)
      const [expires, standsInUntil] = [this.#now() + ttlMs, askedAt + standInMs]
      const entries = refused ? this.#refused : standInMs > 0 ? this.#lasting : this.#accepted
      if (ttlMs > 0) entries.write(key, { value, expires, standsInUntil })
      return value
    } finally {
      this.#underWay.delete(key)
    }
  }
}

interface Entry<T> {
  readonly value: T
  readonly expires: number
  readonly standsInUntil: number
  /** When it is asked again; absent until nobody answered. */
  retryAt?: number
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

  /** Whatever its age. */
  last(key: string): Entry<T> | undefined {
    return this.#entries.get(key)
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

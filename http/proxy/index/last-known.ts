import { isAway } from '../../errors/is-away.js'
import { shortKey } from '../../identity/short-key.js'

/** An answer of an instance, and its time. */
export interface Known<T> {
  readonly value: T
  /** When the question was sent, milliseconds of the clock that was given. */
  readonly askedAt: number
  /** The instance did not answer just now: this is its last answer. */
  readonly old: boolean
}

/** How one answer is requested and how long it counts. */
export interface Question<T> {
  readonly ask: () => Promise<T>
  /** Milliseconds for which an answer is taken without asking again; 0 for never. */
  readonly freshMs: (value: T) => number
  /** Whether the last answer may stand in while the instance does not answer. */
  readonly standsIn: (last: { readonly value: T; readonly askedAt: number }) => boolean
}

/**
 * A bounded memory of answers of instances that may be away. Callers with the same question share one request. When the
 * memory is full, the answer that was stored first goes.
 */
export class LastKnown<T> {
  readonly #answers = new Map<string, { readonly value: T; readonly askedAt: number }>()
  readonly #underWay = new Map<string, Promise<Known<T>>>()

  constructor(readonly options: { readonly capacity: number; readonly now: () => number }) {}

  /** @param text names the question @throws what the request throws, unless the last answer may stand in for it */
  get(text: string, question: Question<T>): Promise<Known<T>> {
    const key = shortKey(text)
    const last = this.#answers.get(key)
    if (last && this.options.now() - last.askedAt < question.freshMs(last.value))
      return Promise.resolve({ ...last, old: false })
    const pending = this.#underWay.get(key) ?? this.#ask(key, question)
    this.#underWay.set(key, pending)
    return pending
  }

  async #ask(key: string, { ask, standsIn }: Question<T>): Promise<Known<T>> {
    const askedAt = this.options.now()
    try {
      const value = await ask()
      this.#answers.delete(key)
      this.#store(key, { value, askedAt })
      return { value, askedAt, old: false }
    } catch (error) {
      const last = this.#answers.get(key)
      if (last && isAway(error) && standsIn(last)) return { ...last, old: true }
      this.#answers.delete(key)
      throw error
    } finally {
      this.#underWay.delete(key)
    }
  }

  #store(key: string, answer: { readonly value: T; readonly askedAt: number }): void {
    const [oldest] = this.#answers.keys()
    if (this.#answers.size >= this.options.capacity && oldest !== undefined) this.#answers.delete(oldest)
    this.#answers.set(key, answer)
  }
}

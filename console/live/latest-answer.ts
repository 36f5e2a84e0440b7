import { type Clock, clock } from './clock.js'

/** What is known of the question that was asked last. */
export interface Known<A> {
  /** The last answer that came. */
  readonly answer?: A
  /** What it answers. */
  readonly to?: string
  /** When it came, milliseconds since 1970. */
  readonly at?: number
  /** Why there is none to the last question. */
  readonly problem?: Error
  readonly isAsking: boolean
}

/** A person who types is not asked for at each letter, milliseconds. */
export const PAUSE_MS = 400

/**
 * The answer to the newest of many questions, such as a text that is being typed: it is asked after a pause, and one that a newer has overtaken is
 * given up. The answer before stays until there is another.
 */
export class LatestAnswer<A> {
  #known: Known<A> = { isAsking: false }
  #question: string | undefined
  #asked: AbortController | undefined
  #cancelPause: (() => void) | undefined
  readonly #readers = new Set<() => void>()

  constructor(
    private readonly answerTo: (question: string, signal: AbortSignal) => Promise<A>,
    private readonly time: Clock = clock,
  ) {}

  /** The same object until something changes. */
  readonly known = (): Known<A> => this.#known

  readonly subscribe = (reader: () => void): (() => void) => {
    this.#readers.add(reader)
    return () => void this.#readers.delete(reader)
  }

  /** The same question is not asked twice in a row. @param pause milliseconds before it is asked */
  ask(question: string, pause = PAUSE_MS): void {
    if (question === this.#question) return
    this.stop()
    this.#question = question
    const { problem: _, ...rest } = this.#known
    this.#show({ ...rest, isAsking: true })
    this.#cancelPause = this.time.later(() => void this.#run(question), pause)
  }

  /** Asks the last question again. */
  again(): void {
    const question = this.#question
    this.#question = undefined
    if (question !== undefined) this.ask(question, 0)
  }

  /** Gives up what is under way. */
  stop(): void {
    this.#cancelPause?.()
    this.#asked?.abort()
    this.#question = undefined
  }

  /** It never rejects. */
  async #run(question: string): Promise<void> {
    const asked = new AbortController()
    this.#asked = asked
    try {
      const answer = await this.answerTo(question, asked.signal)
      if (!asked.signal.aborted) this.#show({ answer, to: question, at: this.time.now(), isAsking: false })
    } catch (error) {
      if (asked.signal.aborted) return
      const problem = error instanceof Error ? error : new Error(String(error))
      this.#show({ ...this.#known, problem, isAsking: false })
    }
  }

  #show(known: Known<A>): void {
    this.#known = known
    for (const reader of this.#readers) reader()
  }
}

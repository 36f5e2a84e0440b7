import { type Clock, clock } from './clock.js'

/** The answer to the last question, as far as there is one. */
export interface AnswerState<A> {
  /** The last answer that came. It may answer an earlier question. */
  readonly answer?: A
  /** The question that it answers. */
  readonly question?: string
  /** When the answer came, milliseconds since 1970. */
  readonly answeredAt?: number
  /** Why the last question has no answer. */
  readonly problem?: Error
  readonly isLoading: boolean
}

/** The pause before a question is sent, milliseconds, so that typing does not send a request for each letter. */
export const PAUSE_MS = 400

/**
 * The answer to the newest of many questions, such as a text that is being typed. A question is sent after a pause; a newer one aborts it. The last
 * answer stays until the next one comes.
 */
export class LatestAnswer<A> {
  #state: AnswerState<A> = { isLoading: false }
  #question: string | undefined
  #request: AbortController | undefined
  #cancelPause: (() => void) | undefined
  readonly #subscribers = new Set<() => void>()

  constructor(
    private readonly answerTo: (question: string, signal: AbortSignal) => Promise<A>,
    private readonly time: Clock = clock,
  ) {}

  /** The same object until something changes. */
  readonly state = (): AnswerState<A> => this.#state

  readonly subscribe = (subscriber: () => void): (() => void) => {
    this.#subscribers.add(subscriber)
    return () => void this.#subscribers.delete(subscriber)
  }

  /** Asks a question, unless it is the last one already. @param pause milliseconds before it is sent */
  ask(question: string, pause = PAUSE_MS): void {
    if (question === this.#question) return
    this.stop()
    this.#question = question
    const { problem: _, ...rest } = this.#state
    this.#show({ ...rest, isLoading: true })
    this.#cancelPause = this.time.later(() => void this.#run(question), pause)
  }

  /** Asks the last question retry. */
  retry(): void {
    const question = this.#question
    this.#question = undefined
    if (question !== undefined) this.ask(question, 0)
  }

  /** Aborts the current question. */
  stop(): void {
    this.#cancelPause?.()
    this.#request?.abort()
    this.#question = undefined
  }

  /** Never rejects. */
  async #run(question: string): Promise<void> {
    const request = new AbortController()
    this.#request = request
    try {
      const answer = await this.answerTo(question, request.signal)
      if (!request.signal.aborted)
        this.#show({ answer, question, answeredAt: this.time.now(), isLoading: false })
    } catch (error) {
      if (request.signal.aborted) return
      const problem = error instanceof Error ? error : new Error(String(error))
      this.#show({ ...this.#state, problem, isLoading: false })
    }
  }

  #show(state: AnswerState<A>): void {
    this.#state = state
    for (const subscriber of this.#subscribers) subscriber()
  }
}

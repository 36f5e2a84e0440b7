import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import { type Failure, unavailable } from '../errors/failure.js'

/** A review that got no answer for so long is late, milliseconds: as long as the host has for a sign of life. */
export const LATE_MS = 4_000
/** Of this time an answer that has come needs so much to be read, milliseconds. */
const READ_MS = 200
/** So many reviews in a row without an answer are a failure of the host, and of none of their callers. */
const MOST_FAILED = 3
/** While they fail, the host is asked by a review of Kairship's own, so long after the last one, milliseconds. */
export const PROBE_AFTER_MS = 1_000
/** That one is waited for so long, milliseconds. */
export const PROBE_PATIENCE_MS = 2_000

/** What the host is asked: whose a token is, or who may do what. */
export type ReviewKind = 'token' | 'access'

/** Who asks the host for reviews, and whom their failure concerns. */
export interface HostReviewsOptions {
  readonly kind: ReviewKind
  /** A review of nobody. @throws where it was not answered within the time, milliseconds */
  readonly probe: (timeoutMs: number) => Promise<unknown>
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number
  readonly log: Log
  readonly meter: Meter
  /** Ends the probing. */
  readonly stopping?: AbortSignal
  /** Does work once after so many milliseconds, unless what it returns is called before. */
  readonly after?: (ms: number, work: () => void) => () => void
}

/**
 * The reviews of one kind that the host is asked for. While it answers none of them, though it may answer all else, callers do not wait for it one by
 * one: further ones are refused at once until a review of Kairship's own is answered. What a host answers late for some tokens alone is not told apart
 * from that: others then wait for a second, and are not refused for longer.
 */
export class HostReviews {
  /** Ends the wait of those who wait. */
  readonly #waiting = new Set<(refusal: Failure) => void>()
  readonly #after: NonNullable<HostReviewsOptions['after']>
  /** Late in a row, with no answer of any kind in between. */
  #late = 0
  /** Failed in a row, late or not. */
  #failed = 0
  #failingSince: number | undefined
  #why = ''
  #isProbing = false

  constructor(private readonly options: HostReviewsOptions) {
    this.#after = options.after ?? afterUnref
    this.#meter(true)
  }

  /** Why none are answered now, in words, and for how long; undefined while they are. */
  get problem(): string | undefined {
    if (this.#failed < MOST_FAILED || this.#failingSince === undefined) return undefined
    const seconds = Math.round((this.options.now() - this.#failingSince) / 1_000)
    return `${WHAT[this.options.kind]}: the host has answered none for ${seconds} s: ${this.#why}`
  }

  /**
   * Asks for a review.
   * @throws Failure UNAVAILABLE at once while none are answered, and as soon as that is known; what the work throws
   */
  ask<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isHanging) return Promise.reject(this.#refusal())
    const askedAt = this.options.now()
    return new Promise<T>((resolve, reject) => {
      let isLate = false
      const late = () => {
        isLate = true
        this.#late += 1
        this.#noAnswer(askedAt, `not within ${LATE_MS / 1_000} s`)
      }
      // Where this process itself stood still for so long, its answer may have come and not been read yet.
      let noLonger = this.#after(LATE_MS - READ_MS, () => {
        noLonger = this.#after(READ_MS, late)
      })
      const over = () => {
        noLonger()
        this.#waiting.delete(reject)
      }
      this.#waiting.add(reject)
      work().then(
        value => {
          over()
          this.#answered()
          resolve(value)
        },
        error => {
          over()
          if (!isLate) this.#refused(askedAt, error)
          reject(error)
        },
      )
    })
  }

  get #isHanging(): boolean {
    return this.#late >= MOST_FAILED
  }

  #refusal(): Failure {
    return unavailable(`${this.problem}; ask again in a moment`, { retryAfterSeconds: 1 })
  }

  #answered(): void {
    const wasFailing = this.problem !== undefined
    ;[this.#late, this.#failed, this.#failingSince] = [0, 0, undefined]
    if (!wasFailing) return
    this.#meter(true)
    this.options.log.info({ of: this.options.kind }, 'the host answers reviews again')
  }

  /** It fails soon: nobody waits long for that. */
  #refused(askedAt: number, error: unknown): void {
    this.#late = 0
    this.#noAnswer(askedAt, error instanceof Error ? error.message : String(error))
  }

  #noAnswer(askedAt: number, why: string): void {
    const wasFailing = this.problem !== undefined
    this.#failed += 1
    this.#failingSince ??= askedAt
    this.#why = why
    if (this.#isHanging) for (const refuse of this.#waiting) refuse(this.#refusal())
    const { problem } = this
    if (wasFailing || problem === undefined) return
    this.#meter(false)
    this.options.log.warn({ problem }, 'the host answers no reviews')
    this.#probeLater()
  }

  #probeLater(): void {
    if (this.#isProbing || this.options.stopping?.aborted) return
    this.#isProbing = true
    this.#after(PROBE_AFTER_MS, () => void this.#probe())
  }

  /** Never rejects. */
  async #probe(): Promise<void> {
    const askedAt = this.options.now()
    try {
      if (this.problem === undefined) return
      await this.options.probe(PROBE_PATIENCE_MS)
      this.#answered()
    } catch (error) {
      if (this.options.now() - askedAt < PROBE_PATIENCE_MS) this.#refused(askedAt, error)
    } finally {
      this.#isProbing = false
      if (this.problem !== undefined) this.#probeLater()
    }
  }

  #meter(isAnswered: boolean): void {
    this.options.meter.gauge('kairship_host_reviews_answered', isAnswered ? 1 : 0, { of: this.options.kind })
  }
}

const WHAT: Readonly<Record<ReviewKind, string>> = { token: 'TokenReview', access: 'SubjectAccessReview' }

function afterUnref(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms)
  timer.unref()
  return () => clearTimeout(timer)
}

import { resourceExhausted } from '../errors/failure.js'
import { ConcurrencyLimit } from '../limits/concurrency-limit.js'
import { sourceOf } from '../listener/source-address.js'

/** Token reviews of one source under way at once with one judge: one each for the callers behind a gateway that start together. */
const AT_ONCE = 64
/** Refused tokens of one source in `WINDOW_MS`. A client that has a wrong token sends the same one, which is remembered. */
const REFUSALS = 100
/** A token whose expressions were stopped counts as so many: each held up this process for a quarter of a second, four for one in ten. */
export const RAN_TOO_LONG = 25
const WINDOW_MS = 10_000
/** Sources that are counted in one window. Beyond them a new window begins, which forgives at most what it forgets. */
const SOURCES = 10_000
/** Tokens that were accepted once, whose later reviews no quota refuses. */
const KNOWN_TOKENS = 16_384

/** One review of a token. */
export interface TokenReviewing<T> {
  /** Address of the connection; a review without one is not bounded. */
  readonly address: string | undefined
  /** Names the token without being it. */
  readonly key: string
  /** Who says whose token it is: the host, or an issuer. While one of them hangs, the places for reviews by the others stay free. */
  readonly judge: string
  readonly work: () => Promise<T>
  /** As how many refused tokens an answer counts; 0 for one that is accepted. */
  readonly chargeOf: (answer: T) => number
}

/**
 * Bounds what one source can cost the host by invented tokens: each unknown token is a TokenReview. A token that was
 * accepted before is reviewed whatever its source sends otherwise: a load balancer or a gateway puts all callers behind one
 * address, and one of them must not lock out the others as soon as their acceptances expire. Only callers whose first request
 * comes while the quota is used up have to wait.
 */
export class ReviewQuota {
  readonly #underWay = new ConcurrencyLimit('token reviews under way', AT_ONCE)
  readonly #refusals = new Map<string, number>()
  /** Keys of accepted tokens, the one that was reviewed longest ago first. */
  readonly #known = new Set<string>()
  #windowEnds = 0

  constructor(readonly now: () => number) {}

  /** Runs one review. @throws Failure RESOURCE_EXHAUSTED; what the review throws */
  async review<T>({ address, key, judge, work, chargeOf }: TokenReviewing<T>): Promise<T> {
    if (address === undefined) return work()
    const source = sourceOf(address)
    if (this.#known.has(key)) return this.#noted(key, source, await work(), chargeOf)
    if (this.#countOf(source) >= REFUSALS) {
      throw resourceExhausted(
        `${source} sent too many tokens that are not accepted: wait, then send a valid one`,
        {
          retryAfterSeconds: Math.max(1, Math.ceil((this.#windowEnds - this.now()) / 1_000)),
        },
      )
    }
    const release = this.#underWay.take(`${source} ${judge}`, source)
    try {
      return this.#noted(key, source, await work(), chargeOf)
    } finally {
      release()
    }
  }

  #noted<T>(key: string, source: string, answer: T, chargeOf: (answer: T) => number): T {
    this.#known.delete(key)
    const charge = chargeOf(answer)
    if (charge > 0) this.#refusals.set(source, this.#countOf(source) + charge)
    else {
      const [oldest] = this.#known
      if (this.#known.size >= KNOWN_TOKENS && oldest !== undefined) this.#known.delete(oldest)
      this.#known.add(key)
    }
    return answer
  }

  #countOf(source: string): number {
    if (this.now() >= this.#windowEnds || this.#refusals.size >= SOURCES) {
      this.#refusals.clear()
      this.#windowEnds = this.now() + WINDOW_MS
    }
    return this.#refusals.get(source) ?? 0
  }
}

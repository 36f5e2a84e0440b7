import { resourceExhausted } from '../../errors/failure.js'
import { ConcurrencyLimit } from '../../limits/concurrency-limit.js'

/** Reviews of one caller under way. */
const MOST_OF_A_CALLER = 4
/** Reviews of all callers under way in this process: each reads the RBAC of one control plane at least, up to 32 MiB in memory. */
const MOST_OF_ALL = 16
/** How long one usually takes. */
const RETRY_AFTER_SECONDS = 2

/** What explanations, lists of subjects and previews may be under way at once: they are the most expensive reads that there are. */
export class ReviewLimits {
  readonly #ofCallers = new ConcurrencyLimit('access reviews under way', MOST_OF_A_CALLER)
  #underWay = 0

  constructor(private readonly mostOfAll: number = MOST_OF_ALL) {}

  /** Runs a review in a place of its own. @throws Failure RESOURCE_EXHAUSTED where there is none, and what the review throws */
  async within<T>(user: string, review: () => Promise<T>): Promise<T> {
    const giveBack = this.#ofCallers.take(user)
    try {
      if (this.#underWay >= this.mostOfAll)
        throw resourceExhausted(
          `${this.#underWay} access reviews of all callers are under way, the most at once: try again in ${RETRY_AFTER_SECONDS} seconds`,
          { retryAfterSeconds: RETRY_AFTER_SECONDS },
        )
      this.#underWay += 1
      try {
        return await review()
      } finally {
        this.#underWay -= 1
      }
    } finally {
      giveBack()
    }
  }
}

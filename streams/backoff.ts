/** How failures in a row are spaced. */
export interface Backoff {
  /** Upper bound of the first pause, milliseconds. */
  readonly firstMs: number
  /** Upper bound of every pause, milliseconds. */
  readonly longestMs: number
  /** Failures count as in a row until there was none for this long, milliseconds. */
  readonly quietMs: number
}

/** client-go's reflector: 800 ms doubling to 30 s, forgotten after 2 minutes without failure. */
export const CLIENT_GO_BACKOFF: Backoff = { firstMs: 800, longestMs: 30_000, quietMs: 120_000 }

/**
 * How long to wait after the `attempt`-th failure in a row (from 1): anywhere between nothing and a bound that doubles
 * ("full jitter"), so that many clients of one recovering server come back spread out.
 * @param random a number in [0, 1)
 */
export function fullJitter({ firstMs, longestMs }: Backoff, attempt: number, random: number): number {
  // 2 ** 1024 is Infinity, which the minimum absorbs: no attempt is too high.
  return Math.round(random * Math.min(longestMs, firstMs * 2 ** (attempt - 1)))
}

/** Counts failures in a row, for the back-off alone. */
export class FailureStreak {
  #count = 0
  #quietAt = Number.NEGATIVE_INFINITY

  constructor(readonly backoff: Backoff) {}

  /**
   * Another failure.
   * @param now milliseconds on a clock that does not jump
   * @returns how many that makes in a row, from 1
   */
  failed(now: number): number {
    this.#count = now >= this.#quietAt ? 1 : this.#count + 1
    // A pause is no sign of health: the quiet period counts from its end, which is at most the longest pause away.
    this.#quietAt = now + this.backoff.longestMs + this.backoff.quietMs
    return this.#count
  }

  /** A success long enough to forget the failures before it. */
  end(): void {
    this.#count = 0
  }
}

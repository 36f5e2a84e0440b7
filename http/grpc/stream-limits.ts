import { ConcurrencyLimit } from '../limits/concurrency-limit.js'

/** Bounds of streams that no dispatcher counts: health watches, which anyone may open, and reflection. */
export interface StreamLimits {
  /** For one peer address or caller. */
  readonly each: number
  /** For this server. */
  readonly all: number
  /** Milliseconds after which a stream ends; its client opens another. */
  readonly lifeMs: number
}

/** As many as the gRPC clients of a large node have behind one address; a thousand idle streams cost about 10 MB. */
export const HEALTH_WATCHES: StreamLimits = { each: 100, all: 1_000, lifeMs: 30 * 60_000 }
/** A tool reads the descriptors and is done; interactive ones hold the stream for some time. */
export const REFLECTION_STREAMS: StreamLimits = { each: 10, all: 200, lifeMs: 5 * 60_000 }

/** Counts open streams by owner and in all. */
export class OpenStreams {
  readonly #each: ConcurrencyLimit
  readonly #all: ConcurrencyLimit

  constructor(
    what: string,
    readonly limits: StreamLimits,
  ) {
    this.#each = new ConcurrencyLimit(what, limits.each)
    this.#all = new ConcurrencyLimit(what, limits.all)
  }

  /**
   * Takes one slot and calls `expire` when its life is over. Returns what gives the slot back (idempotent).
   * @throws Failure RESOURCE_EXHAUSTED at either limit
   */
  open(owner: string, expire: () => void): () => void {
    const ofOwner = this.#each.take(owner)
    let ofAll: () => void
    try {
      ofAll = this.#all.take('this server')
    } catch (error) {
      ofOwner()
      throw error
    }
    const timer = setTimeout(expire, this.limits.lifeMs)
    timer.unref()
    return () => {
      clearTimeout(timer)
      ofOwner()
      ofAll()
    }
  }
}

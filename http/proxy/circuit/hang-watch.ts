import { InFlight, type Place } from '../../live/in-flight.js'

/** A request without an answer so far. */
export interface Waiting {
  readonly path: string
  /** Ends it with this error. */
  readonly giveUp: (error: Error) => void
}

/** Checks whether the server answers by now, when requests wait for long. It never rejects. */
export type Check = (paths: readonly string[]) => Promise<void>

/** A request that waits for this long makes us ask whether the server answers anything at all. Each time the next wait is twice as long. */
const SUSPECT_MS = 2_000
const LONGEST_SUSPICION_MS = 16_000
/** How often waiting requests are looked at, while there are any. */
const LOOK_MS = 500

interface Watched {
  readonly waiting: Waiting
  checkAt: number
  intervalMs: number
  place?: Place
}

/**
 * Notices requests that wait unusually long, so that a server that hangs is distinguished from one that works on a long answer. It
 * costs one timer for all requests of a server, and a check only when a request waits for seconds.
 */
export class HangWatch {
  readonly #watched = new InFlight<Watched>()
  #timer: NodeJS.Timeout | undefined
  #dueAt = 0
  #checking = false

  constructor(
    readonly now: () => number,
    readonly check: Check,
  ) {}

  /** Watches a request, until it leaves. */
  add(waiting: Waiting): Place {
    const watched: Watched = { waiting, checkAt: this.now() + SUSPECT_MS, intervalMs: SUSPECT_MS }
    const place = this.#watched.add(watched)
    watched.place = place
    if (!this.#timer) this.#arm()
    return place
  }

  /** Ends those of the requests that the server will not answer. */
  giveUp(isHopeless: (path: string) => boolean, error: () => Error): void {
    for (const { waiting, place } of this.#watched) {
      if (!isHopeless(waiting.path)) continue
      place?.leave()
      waiting.giveUp(error())
    }
  }

  #arm(): void {
    this.#dueAt = this.now() + LOOK_MS
    this.#timer = setTimeout(() => this.#look(), LOOK_MS)
    this.#timer.unref()
  }

  #look(): void {
    this.#timer = undefined
    if (this.#watched.size === 0) return
    const now = this.now()
    // Where this process stood still, so did the reading of answers: requests get that time back.
    const lateMs = now - this.#dueAt
    const suspects: string[] = []
    for (const watched of this.#watched) {
      if (lateMs > LOOK_MS) watched.checkAt += lateMs
      if (this.#checking || now < watched.checkAt) continue
      watched.intervalMs = Math.min(watched.intervalMs * 2, LONGEST_SUSPICION_MS)
      watched.checkAt = now + watched.intervalMs
      suspects.push(watched.waiting.path)
    }
    if (suspects.length > 0) {
      this.#checking = true
      void this.check(suspects).then(() => {
        this.#checking = false
      })
    }
    this.#arm()
  }
}

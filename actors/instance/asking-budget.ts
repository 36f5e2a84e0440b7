import { measureBusyness } from './busyness.js'

/**
 * So many times a second a fleet may be asked how it is while nothing happens: 25 for a thousand instances, 150 for ten thousand.
 * A thousand at rest take 10 % of a core with it, and took a third before (bench/README.md).
 */
export const asksPerSecond = (fleetSize: number): number => 11 + 0.0139 * fleetSize
/** What is in doubt may be asked so many times as often as all that is well. */
const IN_DOUBT_TIMES = 4
/** So many seconds' worth of asks that were not used can be made up for at once. */
const BURST_SECONDS = 0.25
/** The event loop is measured again after so long, milliseconds. */
const MEASURED_EVERY_MS = 1_000
/** Up to this share of the time at work, an event loop serves its callers without delay; beyond, they come before asks. */
const BUSY_FROM = 0.5
/** However busy, so large a part of the asks is kept: what nobody asks goes unnoticed when it breaks. */
const LEAST = 0.25

/** How much hangs on an ask: `doubt` where the last answer was bad, or somebody is being served from what is asked about. */
export type Urgency = 'doubt' | 'calm'

interface Asker {
  readonly begin: () => void
  readonly cost: number
}

/** Asks of one urgency: in order of arrival, at a rate. */
class Lane {
  readonly #waiting = new Set<Asker>()
  #left = 1
  #at = performance.now()

  add(asker: Asker): void {
    this.#waiting.add(asker)
  }
  delete(asker: Asker): void {
    this.#waiting.delete(asker)
  }

  /** Lets begin who may. @returns milliseconds until the next may; undefined when no one waits */
  serve(now: number, perSecond: number): number | undefined {
    const most = Math.max(1, perSecond * BURST_SECONDS)
    this.#left = Math.min(most, this.#left + ((now - this.#at) / 1_000) * perSecond)
    this.#at = now
    for (const asker of this.#waiting) {
      if (this.#left < 1) return ((1 - this.#left) / perSecond) * 1_000
      this.#left -= asker.cost
      this.#waiting.delete(asker)
      asker.begin()
    }
    return undefined
  }
}

/**
 * What all instances together may spend on being asked how they are: probes, canaries and counts. A small fleet notices
 * nothing of it; in a large one, and while the event loop is busy, the same asks come less often, each in its turn. So a fleet
 * that outgrows its process learns of changes later, and goes on.
 */
export class AskingBudget {
  readonly #lanes: Record<Urgency, Lane> = { doubt: new Lane(), calm: new Lane() }
  #timer: NodeJS.Timeout | undefined
  #busyness: () => number
  #measuredAt = performance.now()
  #share = 1

  /**
   * @param fleetSize how many instances there are now
   * @param measure begins to measure how busy the event loop is
   */
  constructor(
    private readonly fleetSize: () => number,
    private readonly measure: () => () => number = measureBusyness,
  ) {
    this.#busyness = measure()
  }

  /**
   * Resolves when the ask may begin.
   * @param cost how many usual asks this one is worth: one is about two requests
   * @throws the reason of `signal` when it aborts before that
   */
  turn(signal: AbortSignal, urgency: Urgency, cost = 1): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason)
    return new Promise((resolve, reject) => {
      const lane = this.#lanes[urgency]
      const abandon = (): void => {
        lane.delete(asker)
        reject(signal.reason)
      }
      const begin = (): void => {
        signal.removeEventListener('abort', abandon)
        resolve()
      }
      const asker = { begin, cost }
      signal.addEventListener('abort', abandon, { once: true })
      lane.add(asker)
      this.#serve()
    })
  }

  #serve(): void {
    const now = performance.now()
    this.#adapt(now)
    const perSecond = asksPerSecond(this.fleetSize()) * this.#share
    const { doubt, calm } = this.#lanes
    const next = [doubt.serve(now, perSecond * IN_DOUBT_TIMES), calm.serve(now, perSecond)]
    const soonest = Math.min(...next.filter(ms => ms !== undefined))
    clearTimeout(this.#timer)
    this.#timer = Number.isFinite(soonest) ? setTimeout(() => this.#serve(), soonest).unref() : undefined
  }

  #adapt(now: number): void {
    if (now - this.#measuredAt < MEASURED_EVERY_MS) return
    const over = Math.max(0, this.#busyness() - BUSY_FROM) / (1 - BUSY_FROM)
    this.#share = Math.max(LEAST, 1 - over)
    this.#measuredAt = now
    this.#busyness = this.measure()
  }
}

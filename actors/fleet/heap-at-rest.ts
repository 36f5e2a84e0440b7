import { setFlagsFromString } from 'node:v8'
import { measureBusyness } from '../instance/busyness.js'

/** How often the event loop is measured at rest, milliseconds. */
const LOOK_EVERY_MS = 5_000
/** An event loop that is at work for a larger part of the time has callers to serve: collections may not cost them more. */
const BUSY_FROM = 0.5

/**
 * Lets V8 keep its heap compact, or fast again. Of what instances allocate while they come up, most is garbage soon, and what stays
 * is scattered over pages that V8 does not give back. A leader of 70 instances held 270 KB more than was in use, divided by their number;
 * a part of that is there without instances. With this flag V8 moves objects out of pages of which a fifth is free (else 70 %), collects when
 * nothing happens, and lets the heap grow by 30 % between collections.
 *
 * V8 reads the flag at each of these decisions, so it can be changed at any time; Node.js has no other way to ask for it.
 */
export const compactHeap = (compact: boolean): void =>
  setFlagsFromString(compact ? '--optimize-for-size' : '--no-optimize-for-size')

/** Keeps the heap compact while no instance comes up and the event loop is mostly idle. */
export class HeapAtRest {
  #compact = false
  #looking: NodeJS.Timeout | undefined

  /**
   * @param compact changes how the heap is kept; called only when that changes
   * @param measure begins to measure how busy the event loop is
   */
  constructor(
    private readonly compact: (compact: boolean) => void,
    private readonly measure: () => () => number = measureBusyness,
  ) {}

  /** A start-up burst began or ended. */
  burst(underWay: boolean): void {
    clearInterval(this.#looking)
    this.#set(!underWay)
    if (!underWay) this.#look()
  }

  /** Leaves the heap as V8 keeps it by itself. */
  stop(): void {
    clearInterval(this.#looking)
    this.#set(false)
  }

  #look(): void {
    let busyness = this.measure()
    this.#looking = setInterval(() => {
      this.#set(busyness() <= BUSY_FROM)
      busyness = this.measure()
    }, LOOK_EVERY_MS).unref()
  }

  #set(compact: boolean): void {
    if (compact !== this.#compact) this.compact(compact)
    this.#compact = compact
  }
}

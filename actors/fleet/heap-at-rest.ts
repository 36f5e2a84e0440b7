import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { measureBusyness } from '../instance/busyness.js'

/** How often the event loop is measured at rest, milliseconds: a caller pays for a compact heap no longer than this. */
const LOOK_EVERY_MS = 1_000
/**
 * An event loop that is at work for a larger part of the time has callers to serve. A compact heap has a new space of 1 MB, and what is
 * collected there costs a request of the proxy 0.1 ms, nearly as much as all the rest of it. A fleet at rest is to take less than this part, whatever its size.
 */
const BUSY_FROM = 0.3
/** The event loop has been idle for so long before the heap is kept compact again, milliseconds: callers come in waves. */
const CALM_FOR_MS = 30_000
/** So many full collections after a burst move everything: one may have begun, and chosen what it moves, before it ended. */
const MOVING_COLLECTIONS = 2
/** A larger heap is not moved at once. Moving stops the process: 0.2 s of CPU for 145 MB that live, and some of this is garbage. */
const LARGEST_MOVED_BYTES = 1_536 << 20

/**
 * By how much a compact heap grows until it is collected. V8 takes 10 % where little is allocated, and a fleet at rest fills that with the states and requests of
 * half a minute; each full collection costs the more the larger the heap is (docs/adr/0097-a-heap-at-rest-grows-by-a-fifth.md).
 */
const GROWTH_PERCENT = 20

/** `fast`: as V8 keeps it by itself. `compact`: free pages are given back. `moving`: a full collection leaves no page partly free. */
export type HeapManner = 'fast' | 'compact' | 'moving'

/**
 * Says how V8 keeps its heap. Of what instances allocate while they come up, most is garbage soon, and what stays
 * is scattered over pages that V8 does not give back: with three thousand instances, as much as three quarters of what lives. With
 * `--optimize-for-size` V8 moves objects out of pages of which a fifth is free (else 70 %) and collects when nothing happens. But each
 * collection moves some megabytes at most, which a large heap takes dozens of; with `--compact-on-every-full-gc` one moves all.
 *
 * V8 reads the flags at each of these decisions, so they can be changed at any time; Node.js has no other way to ask for it.
 */
export function keepHeap(manner: HeapManner): void {
  setFlagsFromString(manner === 'fast' ? '--no-optimize-for-size' : '--optimize-for-size')
  // While it is moved, the two collections are to come soon.
  setFlagsFromString(`--heap-growing-percent=${manner === 'compact' ? GROWTH_PERCENT : 0}`)
  setFlagsFromString(manner === 'moving' ? '--compact-on-every-full-gc' : '--no-compact-on-every-full-gc')
}

/** Looks at V8's heap; a test replaces it. */
export interface HeapObserved {
  /** What is in use, garbage that was not collected yet included. */
  usedBytes(): number
  /** Calls back after each full collection, until the returned function is called. */
  collections(then: () => void): () => void
}

/** `NODE_PERFORMANCE_GC_MAJOR`, the kind of a full collection in the entries of `node:perf_hooks`. */
const FULL = 4

const thisProcess: HeapObserved = {
  usedBytes: () => getHeapStatistics().used_heap_size,
  collections(then) {
    const observer = new PerformanceObserver(list => {
      // Node's types know the details of no entry.
      for (const entry of list.getEntries() as readonly (PerformanceEntry & { detail?: { kind?: number } })[])
        if (entry.detail?.kind === FULL) then()
    })
    observer.observe({ entryTypes: ['gc'] })
    return () => observer.disconnect()
  },
}

/** Keeps the heap compact while no instance comes up and the event loop is mostly idle; after each burst it is moved together once. */
export class HeapAtRest {
  #manner: HeapManner = 'fast'
  #looking: NodeJS.Timeout | undefined
  /** Looks in a row that found the event loop idle. */
  #calmLooks = 0
  /** How many full collections are still to move everything. */
  #toMove = 0
  #stopCounting: () => void = () => undefined

  /**
   * @param keep changes how the heap is kept; called only when that changes
   * @param measure begins to measure how busy the event loop is
   */
  constructor(
    private readonly keep: (manner: HeapManner) => void,
    private readonly measure: () => () => number = measureBusyness,
    private readonly heap: HeapObserved = thisProcess,
  ) {}

  /** A start-up burst began or ended. */
  burst(underWay: boolean): void {
    this.#end()
    if (underWay) return
    if (this.heap.usedBytes() <= LARGEST_MOVED_BYTES) {
      this.#toMove = MOVING_COLLECTIONS
      this.#stopCounting = this.heap.collections(() => this.#collected())
    }
    this.#set(this.#atRest)
    this.#look()
  }

  /** Leaves the heap as V8 keeps it by itself. */
  stop(): void {
    this.#end()
  }

  #end(): void {
    clearInterval(this.#looking)
    this.#stopCounting()
    this.#toMove = 0
    this.#set('fast')
  }

  get #atRest(): HeapManner {
    return this.#toMove > 0 ? 'moving' : 'compact'
  }

  /** One that came while the process was busy has moved nothing. */
  #collected(): void {
    if (this.#manner !== 'moving') return
    this.#toMove -= 1
    if (this.#toMove > 0) return
    this.#stopCounting()
    this.#set('compact')
  }

  #look(): void {
    this.#calmLooks = CALM_FOR_MS / LOOK_EVERY_MS
    let busyness = this.measure()
    this.#looking = setInterval(() => {
      this.#calmLooks = busyness() <= BUSY_FROM ? this.#calmLooks + 1 : 0
      this.#set(this.#calmLooks * LOOK_EVERY_MS >= CALM_FOR_MS ? this.#atRest : 'fast')
      busyness = this.measure()
    }, LOOK_EVERY_MS).unref()
  }

  #set(manner: HeapManner): void {
    if (manner !== this.#manner) this.keep(manner)
    this.#manner = manner
  }
}

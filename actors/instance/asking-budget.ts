import { USUAL_LIFE, type WatchLife } from '../../streams/keep-watching.js'
import { measureBusyness } from './busyness.js'

/**
 * What is asked, by how much hangs on it. Each kind has a rate of its own, so none waits for another:
 *
 * - `suspect`: a probe of a control plane whose last answer was bad, or contradicts what is reported of it.
 * - `serving`: a probe of a control plane that callers use now.
 * - `calm`: a probe of any other control plane.
 * - `index in use`: a canary of an index that callers' requests use now.
 * - `index at rest`: a canary of any other index.
 * - `counts`: the objects of each type are counted in one control plane, some fifteen requests.
 */
export const ASK_KINDS = ['suspect', 'serving', 'calm', 'index in use', 'index at rest', 'counts'] as const
export type AskKind = (typeof ASK_KINDS)[number]

/**
 * How many asks a second begin at most. They depend on nothing but the size of the fleet, and each is two requests, but for
 * `counts` and for the calm ones of a large fleet, which are one. The calm ones are 19 a second for a thousand instances and 91 for ten thousand: docs/adr/0048-asks-have-a-rate-each.md has the costs.
 * @param fleetSize how many instances there are
 */
export function asksPerSecond(kind: AskKind, fleetSize: number): number {
  const calm = 11 + 0.008 * fleetSize
  switch (kind) {
    case 'suspect':
      return 4 * calm
    case 'serving':
    case 'calm':
      return calm
    case 'index in use':
      return calm / 3
    // They write, so an idle fleet of any size costs its control planes no more writes than this.
    case 'index at rest':
      return 1
    case 'counts':
      return calm / 8
  }
}

/** Up to so many instances watches live as long as client-go's. */
const USUAL_LIFE_UP_TO = 1_000
/** The longest life of a watch, as a multiple of client-go's: 30 to 60 minutes, which is kube-apiserver's own where none is asked for. */
const LONGEST_LIFE = 6

/**
 * How long a watch inside an instance lives. Each begins anew when its life is over, which costs as much as a probe: of 10,000 instances 67
 * a second with client-go's 5 to 10 minutes, which are long enough for a thousand. In a larger fleet it is so many times as long, so that as
 * many begin a second. A connection that breaks without a word is found by its pings, or by TCP's; the life of a watch bounds how
 * long a server may hold one open and send nothing for it.
 * @param fleetSize how many instances there are
 */
export function watchLife(fleetSize: number): WatchLife {
  const times = Math.min(LONGEST_LIFE, Math.max(1, fleetSize / USUAL_LIFE_UP_TO))
  const { shortest, longest, marginMs } = USUAL_LIFE
  return { shortest: shortest * times, longest: longest * times, marginMs }
}

/** So many seconds' worth of asks that were not used can be made up for at once. */
const BURST_SECONDS = 0.25
/** The event loop is measured again after so long, milliseconds. */
const MEASURED_EVERY_MS = 1_000
/** Up to this share of the time at work, an event loop serves its callers without delay; beyond, they come before asks. */
const BUSY_FROM = 0.5
/** A timer that fires later than this shows that callers wait for the event loop, and one `WORST_DELAY_MS` late that they wait long. */
const DELAYED_FROM_MS = 100
const WORST_DELAY_MS = 1_000
/** However busy, so large a part of the asks is kept: a failure that is not asked about is not noticed. */
export const LEAST_SHARE = 0.25

/** How many asks of one kind may begin at once after a pause. */
export const burstOf = (perSecond: number): number => Math.max(1, perSecond * BURST_SECONDS)

/** Asks of one kind, in order of arrival, at a rate. */
class Lane {
  readonly #waiting = new Set<() => void>()
  #left = 1
  #at = performance.now()

  add(begin: () => void): void {
    this.#waiting.add(begin)
  }
  delete(begin: () => void): void {
    this.#waiting.delete(begin)
  }

  /** Begins the asks whose turn it is. @returns whole milliseconds until the next, as timers count them; undefined when none waits */
  serve(now: number, perSecond: number): number | undefined {
    this.#left = Math.min(burstOf(perSecond), this.#left + ((now - this.#at) / 1_000) * perSecond)
    this.#at = now
    for (const begin of this.#waiting) {
      if (this.#left < 1) return Math.ceil(((1 - this.#left) / perSecond) * 1_000)
      this.#left -= 1
      this.#waiting.delete(begin)
      begin()
    }
    return undefined
  }
}

/** What makes a waiting ask one of another kind. */
export interface Raise {
  readonly kind: AskKind
  /** Calls back when that is so, unless the returned function is called before. */
  readonly when: (act: () => void) => () => void
}

/**
 * What all instances together may spend on being asked how they are: probes, canaries and counts. A small fleet notices
 * nothing of it. In a large one, and while the event loop is busy or late, asks of the same kind come less often, each in its turn. So
 * an ask waits for `n / asksPerSecond` seconds at most where `n` of its kind wait before it, four times as long on a busy process, and a
 * fleet that outgrows its process learns of changes later instead of stopping.
 */
export class AskingBudget {
  readonly #lanes = Object.fromEntries(ASK_KINDS.map(kind => [kind, new Lane()])) as Record<AskKind, Lane>
  #timer: NodeJS.Timeout | undefined
  /** When `#timer` is due, and by how much one was late since the last measurement, milliseconds. */
  #due = 0
  #late = 0
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
   * @param raise what makes the ask one of another kind while it waits
   * @throws the reason of `signal` when it aborts before that
   */
  turn(signal: AbortSignal, kind: AskKind, raise?: Raise): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason)
    return new Promise((resolve, reject) => {
      let lane = this.#lanes[kind]
      const done = (): void => {
        signal.removeEventListener('abort', abandon)
        stop?.()
      }
      const abandon = (): void => {
        lane.delete(begin)
        done()
        reject(signal.reason)
      }
      const begin = (): void => {
        done()
        resolve()
      }
      const stop = raise?.when(() => {
        lane.delete(begin)
        lane = this.#lanes[raise.kind]
        lane.add(begin)
        this.#serve()
      })
      signal.addEventListener('abort', abandon, { once: true })
      lane.add(begin)
      this.#serve()
    })
  }

  /** How long a round takes in which each instance is asked once, while the process is not busy, milliseconds. */
  roundMs(kind: AskKind): number {
    const fleetSize = this.fleetSize()
    return (fleetSize / asksPerSecond(kind, fleetSize)) * 1_000
  }

  /** How long watches inside instances live now. */
  watchLife(): WatchLife {
    return watchLife(this.fleetSize())
  }

  #serve(): void {
    const now = performance.now()
    this.#adapt(now)
    let soonest = Number.POSITIVE_INFINITY
    for (const kind of ASK_KINDS) {
      const next = this.#lanes[kind].serve(now, asksPerSecond(kind, this.fleetSize()) * this.#share)
      if (next !== undefined) soonest = Math.min(soonest, next)
    }
    clearTimeout(this.#timer)
    this.#timer = Number.isFinite(soonest) ? setTimeout(() => this.#fire(), soonest).unref() : undefined
    this.#due = now + soonest
  }

  #fire(): void {
    this.#late = Math.max(this.#late, performance.now() - this.#due)
    this.#serve()
  }

  #adapt(now: number): void {
    if (now - this.#measuredAt < MEASURED_EVERY_MS) return
    const busy = (this.#busyness() - BUSY_FROM) / (1 - BUSY_FROM)
    const late = (this.#late - DELAYED_FROM_MS) / (WORST_DELAY_MS - DELAYED_FROM_MS)
    this.#share = Math.min(1, Math.max(LEAST_SHARE, 1 - Math.max(busy, late)))
    this.#measuredAt = now
    this.#late = 0
    this.#busyness = this.measure()
  }
}

import type { LeaseEvent } from '../machines/lease.js'

/** What the lease reads time by and waits with. */
export interface LeaseClock {
  /** Milliseconds of a monotonic clock: the only time that decides anything. */
  now(): number
  /** Milliseconds since the epoch: written into the Lease for people, and compared with `now` to notice a sleep. */
  wall(): number
  setTimeout(callback: () => void, ms: number): unknown
  clearTimeout(handle: unknown): void
}

/** This process's clocks and timers. */
export const systemClock: LeaseClock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: handle => clearTimeout(handle as NodeJS.Timeout),
}

/** More than timers are ever late, less than a sleep worth the name. */
const SLEPT_MS = 1_000
/** Tells the chart the time when it wants to know it, and that the machine slept when it did. */
export class Alarm {
  #timer: unknown
  #at: number | undefined
  #offset: number

  constructor(
    readonly clock: LeaseClock,
    readonly tell: (event: LeaseEvent) => void,
  ) {
    this.#offset = clock.wall() - clock.now()
  }

  set(at: number | undefined): void {
    if (at === this.#at) return
    this.#at = at
    this.clock.clearTimeout(this.#timer)
    if (at !== undefined)
      this.#timer = this.clock.setTimeout(() => this.#ring(), Math.max(0, at - this.clock.now()))
  }

  #ring(): void {
    this.#at = undefined
    const now = this.clock.now()
    const offset = this.clock.wall() - now
    const slept = offset - this.#offset > SLEPT_MS
    this.#offset = offset
    this.tell({ type: slept ? 'clock.jumped' : 'time.passed', now })
  }
}

/** Whether a promise was fulfilled within `ms`. @throws what it was rejected with */
export async function within(clock: LeaseClock, ms: number, work: Promise<void>): Promise<boolean> {
  let alarm: unknown
  const late = new Promise<false>(resolve => {
    alarm = clock.setTimeout(() => resolve(false), Math.max(0, ms))
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    clock.clearTimeout(alarm)
  }
}

import type { Moment } from '../../machines/lease-terms.js'

/** The clocks and timers of a process, or of a test. */
export interface LeaseClock {
  /** Milliseconds of a monotonic clock. It stands still while the machine sleeps. */
  now(): number
  /** Milliseconds since the epoch. It goes on while the machine sleeps, and can be set. */
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

/** Readings of the two clocks differ by this much without either having been set, milliseconds: the wall clock counts whole ones. */
const JITTER_MS = 10

/** Reads the two clocks as one `Moment`, and sums up by how much the wall clock has outrun the monotonic one. */
export class Moments {
  /** The largest lead of the wall clock since the start, or since it was last set back. */
  #lead: number
  #slept = 0

  constructor(private readonly clock: LeaseClock) {
    this.#lead = clock.wall() - clock.now()
  }

  read(): Moment {
    const now = this.clock.now()
    const lead = this.clock.wall() - now
    if (lead > this.#lead) {
      this.#slept += lead - this.#lead
      this.#lead = lead
    } else if (this.#lead - lead > JITTER_MS) this.#lead = lead // set back: a sleep after this must count in full
    return { now, slept: this.#slept }
  }
}

/** Sends the chart a `time.passed` when it needs one. Timers stand still while the machine sleeps, so it may be late by a sleep. */
export class Alarm {
  #timer: unknown
  #at: number | undefined

  constructor(
    readonly clock: LeaseClock,
    readonly ring: () => void,
  ) {}

  set(at: number | undefined): void {
    if (at === this.#at) return
    this.#at = at
    this.clock.clearTimeout(this.#timer)
    if (at === undefined) return
    const ring = (): void => {
      this.#at = undefined
      this.ring()
    }
    this.#timer = this.clock.setTimeout(ring, Math.max(0, at - this.clock.now()))
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

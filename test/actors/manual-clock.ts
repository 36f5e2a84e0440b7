import type { LeaseClock } from '../../actors/election/lease-clock.js'

/** A clock that stands still until a test moves it. */
export class ManualClock implements LeaseClock {
  #now = 0
  #wallAhead = 1_700_000_000_000
  readonly #timers = new Map<number, { readonly at: number; readonly callback: () => void }>()
  #next = 0

  now(): number {
    return this.#now
  }
  wall(): number {
    return this.#now + this.#wallAhead
  }
  setTimeout(callback: () => void, ms: number): number {
    this.#timers.set(++this.#next, { at: this.#now + ms, callback })
    return this.#next
  }
  clearTimeout(handle: unknown): void {
    this.#timers.delete(handle as number)
  }

  get pending(): number {
    return this.#timers.size
  }

  /** Moves on, ringing what is due in order. */
  advance(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const due = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0]
      if (!due) break
      this.#timers.delete(due[0])
      this.#now = Math.max(this.#now, due[1].at)
      due[1].callback()
    }
    this.#now = end
  }

  /** Time passes while the process is frozen: nothing rings. */
  freeze(ms: number): void {
    this.#now += ms
  }
  /** The machine sleeps: the monotonic clock and the timers stand still, the wall clock does not. Or the wall clock is set. */
  sleep(ms: number): void {
    this.#wallAhead += ms
  }
}

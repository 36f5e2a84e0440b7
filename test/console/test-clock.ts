import type { Clock } from '../../console/live/clock.js'

/** Timers that run when a test says so. */
export class TestClock implements Clock {
  time = 1_000
  readonly #due = new Map<() => void, number>()
  now = () => this.time
  /** How many timers are set. */
  get timers(): number {
    return this.#due.size
  }
  later = (then: () => void, ms: number) => {
    // Timers of browsers hold 31 bits, and run at once beyond.
    this.#due.set(then, this.time + (ms > 0x7fff_ffff ? 1 : ms))
    return () => void this.#due.delete(then)
  }
  async pass(ms: number): Promise<void> {
    const end = this.time + ms
    for (;;) {
      await settled()
      const next = [...this.#due].filter(([, at]) => at <= end).sort(([, a], [, b]) => a - b)[0]
      if (!next) break
      this.time = Math.max(this.time, next[1])
      this.#due.delete(next[0])
      next[0]()
    }
    this.time = end
    await settled()
  }
}

/** Until what has been resolved was taken. */
export const settled = async () => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

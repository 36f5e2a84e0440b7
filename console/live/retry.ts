import type { Clock } from './clock.js'
import { isDenied } from './denied.js'

/** After a failure it is tried again: at once would burden a server that is starting. */
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const

/** Milliseconds before the next attempt. @param failures one after the other, 1 or more */
export const retryMs = (failures: number): number =>
  RETRY_MS[Math.min(failures, RETRY_MS.length) - 1] ?? RETRY_MS[0]

/** After a refusal for want of a right the same request is refused again, until somebody gives that right: their reader is not to reload every page. */
const DENIED_MS = 60_000

/** The same after a certain failure. */
export const retryAfterMs = (failures: number, problem: unknown): number =>
  isDenied(problem) ? DENIED_MS : retryMs(failures)

/** A pause that can be ended before its time. */
export class Pause {
  #end: (() => void) | undefined

  constructor(private readonly time: Clock) {}

  /** Resolves when the pause is over, or the signal aborts. @param ms until it ends by itself; absent: never */
  last(ms: number | undefined, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const over = () => {
        cancel?.()
        signal.removeEventListener('abort', over)
        resolve()
      }
      const cancel = ms === undefined ? undefined : this.time.later(over, ms)
      this.#end = over
      signal.addEventListener('abort', over)
    })
  }

  end(): void {
    this.#end?.()
  }
}

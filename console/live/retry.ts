import type { Clock } from './clock.js'
import { isDenied } from './denied.js'

/** Pauses after 1, 2, … failures, milliseconds. A retry at once would burden a server that is starting. */
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const

/** Milliseconds before the next attempt. @param failures in a row, 1 or more */
export const retryMs = (failures: number): number =>
  RETRY_MS[Math.min(failures, RETRY_MS.length) - 1] ?? RETRY_MS[0]

/**
 * The pause after a refusal for want of a right, milliseconds. The request stays refused until somebody gives the caller the right; the retries are
 * rare, and the user need not reload the page then.
 */
const DENIED_MS = 60_000

/** Milliseconds before the next attempt after this failure. @param failures in a row, 1 or more */
export const retryAfterMs = (failures: number, problem: unknown): number =>
  isDenied(problem) ? DENIED_MS : retryMs(failures)

/** A pause that `end` ends early. */
export class Pause {
  #end: (() => void) | undefined

  constructor(private readonly time: Clock) {}

  /** Resolves when the pause is over or the signal aborts. @param ms its length; absent: until `end` */
  wait(ms: number | undefined, signal: AbortSignal): Promise<void> {
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

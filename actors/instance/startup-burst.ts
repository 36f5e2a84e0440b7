/** Up to so many instances no work is deferred, and everything that is counted is watched: docs/adr/0010-statistics-by-watch-or-on-signal.md. */
const SMALL_FLEET = 50
/** A burst is over when no instance was added or became ready for this long, milliseconds. */
export const QUIET_MS = 3_000
/** The longest burst, milliseconds: after it deferred work is done although instances still come up. */
export const LONGEST_MS = 60_000

/**
 * Detects a start-up burst: instances that come up one after the other (a new fleet, a new leader). Work that is not urgent
 * is deferred until it ends: with a thousand instances, figures and canaries are more than half of all requests.
 */
export class StartupBurst {
  #quiet: NodeJS.Timeout | undefined
  #began = 0
  readonly #waiting = new Set<() => void>()

  /**
   * @param fleetSize how many instances there are now; in a small fleet no work is deferred
   * @param changed called when a burst begins and when it ends, whatever the size of the fleet
   */
  constructor(
    private readonly fleetSize: () => number,
    private readonly changed: (underWay: boolean) => void = () => undefined,
  ) {}

  /** Whether the fleet is so large that work is deferred during a burst. */
  get large(): boolean {
    return this.fleetSize() > SMALL_FLEET
  }

  /** An instance was added or became ready: the burst begins, or goes on. */
  extend(): void {
    if (!this.#quiet) {
      this.#began = performance.now()
      this.#quiet = setTimeout(() => this.#end(), QUIET_MS).unref()
      this.changed(true)
    } else if (performance.now() - this.#began < LONGEST_MS) this.#quiet.refresh()
  }

  /** Resolves when the burst is over, to which the caller counts itself; rejects when `signal` aborts before that. */
  async over(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (!this.large) return
    this.extend()
    return new Promise((resolve, reject) => {
      const abandon = (): void => {
        this.#waiting.delete(end)
        reject(signal.reason as Error)
      }
      const end = (): void => {
        signal.removeEventListener('abort', abandon)
        resolve()
      }
      this.#waiting.add(end)
      signal.addEventListener('abort', abandon, { once: true })
    })
  }

  #end(): void {
    this.#quiet = undefined
    this.changed(false)
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const end of waiting) end()
  }
}

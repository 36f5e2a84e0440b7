/** Up to so many instances, nobody waits, and all that is counted is watched: docs/adr/0010-statistics-by-watch-or-on-signal.md. */
const SMALL_FLEET = 50
/** So long must nothing have come up, milliseconds. */
export const CALM_MS = 3_000
/** A rush that lasts longer, milliseconds, is waited out no more. */
export const PATIENCE_MS = 60_000

/**
 * Notices that instances come up one after the other (a new fleet, a new leader), so that what nobody waits for urgently
 * can wait until they have: with a thousand of them, figures and canaries are more than half of all requests.
 */
export class Rush {
  #calm: NodeJS.Timeout | undefined
  #began = 0
  readonly #waiting = new Set<() => void>()

  /** @param fleetSize how many instances there are now; where they are few there is no rush */
  constructor(private readonly fleetSize: () => number) {}

  /** Whether the fleet is so large that instances may have to wait for each other. */
  get large(): boolean {
    return this.fleetSize() > SMALL_FLEET
  }

  /** Somebody arrived, or came up. */
  noted(): void {
    if (!this.#calm) {
      this.#began = performance.now()
      this.#calm = setTimeout(() => this.#end(), CALM_MS).unref()
    } else if (performance.now() - this.#began < PATIENCE_MS) this.#calm.refresh()
  }

  /** Resolves when nobody has come for a while, whoever asks included; rejects when `signal` aborts before that. */
  async over(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (!this.large) return
    this.noted()
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
    this.#calm = undefined
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const end of waiting) end()
  }
}

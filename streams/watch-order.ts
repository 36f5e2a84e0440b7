import { isAtOrBefore } from './resource-version.js'

/** How many events back a repeat is recognized; more than any buffer on the way holds. */
const REMEMBERED = 1024

/** The server sent an older event after a newer one: it may have left out others. Only a list shows. */
export class OutOfOrderError extends Error {
  override readonly name = 'OutOfOrderError'
  constructor(version: string, after: string) {
    super(`the watch sent resource version ${version} after ${after}`)
  }
}

/**
 * Keeps one watch honest. A watch sends each version once and in rising order; a server or proxy that sends something
 * again is tolerated, one that lets an event be overtaken is found out. Opaque versions cannot be judged and all pass.
 */
export class WatchOrder {
  #newest: string
  readonly #recent = new Set<string>()

  /** @param startedAt the version the watch was opened at: everything up to there is known */
  constructor(readonly startedAt: string) {
    this.#newest = startedAt
  }

  /** Whether a bookmark moves us on; one that does not says nothing, and nothing bad. */
  isProgress(version: string): boolean {
    if (isAtOrBefore(version, this.#newest)) return false
    this.#newest = version
    return true
  }

  /** Whether this event is news; false for a repeat. @throws OutOfOrderError when it was overtaken */
  isNews(version: string): boolean {
    if (!isAtOrBefore(version, this.#newest)) {
      this.#remember(version)
      this.#newest = version
      return true
    }
    if (this.#recent.has(version) || isAtOrBefore(version, this.startedAt)) return false
    throw new OutOfOrderError(version, this.#newest)
  }

  #remember(version: string): void {
    this.#recent.add(version)
    if (this.#recent.size <= REMEMBERED) return
    const [oldest] = this.#recent
    if (oldest !== undefined) this.#recent.delete(oldest)
  }
}

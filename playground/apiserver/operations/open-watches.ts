/** How often a watch that asks for bookmarks gets one, as kube-apiserver's. */
export const BOOKMARK_MS = 60_000

/** One watch as those who end all of them see it. */
export interface OpenWatch {
  end(): void
  /** Reports that nothing else changed up to now; absent for watches that did not ask for it. */
  readonly bookmark?: () => void
}

/** The open watches of one logical cluster, so that they can be ended together, and one timer for all their bookmarks. */
export class OpenWatches {
  readonly #open = new Set<OpenWatch>()
  #timer: NodeJS.Timeout | undefined

  get size(): number {
    return this.#open.size
  }

  /** @returns what takes the watch out again */
  add(watch: OpenWatch): () => void {
    this.#open.add(watch)
    if (watch.bookmark && !this.#timer) {
      this.#timer = setInterval(() => this.#bookmark(), BOOKMARK_MS)
      this.#timer.unref()
    }
    return () => this.#forget(watch)
  }

  /** Ends every watch after what it has queued. */
  endAll(): void {
    for (const watch of [...this.#open]) watch.end()
  }

  #forget(watch: OpenWatch): void {
    this.#open.delete(watch)
    if (this.#open.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #bookmark(): void {
    for (const watch of this.#open) watch.bookmark?.()
  }
}

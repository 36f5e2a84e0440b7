/** The open watches of one logical cluster, so that they can be ended together. */
export class OpenWatches {
  readonly #open = new Set<{ end(): void }>()

  get size(): number {
    return this.#open.size
  }

  /** @returns what takes the watch out again */
  add(watch: { end(): void }): () => void {
    this.#open.add(watch)
    return () => this.#open.delete(watch)
  }

  /** Ends every watch after what it has queued. */
  endAll(): void {
    for (const watch of [...this.#open]) watch.end()
  }
}

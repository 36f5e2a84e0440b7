const GONE = -1

/**
 * What is on its way through. No Set: V8 replaces the table of one that shrinks and grows, and tables left behind keep each
 * other, and all that was in them, alive until the whole heap is collected.
 */
export class InFlight<T> {
  /** No more streams. */
  closed = false
  readonly #all: { readonly one: T; index: number }[] = []

  get size(): number {
    return this.#all.length
  }

  /** @returns what takes it out again (idempotent) */
  add(one: T): () => void {
    const entry = { one, index: this.#all.length }
    this.#all.push(entry)
    return () => {
      const { index } = entry
      if (index === GONE) return
      entry.index = GONE
      const last = this.#all.pop()
      if (!last || last === entry) return
      last.index = index
      this.#all[index] = last
    }
  }

  /** Those of now, whatever becomes of them meanwhile. */
  *[Symbol.iterator](): Generator<T> {
    for (const { one } of [...this.#all]) yield one
  }
}

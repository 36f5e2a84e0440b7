const GONE = -1

/** The place of one thing among those on their way. */
export interface Place {
  /** It is over (idempotent). */
  leave(): void
}

class Held<T> implements Place {
  constructor(
    private readonly all: Held<T>[],
    readonly one: T,
    private index: number,
  ) {}

  leave(): void {
    const { index } = this
    if (index === GONE) return
    this.index = GONE
    const last = this.all.pop()
    if (!last || last === this) return
    last.index = index
    this.all[index] = last
  }
}

/**
 * What is on its way through. No Set: V8 replaces the table of one that shrinks and grows, and tables left behind keep each
 * other, and all that was in them, alive until the whole heap is collected.
 */
export class InFlight<T> {
  /** No more streams. */
  closed = false
  readonly #all: Held<T>[] = []

  get size(): number {
    return this.#all.length
  }

  add(one: T): Place {
    const held = new Held(this.#all, one, this.#all.length)
    this.#all.push(held)
    return held
  }

  /** Those of now, whatever becomes of them meanwhile. */
  *[Symbol.iterator](): Generator<T> {
    for (const { one } of [...this.#all]) yield one
  }
}

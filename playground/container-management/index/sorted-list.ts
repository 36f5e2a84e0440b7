/** Negative when `one` comes first, zero only for the same item. */
export type Compare<T> = (one: T, other: T) => number

interface Chunk<T> {
  items: T[]
  /** The chunk's items joined for sending; dropped when one changes. */
  body?: Buffer
}

/** Items per chunk at which it is split; half of it after a split. */
const SPLIT_AT = 512

/**
 * A list that stays sorted while items come and go: sorted chunks, found by binary search, so that one change among tens
 * of thousands moves only a few hundred references and invalidates only one chunk's joined bytes.
 */
export class SortedList<T> {
  #chunks: Chunk<T>[] = []
  #length = 0
  readonly #compare: Compare<T>

  /** @param items any order */
  constructor(compare: Compare<T>, items: Iterable<T> = []) {
    this.#compare = compare
    const sorted = [...items].sort(compare)
    this.#length = sorted.length
    for (let from = 0; from < sorted.length; from += SPLIT_AT / 2)
      this.#chunks.push({ items: sorted.slice(from, from + SPLIT_AT / 2) })
  }

  get length(): number {
    return this.#length
  }

  add(item: T): void {
    const chunk = this.#chunks[Math.min(this.#chunkOf(item), this.#chunks.length - 1)]
    this.#length++
    if (!chunk) {
      this.#chunks = [{ items: [item] }]
      return
    }
    chunk.items.splice(this.#position(chunk.items, item), 0, item)
    delete chunk.body
    if (chunk.items.length >= SPLIT_AT) this.#split(chunk)
  }

  /** Removes the item that compares equal; says whether there was one. */
  delete(item: T): boolean {
    const index = this.#chunkOf(item)
    const chunk = this.#chunks[index]
    if (!chunk) return false
    const position = this.#position(chunk.items, item)
    const found = chunk.items[position]
    if (found === undefined || this.#compare(found, item) !== 0) return false
    chunk.items.splice(position, 1)
    delete chunk.body
    this.#length--
    if (chunk.items.length === 0) this.#chunks.splice(index, 1)
    return true
  }

  /** From the `offset`th item on. */
  *from(offset = 0): Generator<T> {
    let skip = offset
    for (const { items } of this.#chunks) {
      if (skip >= items.length) {
        skip -= items.length
        continue
      }
      for (let index = skip; index < items.length; index++) yield items[index] as T
      skip = 0
    }
  }

  slice(offset: number, count: number): T[] {
    const found: T[] = []
    for (const item of this.from(offset)) {
      if (found.length >= count) break
      found.push(item)
    }
    return found
  }

  /** Every chunk joined by `join`; chunks that did not change since the last call are not joined again. */
  bodies(join: (items: readonly T[]) => Buffer): Buffer[] {
    return this.#chunks.map(chunk => {
      chunk.body ??= join(chunk.items)
      return chunk.body
    })
  }

  /** The first chunk whose last item is not before `item`. */
  #chunkOf(item: T): number {
    let low = 0
    let high = this.#chunks.length
    while (low < high) {
      const middle = (low + high) >> 1
      const last = this.#chunks[middle]?.items.at(-1)
      if (last !== undefined && this.#compare(last, item) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #position(items: readonly T[], item: T): number {
    let low = 0
    let high = items.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#compare(items[middle] as T, item) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #split(chunk: Chunk<T>): void {
    const second = chunk.items.splice(SPLIT_AT / 2)
    this.#chunks.splice(this.#chunks.indexOf(chunk) + 1, 0, { items: second })
  }
}

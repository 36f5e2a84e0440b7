/** Rows on one page of a list. */
export const ROWS = 50

/** Pages that are kept, so that a reader who turns back finds them: 1,000 rows. */
const MOST_PAGES = 20

/** Pages that a reader sees, or is about to see, by their numbers. */
export interface Sight {
  readonly from: number
  readonly to: number
}

/** One page as it was read. */
export interface KeptPage<T> {
  readonly rows: readonly T[]
  /** Milliseconds since 1970. */
  readonly readAt: number
}

/** The pages of a long list that the browser has: those in sight, and some around them. */
export class Pages<T> {
  #pages: ReadonlyMap<number, KeptPage<T>> = new Map()
  /** On which page a row is, by its key. */
  readonly #pageOf = new Map<string, number>()

  constructor(private readonly keyOf: (row: T) => string) {}

  /** Another map after each change. */
  get all(): ReadonlyMap<number, KeptPage<T>> {
    return this.#pages
  }

  /** Keeps a page, and drops the one that is farthest from what is in sight where there are too many. */
  set(number: number, page: KeptPage<T>, sight: Sight): void {
    const pages = new Map(this.#pages).set(number, page)
    if (pages.size > MOST_PAGES) {
      const [farthest = number] = [...pages.keys()].sort(
        (one, other) => distance(other, sight) - distance(one, sight),
      )
      pages.delete(farthest)
    }
    this.#put(pages)
  }

  /** Keeps those in sight and no others. */
  keepOnly(sight: Sight): void {
    this.#put(new Map([...this.#pages].filter(([number]) => distance(number, sight) === 0)))
  }

  /** Whether a row is on a page that is kept. */
  has(key: string): boolean {
    return this.#pageOf.has(key)
  }

  /** Puts a newer row in the place of the one with its key. @returns whether there was one */
  replace(row: T): boolean {
    const key = this.keyOf(row)
    const number = this.#pageOf.get(key)
    const page = number === undefined ? undefined : this.#pages.get(number)
    if (number === undefined || !page) return false
    const rows = page.rows.map(shown => (this.keyOf(shown) === key ? row : shown))
    this.#pages = new Map(this.#pages).set(number, { ...page, rows })
    return true
  }

  #put(pages: ReadonlyMap<number, KeptPage<T>>): void {
    this.#pages = pages
    this.#pageOf.clear()
    for (const [number, { rows }] of pages) for (const row of rows) this.#pageOf.set(this.keyOf(row), number)
  }
}

export const isInSight = (number: number, sight: Sight): boolean => distance(number, sight) === 0

/** How many pages a page is out of sight. */
const distance = (number: number, { from, to }: Sight): number => Math.max(0, from - number, number - to)

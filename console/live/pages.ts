/** Rows on one page of a list. */
export const ROWS = 50

/** Pages that are kept, so that scrolling back finds them: 1,000 rows. */
const MOST_PAGES = 20

/** The numbers of the pages that are visible or about to be. */
export interface PageRange {
  readonly from: number
  readonly to: number
}

/** One page and when it was read. */
export interface KeptPage<T> {
  readonly rows: readonly T[]
  /** Milliseconds since 1970. */
  readonly readAt: number
}

/** The pages of a long list that the browser holds: the visible ones and some around them. */
export class Pages<T> {
  #pages: ReadonlyMap<number, KeptPage<T>> = new Map()
  /** The page number of each row, by key. */
  readonly #pageOf = new Map<string, number>()

  constructor(private readonly keyOf: (row: T) => string) {}

  /** All pages by number. Each change makes a new map. */
  get all(): ReadonlyMap<number, KeptPage<T>> {
    return this.#pages
  }

  /** Adds a page. Where there are too many, the page farthest from the visible ones is dropped. */
  set(number: number, page: KeptPage<T>, visible: PageRange): void {
    const pages = new Map(this.#pages).set(number, page)
    if (pages.size > MOST_PAGES) {
      const [farthest = number] = [...pages.keys()].sort(
        (one, other) => distance(other, visible) - distance(one, visible),
      )
      pages.delete(farthest)
    }
    this.#put(pages)
  }

  /** Drops all pages that are not visible. */
  keepOnly(visible: PageRange): void {
    this.#put(new Map([...this.#pages].filter(([number]) => distance(number, visible) === 0)))
  }

  /** Whether a row is on a page that is kept. */
  has(key: string): boolean {
    return this.#pageOf.has(key)
  }

  /** Replaces the row with the same key. @returns whether there was one */
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

export const isInRange = (number: number, visible: PageRange): boolean => distance(number, visible) === 0

/** The number of pages between a page and the range; 0 inside it. */
const distance = (number: number, { from, to }: PageRange): number => Math.max(0, from - number, number - to)

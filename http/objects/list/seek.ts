import { expired } from '../../errors/failure.js'
import { type Cursor, cursorAfter, digestOf, firstAfter, isInOrder, type Order } from '../cursor.js'
import { orderIsGone } from '../paging.js'

/** A part of a sorted list, by its position. */
export interface Window {
  readonly offset: number
  readonly limit: number
}

/** What an index answers for a window. */
export interface Part<T> {
  readonly items: readonly T[]
  /** How many come after them; negative where the window begins after the end. */
  readonly remaining: number
}

/** A page that begins after a cursor. */
export interface SoughtPage<T> {
  readonly items: readonly T[]
  /** How many items come before it. */
  readonly start: number
  readonly total: number
  /** Absent on the last page. */
  readonly next?: Cursor
}

/** A page is read with so many items before and after it: few changes between two pages cost no further request. */
const SLACK = 8
/** The same where only the items of the cursor can show its position. */
const WIDE_SLACK = 500
/** Reads of one search. Halving a list of a million takes 20. */
const MOST_READS = 40

/**
 * Finds the page after a cursor in a list that can be read by position only, while items come and go before it. The page is cut out of one
 * read, which also shows what is right before the page: so nothing of the list is left out, and nothing comes twice.
 * @param read reads a window as one state of the list; undefined where it cannot, which ends the search
 * @returns undefined where the list cannot be searched in this order
 * @throws Failure OUT_OF_RANGE where the list is in an order that only the index knows, and what the cursor names is gone
 */
export async function seek<T>(
  cursor: Cursor,
  size: number,
  order: Order<T>,
  read: (window: Window) => Promise<Part<T> | undefined>,
): Promise<SoughtPage<T> | undefined> {
  const search = new Search(size)
  let window = search.around(cursor.offset, SLACK)
  let isWide = false
  for (let reads = 1; reads <= MOST_READS; reads += 1) {
    const part = await read(window)
    if (!part) return undefined
    const { items, remaining } = part
    const { offset, limit } = window
    const sorted = sortedAs(cursor, order, items)
    if (!sorted) return undefined
    // Counted after it was read: only a short window without a rest is the end.
    const isEnd = items.length < limit && remaining <= 0
    const named = afterNamed(cursor, order, items)
    if (named === 0 && sorted === 'otherwise') {
      if (isWide) throw orderIsGone()
      isWide = true
      window = search.around(cursor.offset, WIDE_SLACK)
      continue
    }
    const begin = named || firstAfter(order, items, cursor)
    const isBefore = begin === 0 && offset > 0
    if (!isBefore && (begin < items.length || isEnd || named > 0)) {
      const start = offset + begin
      const total = Math.max(0, offset + items.length + remaining)
      const end = begin + size
      const page = { items: items.slice(begin, end), start, total }
      if (items.length > end)
        return { ...page, next: cursorAfter(order, items.slice(0, end), { offset: start + size, sorted }) }
      if (isEnd) return page
      window = search.around(start, SLACK)
    } else
      window = isBefore ? search.back(offset, items.length + remaining) : search.on(offset + items.length)
  }
  throw expired('objects come and go too fast to find the position of the page token: start over')
}

/** How the list is sorted, as far as these items and those before them show; undefined where the cursor is of another order. */
function sortedAs<T>({ sorted }: Cursor, order: Order<T>, items: readonly T[]): Cursor['sorted'] | undefined {
  if (sorted === 'otherwise' || isInOrder(order, items)) return sorted
  return sorted === 'here' ? undefined : 'otherwise'
}

/** The index after the last item that the cursor names; 0 where there is none. */
function afterNamed<T>({ after, before }: Cursor, { keysOf }: Order<T>, items: readonly T[]): number {
  const named = new Set(before)
  const isLast = (keys: readonly string[]) => keys.every((key, index) => key === after[index])
  return (
    1 +
    items.findLastIndex(item => {
      const keys = keysOf(item)
      return isLast(keys) || (named.size > 0 && named.has(digestOf(keys)))
    })
  )
}

/** Which windows are read: steps that double until the position is between two of them, then halves. */
class Search {
  #low: number | undefined
  #high: number | undefined
  #step: number

  constructor(readonly size: number) {
    this.#step = size
  }

  around(offset: number, slack: number): Window {
    return { offset: Math.max(0, offset - slack), limit: this.size + 1 + 2 * slack }
  }

  /** @param rest how many items the list has from the offset on; negative where it ends before */
  back(offset: number, rest: number): Window {
    this.#high = Math.max(0, offset + Math.min(0, rest))
    // The list was another when the other bound was read; what was read last holds.
    if (this.#low !== undefined && this.#low >= this.#high) this.#low = undefined
    return this.#next()
  }

  on(end: number): Window {
    this.#low = end
    if (this.#high !== undefined && end >= this.#high) this.#high = undefined
    return this.#next()
  }

  #next(): Window {
    const [low, high] = [this.#low, this.#high]
    if (low !== undefined && high !== undefined) return this.around(Math.floor((low + high) / 2), SLACK)
    const offset = low !== undefined ? low - 1 + this.#step - this.size : (high ?? 0) - this.#step
    this.#step *= 2
    return { offset: Math.max(0, offset), limit: this.size + 1 + 2 * SLACK }
  }
}

import { createHash } from 'node:crypto'
import { compareTexts } from '../../ports/compare-texts.js'

/** A total order of items: no two have the same keys. */
export interface Order<T> {
  /** What decides, the most significant first. */
  readonly keysOf: (item: T) => readonly string[]
  /** So many of the keys, from the first on, are in descending order. */
  readonly descending: number
}

/** The position in a list after which its next page begins. It says where to read, and gives no right to what is there. */
export interface Cursor {
  /** The keys of the last item before the position; that item may be gone. */
  readonly after: readonly string[]
  /** How many items came before the position: where an index is searched first. */
  readonly offset: number
  /**
   * How the list was sorted so far. `here`: by Kairship. `alike`: by an index, and all that was read is in the order that Kairship has.
   * `otherwise`: by an index in an order of its own, such as that of a language.
   */
  readonly sorted: 'here' | 'alike' | 'otherwise'
  /** Digests of a few items before the last: where the last is gone, the position is after the newest of them that is still there. */
  readonly before: readonly string[]
}

/** How many items a cursor of an index names beside the last. */
export const MOST_BEFORE = 4

/** Compares the keys of two items. */
export function compareKeys(a: readonly string[], b: readonly string[], descending: number): number {
  for (const [index, key] of a.entries()) {
    const compared = compareTexts(key, b[index] ?? '')
    if (compared !== 0) return index < descending ? -compared : compared
  }
  return 0
}

/** The cursor after the last of some items. */
export function cursorAfter<T>(
  order: Order<T>,
  items: readonly T[],
  at: { readonly offset: number; readonly sorted?: Cursor['sorted'] },
): Cursor {
  const { offset, sorted = 'here' } = at
  const keys = items.slice(-1 - MOST_BEFORE).map(order.keysOf)
  const after = keys.pop() ?? []
  return { after, offset, sorted, before: sorted === 'here' ? [] : keys.map(digestOf) }
}

/** A few characters that stand for the keys of one item of a list: two items have the same by chance once in 2^48. */
export const digestOf = (keys: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(keys)).digest('base64url').slice(0, 8)

/** Whether items are in an order. */
export function isInOrder<T>({ keysOf, descending }: Order<T>, items: readonly T[]): boolean {
  let before: readonly string[] | undefined
  for (const item of items) {
    const keys = keysOf(item)
    if (before && compareKeys(before, keys, descending) > 0) return false
    before = keys
  }
  return true
}

/** The index of the first of sorted items that comes after the cursor; their number where none does. */
export function firstAfter<T>(
  { keysOf, descending }: Order<T>,
  sorted: readonly T[],
  cursor: Cursor,
): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareKeys(keysOf(sorted[middle] as T), cursor.after, descending) > 0) high = middle
    else low = middle + 1
  }
  return low
}

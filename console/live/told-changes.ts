import { retryMs } from './retry.js'
import type { Source } from './source.js'

/** Rows of which the last change is remembered. */
const MOST_TOLD = 1_000
/** Readings that are older than what was told, one after the other, until the next change: they are given 48 s. */
const MOST_BEHIND = 5

/** What was told of one row. */
interface Told<T> {
  /** Kubernetes' resourceVersion; undefined of one that was deleted. */
  readonly version?: string | undefined
  /** The row as it is since; absent where the stream did not bring it. */
  readonly row?: T
}

/**
 * What the stream of a list has told lately of its rows, and how many there are. Pages may come from an index, which is behind the
 * stream: what they do not have yet is kept, or read again.
 */
export class ToldChanges<T> {
  readonly #told = new Map<string, Told<T>>()
  /** How many rows there are; undefined where the stream does not say. */
  #total: number | undefined
  /** Readings in a row that were behind, and whether this one is. */
  #behind = 0
  #isBehind = false

  constructor(private readonly source: Pick<Source<T>, 'keyOf' | 'versionOf'>) {}

  /**
   * A row has changed.
   * @param told without a version where it is not there any more
   * @param isShown it is read again for this
   */
  note(key: string, told: Told<T>, isShown: boolean): void {
    this.#told.delete(key)
    this.#told.set(key, told)
    if (isShown) this.#behind = 0
    for (const oldest of this.#told.keys()) {
      if (this.#told.size <= MOST_TOLD) break
      this.#told.delete(oldest)
    }
  }

  /** So many rows there are from now on. */
  count(total: number): void {
    if (total !== this.#total) this.#behind = 0
    this.#total = total
  }

  /** The stream starts over: what it told before does not count. */
  clear(): void {
    this.#told.clear()
    this.#total = undefined
  }

  /** The pages in sight are read anew. */
  reading(): void {
    this.#behind = this.#isBehind ? this.#behind + 1 : 0
    this.#isBehind = false
  }

  /** The rows of a page as they are now. @returns after how many milliseconds they are to be read again; absent where they need not be */
  take(rows: readonly T[], total: number): { readonly rows: readonly T[]; readonly againMs?: number } {
    const newest = rows.map(row => this.#newest(row))
    if (this.#total !== undefined && this.#total !== total) this.#isBehind = true
    return {
      rows: newest,
      ...(this.#isBehind && this.#behind < MOST_BEHIND && { againMs: retryMs(this.#behind + 1) }),
    }
  }

  #newest(row: T): T {
    const { keyOf, versionOf } = this.source
    const key = keyOf(row)
    const told = this.#told.get(key)
    if (!told) return row
    const version = versionOf?.(row)
    const isOlder = !version || told.version === undefined || isOlderVersion(version, told.version)
    // One whose version nobody knows is read again once.
    if (!isOlder || !version) this.#told.delete(key)
    if (!isOlder) return row
    if (told.row === undefined) this.#isBehind = true
    return told.row ?? row
  }
}

/** Kubernetes' versions are decimal numbers that JavaScript's do not hold. */
const isOlderVersion = (one: string, other: string): boolean =>
  one.length === other.length ? one < other : one.length < other.length

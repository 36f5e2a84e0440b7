import { retryMs } from './retry.js'
import type { Source } from './source.js'

/** The number of rows whose last change is kept. */
const MOST_ROWS = 1_000
/** How often in a row pages that are behind the stream are read again, until the next change: over 48 s in all. */
const MOST_STALE_READS = 5

/** The last change of one row. */
interface StreamedRow<T> {
  /** The Kubernetes resourceVersion; undefined for a deleted row. */
  readonly version?: string | undefined
  /** The row after the change; absent where the stream sends no rows. */
  readonly row?: T
}

/**
 * The latest changes that the stream of a list sent, and the total. Pages may come from an index that is behind the stream: a row of such a page is
 * replaced by the streamed one, or the page is read again.
 */
export class StreamedChanges<T> {
  readonly #rows = new Map<string, StreamedRow<T>>()
  /** The number of rows; undefined where the stream does not send it. */
  #total: number | undefined
  /** How many reads in a row were behind the stream, and whether the current one is. */
  #staleReads = 0
  #isStale = false

  constructor(private readonly source: Pick<Source<T>, 'keyOf' | 'versionOf'>) {}

  /**
   * Records a change of a row.
   * @param change without a version where the row was deleted
   * @param isShown the row is visible, so its page is read again
   */
  record(key: string, change: StreamedRow<T>, isShown: boolean): void {
    this.#rows.delete(key)
    this.#rows.set(key, change)
    if (isShown) this.#staleReads = 0
    for (const oldest of this.#rows.keys()) {
      if (this.#rows.size <= MOST_ROWS) break
      this.#rows.delete(oldest)
    }
  }

  /** Records the number of rows. */
  setTotal(total: number): void {
    if (total !== this.#total) this.#staleReads = 0
    this.#total = total
  }

  /** Drops everything, because the stream starts over. */
  clear(): void {
    this.#rows.clear()
    this.#total = undefined
  }

  /** Called when a read of the visible pages begins. */
  beginRead(): void {
    this.#staleReads = this.#isStale ? this.#staleReads + 1 : 0
    this.#isStale = false
  }

  /**
   * Replaces rows of a page by newer ones of the stream.
   * @returns `againMs`: milliseconds after which the page must be read again; absent where it need not be
   */
  merge(rows: readonly T[], total: number): { readonly rows: readonly T[]; readonly againMs?: number } {
    const newest = rows.map(row => this.#newest(row))
    if (this.#total !== undefined && this.#total !== total) this.#isStale = true
    return {
      rows: newest,
      ...(this.#isStale && this.#staleReads < MOST_STALE_READS && { againMs: retryMs(this.#staleReads + 1) }),
    }
  }

  #newest(row: T): T {
    const { keyOf, versionOf } = this.source
    const key = keyOf(row)
    const change = this.#rows.get(key)
    if (!change) return row
    const version = versionOf?.(row)
    const isOlder = !version || change.version === undefined || isOlderVersion(version, change.version)
    // A row without a version is read again once.
    if (!version) this.#rows.delete(key)
    if (!isOlder) return row
    if (change.row === undefined) this.#isStale = true
    return change.row ?? row
  }
}

/** Compares resourceVersions: decimal numbers that may be larger than a JavaScript number. */
const isOlderVersion = (one: string, other: string): boolean =>
  one.length === other.length ? one < other : one.length < other.length

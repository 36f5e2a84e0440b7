import { createHash } from 'node:crypto'
import { failedPrecondition } from '../../errors/failure.js'

/** Rows that one stream shows: it keeps each of them. */
const MOST_ROWS = 100_000

/** What a change of rows is to the reader of the stream, with how many rows there are after it. */
export interface RowStep<R> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'LEFT'
  readonly row: R
  readonly total: number
}

/** The rows of a list that is derived from others, and what their changes are to its reader. */
export class ShownRows<R> {
  readonly #rows = new Map<string, { readonly row: R; readonly print: bigint }>()
  #digest = 0n

  get size(): number {
    return this.#rows.size
  }

  /** Equal for equal rows: 16 hexadecimal digits. */
  get digest(): string {
    return this.#digest.toString(16).padStart(16, '0')
  }

  get keys(): Iterable<string> {
    return this.#rows.keys()
  }

  get(key: string): R | undefined {
    return this.#rows.get(key)?.row
  }

  /** Shows a row; undefined where it is shown already, as it is. @throws Failure FAILED_PRECONDITION beyond what one stream shows */
  set(key: string, row: R): RowStep<R> | undefined {
    const before = this.#rows.get(key)
    const print = printOf(key, row)
    if (before?.print === print) return undefined
    this.#rows.set(key, { row, print })
    this.#digest ^= print ^ (before?.print ?? 0n)
    if (this.size > MOST_ROWS) throw tooMany()
    return { type: before ? 'MODIFIED' : 'ADDED', row, total: this.size }
  }

  /**
   * Shows a row no longer; undefined where it was not shown.
   * @param left what is still there, as it is now, and no longer matches; absent for what is gone
   */
  remove(key: string, left?: R): RowStep<R> | undefined {
    const before = this.#rows.get(key)
    if (!before) return undefined
    this.#rows.delete(key)
    this.#digest ^= before.print
    return left === undefined
      ? { type: 'DELETED', row: before.row, total: this.size }
      : { type: 'LEFT', row: left, total: this.size }
  }
}

function printOf(key: string, row: unknown): bigint {
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
  return createHash('sha256')
    .update(JSON.stringify([key, row], plain))
    .digest()
    .readBigUInt64BE()
}

const tooMany = () =>
  failedPrecondition(
    `more than ${MOST_ROWS} match, the most that one stream follows: ask for fewer by the filter of the request`,
    { reason: 'ListTooLarge' },
  )

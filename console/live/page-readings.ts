import type { Source } from './source.js'

/** The pages that are being read, and the rows that changed since they were requested. */
export class PageReadings<T> {
  readonly #underWay = new Map<number, AbortController>()
  /** Rows that changed while pages are being read, by their keys. */
  readonly #newer = new Map<string, T>()

  constructor(
    private readonly source: Pick<Source<T>, 'list' | 'keyOf'>,
    private readonly pageSize: number,
  ) {}

  get isReading(): boolean {
    return this.#underWay.size > 0
  }

  isReadingPage(number: number): boolean {
    return this.#underWay.has(number)
  }

  /** Records a change: the server may have read a requested page before it. */
  recordChange(row: T): void {
    if (this.isReading) this.#newer.set(this.source.keyOf(row), row)
  }

  abort(isUnwanted: (number: number) => boolean): void {
    for (const [number, reading] of this.#underWay) if (isUnwanted(number)) reading.abort()
  }

  /** Aborts all reads and drops recorded changes. */
  reset(): void {
    this.abort(() => true)
    this.#underWay.clear()
    this.#newer.clear()
  }

  /** Reads a page, with the changes that came meanwhile. @returns undefined where it was aborted @throws the error of the source */
  async read(number: number): Promise<{ readonly rows: readonly T[]; readonly total: number } | undefined> {
    const reading = new AbortController()
    const { signal } = reading
    this.#underWay.set(number, reading)
    try {
      const { items, total } = await this.source.list({ page: number, pageSize: this.pageSize }, signal)
      const rows = items.map(item => this.#newer.get(this.source.keyOf(item)) ?? item)
      return signal.aborted ? undefined : { rows, total }
    } catch (error) {
      if (signal.aborted) return undefined
      throw error
    } finally {
      if (this.#underWay.get(number) === reading) this.#underWay.delete(number)
      if (!this.isReading) this.#newer.clear()
    }
  }
}

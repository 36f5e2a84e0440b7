import type { Source } from './source.js'

/** Pages of a list that are on their way, and what has changed since they were requested. */
export class PageReadings<T> {
  readonly #underWay = new Map<number, AbortController>()
  /** Rows that changed while pages are on their way, by their keys. */
  readonly #newer = new Map<string, T>()

  constructor(
    private readonly source: Pick<Source<T>, 'list' | 'keyOf'>,
    private readonly pageSize: number,
  ) {}

  get isAny(): boolean {
    return this.#underWay.size > 0
  }

  isUnderWay(number: number): boolean {
    return this.#underWay.has(number)
  }

  /** The server may have read a page that is on its way before this change. */
  noteChange(row: T): void {
    if (this.isAny) this.#newer.set(this.source.keyOf(row), row)
  }

  abort(isUnwanted: (number: number) => boolean): void {
    for (const [number, reading] of this.#underWay) if (isUnwanted(number)) reading.abort()
  }

  /** Aborts all, as if none had been requested. */
  forget(): void {
    this.abort(() => true)
    this.#underWay.clear()
    this.#newer.clear()
  }

  /** Requests a page. @returns undefined where it was aborted @throws what the source throws */
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
      if (!this.isAny) this.#newer.clear()
    }
  }
}

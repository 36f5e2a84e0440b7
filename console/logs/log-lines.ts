/** One row of a log: a line that a container wrote, a notice of the stream about a container or a cluster, or that the log was not read for a while. */
export interface LogLine {
  /** Counts from 0; names the row while the page is open. */
  readonly id: number
  readonly kind: 'line' | 'joined' | 'ended' | 'unread' | 'gap'
  readonly cluster: string
  readonly pod: string
  readonly container: string
  /** RFC 3339 with nanoseconds, by the clock of the node; empty on notices. */
  readonly time: string
  readonly text: string
  readonly truncated: boolean
}

/** Rows that a page keeps: more than a person reads, and a find over them takes milliseconds. */
export const MOST_LINES = 20_000
/** Characters of them: lines may have 64 KiB each. */
export const MOST_CHARACTERS = 8 << 20

/** Colours and cursor movements of terminals (ECMA-48, 5.4): this is no terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g

/** The newest rows of a log, within bounds: the oldest are dropped and counted. */
export class LogLines {
  #rows: LogLine[] = []
  #first = 0
  #next = 0
  #characters = 0
  #dropped = 0

  constructor(
    private readonly mostLines = MOST_LINES,
    private readonly mostCharacters = MOST_CHARACTERS,
  ) {}

  /** How many rows were dropped. */
  get dropped(): number {
    return this.#dropped
  }

  add(row: Omit<LogLine, 'id'>): void {
    const text = row.text.replace(ESCAPES, '')
    this.#rows.push({ ...row, text, id: this.#next })
    this.#next += 1
    this.#characters += text.length
    while (
      this.#rows.length - this.#first > this.mostLines ||
      (this.#characters > this.mostCharacters && this.#rows.length - this.#first > 1)
    ) {
      this.#characters -= this.#rows[this.#first]?.text.length ?? 0
      this.#first += 1
      this.#dropped += 1
    }
    // Moving all rows for each that is dropped would cost more than the rows that are kept a while longer.
    if (this.#first > this.mostLines) {
      this.#rows = this.#rows.slice(this.#first)
      this.#first = 0
    }
  }

  /** The rows that are kept, the oldest first. A copy. */
  rows(): readonly LogLine[] {
    return this.#rows.slice(this.#first)
  }

  clear(): void {
    this.#rows = []
    this.#first = this.#characters = this.#dropped = 0
  }
}

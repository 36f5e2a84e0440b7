/** A row of a log: a line of a container, a notice about a container or a cluster, or a gap in which the log was not read. */
export interface LogLine {
  /** Counts from 0; unique while the page is open. */
  readonly id: number
  readonly kind: 'line' | 'joined' | 'ended' | 'unread' | 'gap'
  readonly cluster: string
  readonly pod: string
  readonly container: string
  /** RFC 3339 with nanoseconds, by the node's clock; empty for notices. */
  readonly time: string
  readonly text: string
  readonly truncated: boolean
}

/** The most rows of a page: more than anybody reads, and a search over them takes milliseconds. */
export const MOST_LINES = 20_000
/** The most characters of all rows: a line may have 64 KiB. */
export const MOST_CHARACTERS = 8 << 20

/** Matches colours and cursor movements of terminals (ECMA-48, 5.4), which are removed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed by this
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g

/** The newest rows of a log. Where there are too many, the oldest are dropped and counted. */
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

  /** The number of dropped rows. */
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
    // Copying the array for each dropped row would cost more than keeping dropped rows for a while.
    if (this.#first > this.mostLines) {
      this.#rows = this.#rows.slice(this.#first)
      this.#first = 0
    }
  }

  /** A copy of the rows, the oldest first. */
  rows(): readonly LogLine[] {
    return this.#rows.slice(this.#first)
  }

  clear(): void {
    this.#rows = []
    this.#first = this.#characters = this.#dropped = 0
  }
}

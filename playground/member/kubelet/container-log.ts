/** One line that a container wrote. */
export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly text: string
}

/** As many lines of each container are kept; a kubelet keeps some megabytes. */
const MOST_LINES = 1_000

/** What one container has written, and who is told what it writes next. */
export class ContainerLog {
  readonly #lines: LogLine[] = []
  readonly #readers = new Set<(line: LogLine) => void>()

  constructor(readonly now: () => number) {}

  get lines(): readonly LogLine[] {
    return this.#lines
  }

  write(text: string): void {
    const line = { time: this.now(), text }
    this.#lines.push(line)
    if (this.#lines.length > MOST_LINES) this.#lines.shift()
    for (const reader of this.#readers) reader(line)
  }

  /** Tells of every line from now on. @returns what ends it */
  follow(reader: (line: LogLine) => void): () => void {
    this.#readers.add(reader)
    return () => this.#readers.delete(reader)
  }
}

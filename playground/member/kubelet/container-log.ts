/** One line that a container wrote. */
export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly text: string
}

/** As many lines of each container are kept; a kubelet keeps some megabytes. */
const MOST_LINES = 1_000

/** A reader of what a container writes next. */
export interface LogReader {
  readonly line: (line: LogLine) => void
  /** Called when nothing more will be written. */
  readonly end: () => void
}

/** What one run of a container has written, and who reads what it writes next. */
export class ContainerLog {
  readonly #lines: LogLine[] = []
  readonly #readers = new Set<LogReader>()
  #isEnded = false

  constructor(readonly now: () => number) {}

  get lines(): readonly LogLine[] {
    return this.#lines
  }

  /** True when the run is over. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  write(text: string): void {
    const line = { time: this.now(), text }
    this.#lines.push(line)
    if (this.#lines.length > MOST_LINES) this.#lines.shift()
    for (const reader of this.#readers) reader.line(line)
  }

  /** The run is over: its readers leave. */
  end(): void {
    this.#isEnded = true
    for (const reader of this.#readers) reader.end()
    this.#readers.clear()
  }

  /** Reads every line from now on. @returns what stops it */
  follow(reader: LogReader): () => void {
    if (this.#isEnded) reader.end()
    else this.#readers.add(reader)
    return () => this.#readers.delete(reader)
  }
}

import type { Change, RowChange, Source } from './source.js'

/** Whether the server refuses a watch because the list has more objects than one stream follows. */
export const isTooLong = (error: unknown): boolean =>
  error instanceof Error && 'reason' in error && error.reason === 'ListTooLarge'

/** Receives the messages of a list's stream. */
interface Receiver<T> {
  /** A message of the Watch. */
  change(change: Change<T>): void
  /** A message of the stream of changes, where the list is too long for a Watch. */
  rowChange(change: RowChange): void
}

/**
 * The stream that follows a list: its Watch, which resumes where it broke, or its stream of changes once the server refused the Watch because the
 * list is too long.
 */
export class ListStream<T> {
  #resumeToken = ''
  #isLong = false

  constructor(
    private readonly source: Pick<Source<T>, 'watch' | 'changes'>,
    private readonly receiver: Receiver<T>,
  ) {}

  /** The list is too long for a Watch. */
  get isLong(): boolean {
    return this.#isLong
  }

  /** Reads the stream to its end. @param answered called for each message */
  async read(signal: AbortSignal, answered: () => void): Promise<'again'> {
    try {
      if (!this.#isLong) {
        await this.#readWatch(signal, answered)
        return 'again'
      }
    } catch (error) {
      if (!isTooLong(error) || !this.source.changes) throw error
      this.#isLong = true
    }
    await this.#readChanges(signal, answered)
    return 'again'
  }

  async #readWatch(signal: AbortSignal, answered: () => void): Promise<void> {
    for await (const change of this.source.watch(this.#resumeToken, signal)) {
      answered()
      if (change.resumeToken !== '') this.#resumeToken = change.resumeToken
      this.receiver.change(change)
    }
  }

  async #readChanges(signal: AbortSignal, answered: () => void): Promise<void> {
    if (!this.source.changes) throw new Error('the list has no stream of changes')
    for await (const change of this.source.changes(signal)) {
      answered()
      this.receiver.rowChange(change)
    }
  }
}

import { type Clock, clock } from './clock.js'
import { Due } from './due.js'
import { asError, type Followed, follow } from './follow.js'
import { PageReadings } from './page-readings.js'
import { PageView } from './page-view.js'
import { isInSight, Pages, ROWS, type Sight } from './pages.js'
import { Pause, retryAfterMs } from './retry.js'
import type { Change, RowChange, Source } from './source.js'
import { ToldChanges } from './told-changes.js'

/** Items that came, went or moved change the order: the page is asked for again, at most so often. */
const LIST_MS = 1_000
/** The same of a list that is not followed whole, of which almost nothing that comes or goes is in sight. */
const LONG_LIST_MS = 5_000
/** A reader who scrolls on does not wait for the pages that went by: they are asked for when they stay in sight for so long. */
const LOOK_MS = 80
/** Whether the server refuses a watch because the list has more objects than one stream follows. */
const isTooLong = (error: unknown): boolean =>
  error instanceof Error && 'reason' in error && error.reason === 'ListTooLarge'

/**
 * The pages of a list that are in sight, kept current by a watch of the whole list, or by its changes where it is too long for one. The browser
 * holds these, some around them, and no others. Runs from `start` to `stop`, also while its stream breaks: it resumes where it was, and says
 * meanwhile that what is shown may be old.
 */
export class LivePage<T> {
  readonly #pages: Pages<T>
  readonly #view: PageView<T>
  #sight: Sight = { from: 1, to: 1 }
  #resumeToken = ''
  #run: AbortController | undefined
  /** Rounds of reading its pages that failed one after the other. */
  #listFailures = 0
  readonly #readings: PageReadings<T>
  #listAgain = false
  /** Whether its stream tells what changes in what is read. */
  #synced = false
  /** Its watch was refused: its changes alone are followed. */
  #isLong = false
  readonly #told: ToldChanges<T>
  readonly #listDue: Due
  readonly #lookDue: Due
  /** Before the next attempt to follow the list. */
  readonly #pause: Pause

  constructor(
    private readonly source: Source<T>,
    private readonly time: Clock = clock,
    private readonly pageSize = ROWS,
  ) {
    this.#pages = new Pages(item => source.keyOf(item))
    this.#readings = new PageReadings(source, pageSize)
    this.#told = new ToldChanges(source)
    this.#listDue = new Due(time, () => this.#list())
    this.#lookDue = new Due(time, () => this.#readMissing())
    this.#pause = new Pause(time)
    const { look, readAgain } = this
    this.#view = new PageView({ pageSize, look, readAgain }, this.#pages, () => this.#sight, time)
    this.page = this.#view.page
    this.subscribe = this.#view.subscribe
  }

  /** The same object until something changes. */
  readonly page: PageView<T>['page']
  readonly subscribe: PageView<T>['subscribe']

  readonly look = (first: number, last: number): void => {
    const pageOf = (row: number) => Math.floor(Math.max(0, row) / this.pageSize) + 1
    const sight = { from: pageOf(first), to: pageOf(last) }
    if (sight.from === this.#sight.from && sight.to === this.#sight.to) return
    this.#sight = sight
    this.#readings.abort(number => !isInSight(number, sight))
    this.#view.update({})
    this.#view.show()
    if (this.#run && this.page().state !== 'loading') this.#lookDue.within(LOOK_MS)
  }

  readonly readAgain = (): void => {
    if (!this.#run) return
    this.#list()
    this.retry()
  }

  start(): void {
    if (this.#run) return
    const run = new AbortController()
    this.#run = run
    const stream: Followed = {
      read: (signal, answered) => this.#readStream(signal, answered),
      broken: problem => this.#broken(problem),
    }
    void follow(stream, run.signal, { pause: this.#pause })
  }

  /** Keeps what is shown; `start` goes on after it. */
  stop(): void {
    this.#run?.abort()
    this.#run = undefined
    this.#readings.forget()
    this.#listDue.cancel()
    this.#lookDue.cancel()
    this.#view.stop()
    this.#listAgain = this.#synced = false
    if (this.page().state === 'live') this.#view.become('stale')
    this.#view.show()
  }

  /** What it waits for may be there now, as after somebody signed in: it tries again at once. */
  retry(): void {
    this.#pause.end()
    if (this.#listFailures === 0 || this.#readings.isAny) return
    this.#listDue.cancel()
    this.#list()
  }

  /** Reads the stream of the list, or of its changes where the list is too long. */
  async #readStream(signal: AbortSignal, answered: () => void): Promise<'again'> {
    try {
      if (!this.#isLong) {
        for await (const change of this.source.watch(this.#resumeToken, signal)) {
          answered()
          this.#take(change)
        }
        return 'again'
      }
    } catch (error) {
      if (signal.aborted || !isTooLong(error) || !this.source.changes) throw error
      this.#isLong = true
    }
    for await (const change of this.#changes(signal)) {
      answered()
      this.#takeOfLong(change)
    }
    return 'again'
  }

  #changes(signal: AbortSignal): AsyncIterable<RowChange> {
    if (!this.source.changes) throw new Error('the list has no stream of changes')
    return this.source.changes(signal)
  }

  /** The list is not followed now: its pages are shown as they were read. */
  #readOnly(): void {
    this.#view.update({ state: 'read' })
    this.#list()
  }

  #take({ type, item, total, resumeToken }: Change<T>): void {
    if (resumeToken !== '') this.#resumeToken = resumeToken
    if (type === 'RESET') {
      this.#synced = false
      this.#told.clear()
      return
    }
    const { versionOf } = this.source
    if (versionOf) this.#told.count(total)
    if (type === 'BOOKMARK') {
      // What came before it is what there is: the pages are asked for once, and not after each.
      if (!this.#synced || this.page().state !== 'live') this.#begin()
      return
    }
    if (!this.#synced || !item) return
    const isModified = type === 'MODIFIED'
    if (isModified) this.#readings.noteChange(item)
    const isShown = isModified && this.#pages.replace(item)
    const isThere = isModified || type === 'ADDED'
    const told = isThere ? { version: versionOf?.(item), row: item } : {}
    if (versionOf) this.#told.note(this.source.keyOf(item), told, isShown)
    if (isShown || total !== this.page().total) this.#view.change({ total })
    if (!isModified || (!isShown && !this.source.isStable)) this.#listSoon()
  }

  #takeOfLong(change: RowChange): void {
    if (change.type === 'START') {
      this.#told.clear()
      this.#begin()
      return
    }
    const { type, key, version } = change
    const isShown = this.#pages.has(key)
    this.#told.note(key, type === 'DELETED' ? {} : { version }, isShown)
    if (isShown) this.#listSoon()
    else if (type !== 'MODIFIED' || !this.source.isStable) this.#listSoon(LONG_LIST_MS)
  }

  #begin(): void {
    this.#synced = true
    this.#list()
  }

  /** Reads what is in sight anew after so long, milliseconds. After a failure the pause is kept, whatever changes. */
  #listSoon(ms: number = LIST_MS): void {
    if (this.#listFailures === 0 || !this.#listDue.isSet) this.#listDue.within(ms)
  }

  /** Reads all that is in sight anew. What is out of sight may have changed as well, and is read when it is looked at. */
  #list(): void {
    if (this.#readings.isAny) {
      this.#listAgain = true
      return
    }
    this.#pages.keepOnly(this.#sight)
    this.#told.reading()
    this.#view.update({})
    for (let number = this.#sight.from; number <= this.#lastInSight; number += 1) void this.#read(number)
  }

  #readMissing(): void {
    for (let number = this.#sight.from; number <= this.#lastInSight; number += 1)
      if (!this.#pages.all.has(number) && !this.#readings.isUnderWay(number)) void this.#read(number)
  }

  /** A page after the last one is not asked for, unless it is all that is in sight: its answer says how many there are. */
  get #lastInSight(): number {
    const pages = Math.ceil(this.page().total / this.pageSize)
    return Math.min(this.#sight.to, Math.max(this.#sight.from, pages))
  }

  /** Reads one page. It never rejects. */
  async #read(number: number): Promise<void> {
    try {
      const answer = await this.#readings.read(number)
      if (!answer) return
      const { total } = answer
      const { rows, againMs } = this.#told.take(answer.rows, total)
      this.#listFailures = 0
      this.#pages.set(number, { rows, readAt: this.time.now() }, this.#sight)
      const part = { total, ...(this.#isLong && { countedAt: this.time.now() }) }
      if (this.#synced && !this.#readings.isAny) this.#view.become('live', part)
      else this.#view.update(part)
      this.#view.show()
      if (againMs !== undefined) this.#listSoon(againMs)
    } catch (error) {
      this.#failed(asError(error))
      if (!this.#listDue.isSet) this.#listFailures += 1
      this.#listSoon(retryAfterMs(this.#listFailures, error))
    } finally {
      if (this.#listAgain && !this.#readings.isAny) {
        this.#listAgain = false
        this.#listSoon()
      }
    }
  }

  /** Its stream is over: what is read from now on may change unnoticed. */
  #broken(problem: Error): 'again' | 'wait' {
    this.#synced = false
    this.#failed(problem)
    if (isTooLong(problem) || (this.#isLong && this.page().state === 'loading')) this.#readOnly()
    // The server would read as many objects again to refuse it again: it is tried when a reader wants it.
    return isTooLong(problem) ? 'wait' : 'again'
  }

  #failed(problem: Error): void {
    if (this.page().state === 'live') this.#view.become('stale')
    this.#view.change({ problem })
  }
}

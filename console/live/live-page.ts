import { type Clock, clock } from './clock.js'
import { EarliestTimer } from './earliest-timer.js'
import { asError, type Followed, follow } from './follow.js'
import { isTooLong, ListStream } from './list-stream.js'
import { PageReadings } from './page-readings.js'
import { PageView } from './page-view.js'
import { isInRange, type PageRange, Pages, ROWS } from './pages.js'
import { Pause, retryAfterMs } from './retry.js'
import type { Change, RowChange, Source } from './source.js'
import { StreamedChanges } from './streamed-changes.js'

/** The shortest time between two reads of the visible pages, milliseconds. They are read again when rows came, went or moved. */
const LIST_MS = 1_000
/** The same for a list that is too long to be followed: almost none of its changes concern visible pages. */
const LONG_LIST_MS = 5_000
/** A page is requested after it was visible for so long, milliseconds, so that scrolling past a page does not request it. */
const SETTLE_MS = 80

/**
 * The visible pages of a list, kept current by a Watch of the whole list, or by its stream of changes where it is too long for a Watch. The browser
 * holds these pages, some around them, and no others. From `start` to `stop` it follows the list. When the stream breaks, the page becomes stale
 * until the stream has resumed.
 */
export class LivePage<T> {
  readonly #pages: Pages<T>
  readonly #view: PageView<T>
  #visible: PageRange = { from: 1, to: 1 }
  #run: AbortController | undefined
  /** Failed reads in a row. */
  #listFailures = 0
  readonly #readings: PageReadings<T>
  #listAgain = false
  /** The stream sends every change of the pages that are read now. */
  #isSynced = false
  readonly #stream: ListStream<T>
  readonly #streamed: StreamedChanges<T>
  readonly #listTimer: EarliestTimer
  readonly #missingTimer: EarliestTimer
  /** The pause before the stream is read again. */
  readonly #pause: Pause

  constructor(
    private readonly source: Source<T>,
    private readonly time: Clock = clock,
    private readonly pageSize = ROWS,
  ) {
    this.#pages = new Pages(item => source.keyOf(item))
    this.#readings = new PageReadings(source, pageSize)
    this.#streamed = new StreamedChanges(source)
    this.#listTimer = new EarliestTimer(time, () => this.#list())
    this.#missingTimer = new EarliestTimer(time, () => this.#readMissing())
    this.#pause = new Pause(time)
    this.#stream = new ListStream(source, {
      change: change => this.#take(change),
      rowChange: change => this.#takeRowChange(change),
    })
    const { showRows, readAgain } = this
    this.#view = new PageView({ pageSize, showRows, readAgain }, this.#pages, () => this.#visible, time)
    this.page = this.#view.page
    this.subscribe = this.#view.subscribe
  }

  /** The same object until something changes. */
  readonly page: PageView<T>['page']
  readonly subscribe: PageView<T>['subscribe']

  readonly showRows = (first: number, last: number): void => {
    const pageOf = (row: number) => Math.floor(Math.max(0, row) / this.pageSize) + 1
    const visible = { from: pageOf(first), to: pageOf(last) }
    if (visible.from === this.#visible.from && visible.to === this.#visible.to) return
    this.#visible = visible
    this.#readings.abort(number => !isInRange(number, visible))
    this.#view.update({})
    this.#view.show()
    if (this.#run && this.page().state !== 'loading') this.#missingTimer.fireWithin(SETTLE_MS)
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
      read: (signal, answered) => this.#stream.read(signal, answered),
      broken: problem => this.#broken(problem),
    }
    void follow(stream, run.signal, { pause: this.#pause })
  }

  /** Ends the stream and keeps the pages. `start` continues. */
  stop(): void {
    this.#run?.abort()
    this.#run = undefined
    this.#readings.reset()
    this.#listTimer.cancel()
    this.#missingTimer.cancel()
    this.#view.stop()
    this.#listAgain = this.#isSynced = false
    if (this.page().state === 'live') this.#view.become('stale')
    this.#view.show()
  }

  /** Retries failed reads at once, as after a sign-in. */
  retry(): void {
    this.#pause.end()
    if (this.#listFailures === 0 || this.#readings.isReading) return
    this.#listTimer.cancel()
    this.#list()
  }

  /** Shows the pages as they are read, because the list is not followed now. */
  #readOnly(): void {
    this.#view.update({ state: 'read' })
    this.#list()
  }

  #take({ type, item, total }: Change<T>): void {
    if (type === 'RESET') {
      this.#isSynced = false
      this.#streamed.clear()
      return
    }
    const { versionOf } = this.source
    if (versionOf) this.#streamed.setTotal(total)
    if (type === 'BOOKMARK') {
      // The Watch has sent the whole list: the pages are read once, and not after each object.
      if (!this.#isSynced || this.page().state !== 'live') this.#begin()
      return
    }
    if (!this.#isSynced || !item) return
    const isModified = type === 'MODIFIED'
    if (isModified) this.#readings.recordChange(item)
    const isShown = isModified && this.#pages.replace(item)
    const isThere = isModified || type === 'ADDED'
    const recorded = isThere ? { version: versionOf?.(item), row: item } : {}
    if (versionOf) this.#streamed.record(this.source.keyOf(item), recorded, isShown)
    if (isShown || total !== this.page().total) this.#view.change({ total })
    if (!isModified || !this.source.isStable) this.#listSoon()
  }

  #takeRowChange(change: RowChange): void {
    if (change.type === 'START') {
      this.#streamed.clear()
      this.#begin()
      return
    }
    const { type, key, version } = change
    const isShown = this.#pages.has(key)
    this.#streamed.record(key, type === 'DELETED' ? {} : { version }, isShown)
    if (isShown) this.#listSoon()
    else if (type !== 'MODIFIED' || !this.source.isStable) this.#listSoon(LONG_LIST_MS)
  }

  #begin(): void {
    this.#isSynced = true
    this.#list()
  }

  /**
   * Schedules a read of the visible pages. After a failed read its pause is kept, whatever changes meanwhile. @param ms at most so many milliseconds
   * from now
   */
  #listSoon(ms: number = LIST_MS): void {
    if (this.#listFailures === 0 || !this.#listTimer.isSet) this.#listTimer.fireWithin(ms)
  }

  /** Reads all visible pages and drops the others, which may have changed as well: they are read when they become visible. */
  #list(): void {
    if (this.#readings.isReading) {
      this.#listAgain = true
      return
    }
    this.#pages.keepOnly(this.#visible)
    this.#streamed.beginRead()
    this.#view.update({})
    for (let number = this.#visible.from; number <= this.#lastVisible; number += 1) void this.#read(number)
  }

  #readMissing(): void {
    for (let number = this.#visible.from; number <= this.#lastVisible; number += 1)
      if (!this.#pages.all.has(number) && !this.#readings.isReadingPage(number)) void this.#read(number)
  }

  /** The last page to read. Pages after the end of the list are not requested; the first visible one is, because its answer has the total. */
  get #lastVisible(): number {
    const pages = Math.ceil(this.page().total / this.pageSize)
    return Math.min(this.#visible.to, Math.max(this.#visible.from, pages))
  }

  /** Reads one page. It never rejects. */
  async #read(number: number): Promise<void> {
    try {
      const answer = await this.#readings.read(number)
      if (!answer) return
      const { total } = answer
      const { rows, againMs } = this.#streamed.merge(answer.rows, total)
      this.#listFailures = 0
      this.#pages.set(number, { rows, readAt: this.time.now() }, this.#visible)
      const part = { total, ...(this.#stream.isLong && { countedAt: this.time.now() }) }
      if (this.#isSynced && !this.#readings.isReading) this.#view.become('live', part)
      else this.#view.update(part)
      this.#view.show()
      if (againMs !== undefined) this.#listSoon(againMs)
    } catch (error) {
      this.#failed(asError(error))
      if (!this.#listTimer.isSet) this.#listFailures += 1
      this.#listSoon(retryAfterMs(this.#listFailures, error))
    } finally {
      if (this.#listAgain && !this.#readings.isReading) {
        this.#listAgain = false
        this.#listSoon()
      }
    }
  }

  /** Called when the stream ended: later changes go unnoticed. */
  #broken(problem: Error): 'again' | 'wait' {
    this.#isSynced = false
    this.#failed(problem)
    if (isTooLong(problem) || (this.#stream.isLong && this.page().state === 'loading')) this.#readOnly()
    // The server would read the whole list again only to refuse the Watch again, so only `readAgain` and `retry` try it.
    return isTooLong(problem) ? 'wait' : 'again'
  }

  #failed(problem: Error): void {
    if (this.page().state === 'live') this.#view.become('stale')
    this.#view.change({ problem })
  }
}

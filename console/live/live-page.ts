import { type Clock, clock } from './clock.js'
import type { Page } from './page.js'
import { PageReadings } from './page-readings.js'
import { Pages, ROWS, type Sight } from './pages.js'
import { Pause, retryMs } from './retry.js'
import type { Change, Source } from './source.js'

/** Readers are called so often at most: four frames a second are enough for what people read. */
const FRAME_MS = 250
/** Items that came, went or moved change the order: the page is asked for again, at most so often. */
const LIST_MS = 1_000
/** A reader who scrolls on does not wait for the pages that went by: they are asked for when they stay in sight for so long. */
const LOOK_MS = 80
/** Whether the server refuses a watch because the list has more objects than one stream follows. */
const isTooLong = (error: unknown): boolean =>
  error instanceof Error && 'reason' in error && error.reason === 'ListTooLarge'

/**
 * The pages of a list that are in sight, kept current by a watch of the whole list. The browser holds these, some around them, and no others. Runs
 * from `start` to `stop`, also while its stream breaks: it resumes where it was, and says meanwhile that what is shown may be old.
 */
export class LivePage<T> {
  #page: Page<T>
  readonly #pages: Pages<T>
  #sight: Sight = { from: 1, to: 1 }
  #resumeToken = ''
  #run: AbortController | undefined
  #failures = 0
  /** Of its pages, one round after the other: the watch may go on meanwhile. */
  #listFailures = 0
  readonly #readings: PageReadings<T>
  #listAgain = false
  #synced = false
  #cancelList: (() => void) | undefined
  #cancelLook: (() => void) | undefined
  #cancelFrame: (() => void) | undefined
  /** Before the next attempt to follow the list. */
  readonly #pause: Pause
  readonly #readers = new Set<() => void>()

  constructor(
    private readonly source: Source<T>,
    private readonly time: Clock = clock,
    private readonly pageSize = ROWS,
  ) {
    this.#pages = new Pages(item => source.keyOf(item))
    this.#readings = new PageReadings(source, pageSize)
    this.#pause = new Pause(time)
    this.#page = {
      ...{ items: [], pages: this.#pages.all, pageSize, total: 0, state: 'loading', since: time.now() },
      ...{ look: this.look, readAgain: this.readAgain },
    }
  }

  /** The same object until something changes. */
  readonly page = (): Page<T> => this.#page

  readonly subscribe = (reader: () => void): (() => void) => {
    this.#readers.add(reader)
    return () => void this.#readers.delete(reader)
  }

  readonly look = (first: number, last: number): void => {
    const pageOf = (row: number) => Math.floor(Math.max(0, row) / this.pageSize) + 1
    const sight = { from: pageOf(first), to: pageOf(last) }
    if (sight.from === this.#sight.from && sight.to === this.#sight.to) return
    this.#sight = sight
    this.#readings.abort(number => !this.#isInSight(number))
    this.#update({})
    this.#show()
    if (!this.#synced && this.#page.state !== 'read') return
    this.#cancelLook ??= this.time.later(() => {
      this.#cancelLook = undefined
      this.#readMissing()
    }, LOOK_MS)
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
    void this.#follow(run.signal)
  }

  /** Keeps what is shown; `start` goes on after it. */
  stop(): void {
    this.#run?.abort()
    this.#run = undefined
    this.#readings.forget()
    this.#cancelList?.()
    this.#cancelLook?.()
    this.#cancelFrame?.()
    this.#cancelList = this.#cancelLook = this.#cancelFrame = undefined
    this.#listAgain = this.#synced = false
    if (this.#page.state === 'live') this.#update({ state: 'stale', since: this.time.now() })
    this.#show()
  }

  /** What it waits for may be there now, as after somebody signed in: it tries again at once. */
  retry(): void {
    this.#pause.end()
    if (this.#listFailures === 0 || !this.#cancelList) return
    this.#cancelList()
    this.#cancelList = undefined
    this.#list()
  }

  /** Watches until it is stopped. It never rejects. */
  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const change of this.source.watch(this.#resumeToken, signal)) this.#take(change)
        this.#failed(new Error('the stream has ended'))
      } catch (error) {
        if (signal.aborted) return
        this.#failed(error instanceof Error ? error : new Error(String(error)))
        // The server would read as many objects again to refuse it again: it is tried when a reader wants it.
        if (isTooLong(error)) {
          this.#readOnly()
          await this.#pause.last(undefined, signal)
          continue
        }
      }
      await this.#pause.last(retryMs(this.#failures), signal)
    }
  }

  /** The list cannot be followed: its pages are shown as they were read. */
  #readOnly(): void {
    this.#synced = false
    this.#update({ state: 'read' })
    this.#list()
  }

  #take({ type, item, total, resumeToken }: Change<T>): void {
    this.#failures = 0
    if (resumeToken !== '') this.#resumeToken = resumeToken
    if (type === 'RESET') {
      this.#synced = false
      return
    }
    if (type === 'BOOKMARK') {
      // What came before it is what there is: the pages are asked for once, and not after each.
      if (!this.#synced || this.#page.state !== 'live') {
        this.#synced = true
        this.#list()
      }
      return
    }
    if (!this.#synced || !item) return
    const isModified = type === 'MODIFIED'
    if (isModified) this.#readings.noteChange(item)
    const isShown = isModified && this.#pages.replace(item)
    if (isShown || total !== this.#page.total) this.#change({ total })
    if (!isModified || (!isShown && !this.source.isStable)) this.#listSoon()
  }

  #listSoon(ms: number = LIST_MS): void {
    this.#cancelList ??= this.time.later(() => {
      this.#cancelList = undefined
      this.#list()
    }, ms)
  }

  /** Reads all that is in sight anew. What is out of sight may have changed as well, and is read when it is looked at. */
  #list(): void {
    if (this.#readings.isAny) {
      this.#listAgain = true
      return
    }
    this.#pages.keepOnly(this.#sight)
    this.#update({})
    for (let number = this.#sight.from; number <= this.#lastInSight; number += 1) void this.#read(number)
  }

  #readMissing(): void {
    for (let number = this.#sight.from; number <= this.#lastInSight; number += 1)
      if (!this.#pages.all.has(number) && !this.#readings.isUnderWay(number)) void this.#read(number)
  }

  /** A page after the last one is not asked for, unless it is all that is in sight: its answer says how many there are. */
  get #lastInSight(): number {
    const pages = Math.ceil(this.#page.total / this.pageSize)
    return Math.min(this.#sight.to, Math.max(this.#sight.from, pages))
  }

  #isInSight(number: number): boolean {
    return number >= this.#sight.from && number <= this.#sight.to
  }

  /** Reads one page. It never rejects. */
  async #read(number: number): Promise<void> {
    try {
      const answer = await this.#readings.read(number)
      if (!answer) return
      const { rows, total } = answer
      this.#listFailures = 0
      this.#pages.set(number, { rows, readAt: this.time.now() }, this.#sight)
      this.#update({ total, ...(this.#synced && !this.#readings.isAny && this.#becomesLive()) })
      this.#show()
    } catch (error) {
      this.#failed(error instanceof Error ? error : new Error(String(error)))
      if (!this.#cancelList) this.#listFailures += 1
      this.#listSoon(retryMs(this.#listFailures))
    } finally {
      if (this.#listAgain && !this.#readings.isAny) {
        this.#listAgain = false
        this.#listSoon()
      }
    }
  }

  #becomesLive(): Partial<Page<T>> {
    const { state, since } = this.#page
    return { state: 'live', since: state === 'live' ? since : this.time.now() }
  }

  #failed(problem: Error): void {
    this.#failures += 1
    const { state } = this.#page
    if (state === 'live') this.#update({ state: 'stale', since: this.time.now() })
    this.#change({ problem })
  }

  #change(part: Partial<Page<T>>): void {
    this.#update(part)
    this.#cancelFrame ??= this.time.later(() => {
      this.#cancelFrame = undefined
      this.#show()
    }, FRAME_MS)
  }

  #update(part: Partial<Page<T>>): void {
    const pages = this.#pages.all
    const { problem, ...before } = this.#page
    const next = { ...before, ...(problem && { problem }), ...part, pages }
    const items = pages.get(this.#sight.from)?.rows ?? NONE
    this.#page = { ...next, items, ...(next.state === 'read' && { since: this.#oldestInSight(next.since) }) }
    if (next.state === 'live') delete (this.#page as { problem?: Error }).problem
  }

  #oldestInSight(otherwise: number): number {
    const read = [...this.#pages.all].filter(([number]) => this.#isInSight(number))
    return read.length === 0 ? otherwise : Math.min(...read.map(([, { readAt }]) => readAt))
  }

  #show(): void {
    for (const reader of this.#readers) reader()
  }
}

const NONE: readonly never[] = []

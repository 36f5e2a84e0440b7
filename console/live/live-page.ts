/** What a Watch sends, whatever it is of: the types that all lists of the management API share. */
export interface Change<T> {
  readonly type: 'RESET' | 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'LEFT'
  readonly item?: T
  /** How many match after this change. */
  readonly total: number
  readonly resumeToken: string
}

/** Where a page of a list comes from. */
export interface Source<T> {
  /** The items that are shown, as the server sorts and pages them. */
  list(signal: AbortSignal): Promise<{ readonly items: readonly T[]; readonly total: number }>
  watch(resumeToken: string, signal: AbortSignal): AsyncIterable<Change<T>>
  keyOf(item: T): string
}

/** What a screen shows of a list. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly total: number
  /** `live`: what is shown is what there is. `stale`: it was, at `since`. */
  readonly state: 'loading' | 'live' | 'stale'
  /** When the state began, milliseconds since 1970. */
  readonly since: number
  /** Why it is not live. */
  readonly problem?: Error
}

/** Readers are called so often at most: four frames a second are enough for what people read. */
const FRAME_MS = 250
/** Items that came, went or moved change the order: the page is asked for again, at most so often. */
const LIST_MS = 1_000
/** After a failure it is tried again: at once would burden a server that is starting. */
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const

/** Timers and the time, as a test can give them. */
export interface Clock {
  now(): number
  later(then: () => void, ms: number): () => void
}

export const clock: Clock = {
  now: Date.now,
  later: (then, ms) => {
    const timer = setTimeout(then, ms)
    return () => clearTimeout(timer)
  },
}

/**
 * One page of a list, kept current by a watch of the whole list. The browser holds the items that are shown and no others. Runs from `start` to
 * `stop`, also while its stream breaks: it resumes where it was, and says meanwhile that what is shown may be old.
 */
export class LivePage<T> {
  #page: Page<T>
  #resumeToken = ''
  #run: AbortController | undefined
  #failures = 0
  #listing = false
  #listAgain = false
  #synced = false
  #cancelList: (() => void) | undefined
  #cancelFrame: (() => void) | undefined
  /** Ends the pause before the next attempt. */
  #endPause: (() => void) | undefined
  readonly #readers = new Set<() => void>()

  constructor(
    private readonly source: Source<T>,
    private readonly time: Clock = clock,
  ) {
    this.#page = { items: [], total: 0, state: 'loading', since: time.now() }
  }

  /** The same object until something changes. */
  readonly page = (): Page<T> => this.#page

  readonly subscribe = (reader: () => void): (() => void) => {
    this.#readers.add(reader)
    return () => void this.#readers.delete(reader)
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
    this.#cancelList?.()
    this.#cancelFrame?.()
    this.#cancelList = this.#cancelFrame = undefined
    this.#listing = this.#listAgain = false
    if (this.#page.state === 'live') this.#page = { ...this.#page, state: 'stale', since: this.time.now() }
    this.#show()
  }

  /** What it waits for may be there now, as after somebody signed in: it tries again at once. */
  retry(): void {
    this.#endPause?.()
  }

  /** Watches until it is stopped. It never rejects. */
  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const change of this.source.watch(this.#resumeToken, signal)) this.#take(change, signal)
        this.#failed(new Error('the stream has ended'))
      } catch (error) {
        if (signal.aborted) return
        this.#failed(error instanceof Error ? error : new Error(String(error)))
      }
      const wait = RETRY_MS[Math.min(this.#failures, RETRY_MS.length) - 1] ?? RETRY_MS[0]
      await this.#pause(wait, signal)
    }
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const over = () => {
        cancel()
        signal.removeEventListener('abort', over)
        this.#endPause = undefined
        resolve()
      }
      const cancel = this.time.later(over, ms)
      this.#endPause = over
      signal.addEventListener('abort', over)
    })
  }

  #take({ type, item, total, resumeToken }: Change<T>, signal: AbortSignal): void {
    this.#failures = 0
    if (resumeToken !== '') this.#resumeToken = resumeToken
    if (type === 'RESET') {
      this.#synced = false
      return
    }
    if (type === 'BOOKMARK') {
      // What came before it is what there is: the page is asked for once, and not after each.
      if (!this.#synced || this.#page.state !== 'live') void this.#list(signal)
      this.#synced = true
      return
    }
    if (!this.#synced || !item) return
    this.#change({ total })
    const key = this.source.keyOf(item)
    const isShown = this.#page.items.some(shown => this.source.keyOf(shown) === key)
    if (type === 'MODIFIED' && isShown)
      this.#change({
        items: this.#page.items.map(shown => (this.source.keyOf(shown) === key ? item : shown)),
      })
    if (type !== 'MODIFIED' || !isShown || this.#listing) this.#listSoon(signal)
  }

  #listSoon(signal: AbortSignal): void {
    this.#cancelList ??= this.time.later(() => {
      this.#cancelList = undefined
      void this.#list(signal)
    }, LIST_MS)
  }

  async #list(signal: AbortSignal): Promise<void> {
    if (this.#listing) {
      this.#listAgain = true
      return
    }
    this.#listing = true
    try {
      const { items, total } = await this.source.list(signal)
      if (signal.aborted) return
      this.#page = {
        items,
        total,
        state: 'live',
        since: this.#page.state === 'live' ? this.#page.since : this.time.now(),
      }
      this.#show()
    } catch (error) {
      if (signal.aborted) return
      this.#failed(error instanceof Error ? error : new Error(String(error)))
      this.#listSoon(signal)
    } finally {
      if (!signal.aborted) {
        this.#listing = false
        if (this.#listAgain) this.#listSoon(signal)
        this.#listAgain = false
      }
    }
  }

  #failed(problem: Error): void {
    this.#failures += 1
    const { state } = this.#page
    if (state === 'live') this.#page = { ...this.#page, state: 'stale', since: this.time.now() }
    this.#change({ problem })
  }

  #change(part: Partial<Page<T>>): void {
    this.#page = { ...this.#page, ...part }
    this.#cancelFrame ??= this.time.later(() => {
      this.#cancelFrame = undefined
      this.#show()
    }, FRAME_MS)
  }

  #show(): void {
    for (const reader of this.#readers) reader()
  }
}

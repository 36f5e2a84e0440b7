import type { Clock } from './clock.js'
import type { Page } from './page.js'
import { isInRange, type PageRange, type Pages } from './pages.js'

/** The shortest time between two renders, milliseconds. Four frames a second are enough for reading. */
const FRAME_MS = 250

/** The page that components see, and the components that subscribed to it. */
export class PageView<T> {
  #page: Page<T>
  #cancelFrame: (() => void) | undefined
  readonly #subscribers = new Set<() => void>()

  constructor(
    begin: Pick<Page<T>, 'pageSize' | 'showRows' | 'readAgain'>,
    private readonly pages: Pages<T>,
    private readonly visible: () => PageRange,
    private readonly time: Clock,
  ) {
    this.#page = { ...begin, items: [], pages: pages.all, total: 0, state: 'loading', since: time.now() }
  }

  /** The same object until something changes. */
  readonly page = (): Page<T> => this.#page

  readonly subscribe = (subscriber: () => void): (() => void) => {
    this.#subscribers.add(subscriber)
    return () => void this.#subscribers.delete(subscriber)
  }

  /** Changes the page. Subscribers are called within `FRAME_MS`, once for all changes of that time. */
  change(part: Partial<Page<T>>): void {
    this.update(part)
    this.#cancelFrame ??= this.time.later(() => {
      this.#cancelFrame = undefined
      this.show()
    }, FRAME_MS)
  }

  /** Changes the page without calling subscribers. */
  update(part: Partial<Page<T>>): void {
    const pages = this.pages.all
    const { problem, ...before } = this.#page
    const next = { ...before, ...(problem && { problem }), ...part, pages }
    const items = pages.get(this.visible().from)?.rows ?? NONE
    this.#page = { ...next, items, ...(next.state === 'read' && { since: this.#oldestVisible(next.since) }) }
    if (next.state === 'live') delete (this.#page as { problem?: Error }).problem
  }

  /** Enters a state. Where the page is in it already, `since` stays. */
  become(state: 'live' | 'stale', part: Partial<Page<T>> = {}): void {
    const isNew = this.#page.state !== state
    this.update({ ...part, ...(isNew && { state, since: this.time.now() }) })
  }

  show(): void {
    for (const subscriber of this.#subscribers) subscriber()
  }

  /** Cancels the pending call of subscribers. */
  stop(): void {
    this.#cancelFrame?.()
    this.#cancelFrame = undefined
  }

  #oldestVisible(otherwise: number): number {
    const read = [...this.pages.all].filter(([number]) => isInRange(number, this.visible()))
    return read.length === 0 ? otherwise : Math.min(...read.map(([, { readAt }]) => readAt))
  }
}

const NONE: readonly never[] = []

import type { Clock } from './clock.js'
import type { Page } from './page.js'
import { isInSight, type Pages, type Sight } from './pages.js'

/** Readers are called so often at most: four frames a second are enough for what people read. */
const FRAME_MS = 250

/** What readers of a list see, and who they are. */
export class PageView<T> {
  #page: Page<T>
  #cancelFrame: (() => void) | undefined
  readonly #readers = new Set<() => void>()

  constructor(
    begin: Pick<Page<T>, 'pageSize' | 'look' | 'readAgain'>,
    private readonly pages: Pages<T>,
    private readonly sight: () => Sight,
    private readonly time: Clock,
  ) {
    this.#page = { ...begin, items: [], pages: pages.all, total: 0, state: 'loading', since: time.now() }
  }

  /** The same object until something changes. */
  readonly page = (): Page<T> => this.#page

  readonly subscribe = (reader: () => void): (() => void) => {
    this.#readers.add(reader)
    return () => void this.#readers.delete(reader)
  }

  /** Changes what readers see, and shows it with what changes meanwhile. */
  change(part: Partial<Page<T>>): void {
    this.update(part)
    this.#cancelFrame ??= this.time.later(() => {
      this.#cancelFrame = undefined
      this.show()
    }, FRAME_MS)
  }

  /** Changes what readers see when they look next. */
  update(part: Partial<Page<T>>): void {
    const pages = this.pages.all
    const { problem, ...before } = this.#page
    const next = { ...before, ...(problem && { problem }), ...part, pages }
    const items = pages.get(this.sight().from)?.rows ?? NONE
    this.#page = { ...next, items, ...(next.state === 'read' && { since: this.#oldestInSight(next.since) }) }
    if (next.state === 'live') delete (this.#page as { problem?: Error }).problem
  }

  /** Enters a state, or stays in it since when it began. */
  become(state: 'live' | 'stale', part: Partial<Page<T>> = {}): void {
    const isNew = this.#page.state !== state
    this.update({ ...part, ...(isNew && { state, since: this.time.now() }) })
  }

  show(): void {
    for (const reader of this.#readers) reader()
  }

  /** Nothing is shown later. */
  stop(): void {
    this.#cancelFrame?.()
    this.#cancelFrame = undefined
  }

  #oldestInSight(otherwise: number): number {
    const read = [...this.pages.all].filter(([number]) => isInSight(number, this.sight()))
    return read.length === 0 ? otherwise : Math.min(...read.map(([, { readAt }]) => readAt))
  }
}

const NONE: readonly never[] = []

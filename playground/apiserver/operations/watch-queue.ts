import type { WatchItem } from './watch-item.js'

/** A watcher that has fallen this many events behind is cut off; it can resume from its last resourceVersion. */
export const WATCH_BUFFER = 4096
/** How many events go out in one piece at most. */
const BATCH = 256

/** The events of one watch on their way to its reader, in order and without gaps. Owns the watch's timers. */
export class WatchQueue implements AsyncIterable<readonly WatchItem[]> {
  readonly #queue: WatchItem[] = []
  readonly #stop: (() => void)[] = []
  #initial: Iterator<WatchItem> | undefined
  #wake: (() => void) | undefined
  #ended = false

  /** Sends these first; they are made as the reader takes them. */
  begin(initial: Iterator<WatchItem>): void {
    this.#initial = initial
  }

  push(item: WatchItem): void {
    this.#queue.push(item)
    // The events of a reader this slow would take the memory of all others. It resumes where it was.
    if (this.#queue.length > WATCH_BUFFER) {
      this.#queue.length = 0
      this.end()
    }
    this.#wake?.()
  }

  /** Calls back when the watch ends; at once when it has ended already. */
  onEnd(stop: () => void): void {
    if (this.#ended) stop()
    else this.#stop.push(stop)
  }

  every(milliseconds: number, act: () => void): void {
    const timer = setInterval(act, milliseconds)
    timer.unref()
    this.onEnd(() => clearInterval(timer))
  }

  after(milliseconds: number, act: () => void): void {
    const timer = setTimeout(act, milliseconds)
    timer.unref()
    this.onEnd(() => clearTimeout(timer))
  }

  /** Ends the watch after what is queued. Idempotent. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    for (const stop of this.#stop) stop()
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncIterator<readonly WatchItem[]> {
    try {
      for (;;) {
        const batch = this.#take()
        if (batch.length > 0) yield batch
        else if (this.#ended) return
        else {
          await new Promise<void>(resolve => {
            this.#wake = resolve
          })
        }
      }
    } finally {
      this.end()
    }
  }

  #take(): WatchItem[] {
    if (this.#initial) {
      const batch: WatchItem[] = []
      for (let next = this.#initial.next(); !next.done; next = this.#initial.next()) {
        batch.push(next.value)
        if (batch.length === BATCH) return batch
      }
      this.#initial = undefined
      if (batch.length > 0) return batch
    }
    return this.#queue.splice(0, BATCH)
  }
}

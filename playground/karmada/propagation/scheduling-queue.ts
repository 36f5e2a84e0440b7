import type { Log } from '../../../ports/log.js'

/** How an attempt to schedule a binding ended: `failed` comes again after a pause, `unschedulable` after five minutes. */
export type Attempt = 'done' | 'failed' | 'unschedulable'

/** How a queue is set up. */
export interface SchedulingQueueOptions {
  /** One attempt for one binding. An error counts as `failed`. */
  readonly schedule: (key: string) => Promise<Attempt>
  readonly log: Log
}

/** Pauses after failures, milliseconds: doubling from the first to the last, as Karmada's. */
const BACKOFF = { first: 1_000, last: 10_000 } as const
/** Karmada 1.18 tries a binding again after so long for which there was no room, milliseconds. */
const NO_ROOM_MS = 300_000

interface Entry {
  readonly priority: number
  readonly attempts: number
}

/**
 * The queue of karmada-scheduler (`pkg/scheduler/internal/queue`): bindings are scheduled one after the other, those of higher priority
 * first, and of one priority the one that came first. A binding that failed waits in the backoff queue, one for which there
 * is no room in the unschedulable queue; both come back when their time is up, or when the binding is added again.
 * Owns its timers; `close` ends them and waits for the attempt that is running.
 */
export class SchedulingQueue {
  readonly #options: SchedulingQueueOptions
  /** By priority; each set in the order of addition. */
  readonly #active = new Map<number, Set<string>>()
  readonly #entries = new Map<string, Entry>()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(options: SchedulingQueueOptions) {
    this.#options = options
  }

  /** Has a binding scheduled in its turn, with its failures forgotten. One that waits already keeps its place. */
  add(key: string, priority: number): void {
    if (this.#isClosed) return
    if (!this.#entries.has(key)) this.#activate(key, { priority, attempts: 0 })
    this.#wake()
  }

  /** Ends the timers and waits for the attempt that is running. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    this.#active.clear()
    await this.#running
  }

  #activate(key: string, entry: Entry): void {
    clearTimeout(this.#timers.get(key))
    this.#timers.delete(key)
    this.#entries.set(key, entry)
    const keys = this.#active.get(entry.priority) ?? new Set()
    this.#active.set(entry.priority, keys.add(key))
  }

  #wake(): void {
    this.#running ??= this.#work()
  }

  async #work(): Promise<void> {
    // Additions of one turn of the event loop are sorted before the first of them is scheduled.
    await Promise.resolve()
    for (let next = this.#pop(); next; next = this.#pop()) {
      const { key, priority } = next
      const attempts = next.attempts + 1
      const attempt = await this.#attempt(key)
      if (attempt === 'done' || this.#isClosed || this.#entries.has(key)) continue
      const backoff = Math.min(BACKOFF.first * 2 ** (attempts - 1), BACKOFF.last)
      const timer = setTimeout(
        () => {
          this.#activate(key, { priority, attempts })
          this.#wake()
        },
        attempt === 'unschedulable' ? NO_ROOM_MS : backoff,
      )
      this.#timers.set(key, timer)
    }
    // At once, so that nothing is added between the last look and this.
    this.#running = undefined
  }

  #pop(): ({ readonly key: string } & Entry) | undefined {
    if (this.#active.size === 0) return undefined
    const highest = Math.max(...this.#active.keys())
    const keys = this.#active.get(highest)
    for (const key of keys ?? []) {
      const entry = this.#entries.get(key)
      keys?.delete(key)
      if (keys?.size === 0) this.#active.delete(highest)
      this.#entries.delete(key)
      return { key, ...(entry ?? { priority: highest, attempts: 0 }) }
    }
    return undefined
  }

  async #attempt(key: string): Promise<Attempt> {
    try {
      return await this.#options.schedule(key)
    } catch (error) {
      if (!this.#isClosed) this.#options.log.warn({ key, error }, 'scheduling failed')
      return 'failed'
    }
  }
}

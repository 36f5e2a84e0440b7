import type { Cluster } from '../cluster.js'
import type { Collection, StoreEvent } from '../store/collection.js'

/** A loop of the control plane that lives in the API server's process: it is notified of every change and acts later. */
export interface Controller {
  /** Called within the write: must neither write nor wait. */
  observe(collection: Collection, event: StoreEvent): void
}

/**
 * Work items by key, done one after another. A key that is requested again while it waits is done once; one whose work
 * fails is tried again later, ever less often.
 */
export class WorkQueue {
  readonly #waiting = new Set<string>()
  readonly #attempts = new Map<string, number>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #running: Promise<void> | undefined
  #closed = false

  /** @param work false asks to be called again later, as an error does */
  constructor(
    private readonly name: string,
    private readonly cluster: Pick<Cluster, 'log'>,
    private readonly work: (key: string) => Promise<boolean>,
  ) {}

  add(key: string): void {
    if (this.#closed) return
    this.#waiting.add(key)
    this.#running ??= this.#run()
  }

  /** Resolves when nothing waits; what is to be tried again later does not count. */
  async idle(): Promise<void> {
    await this.#running
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#waiting.clear()
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#running
  }

  async #run(): Promise<void> {
    // The write that requested this is still being passed to the other controllers.
    await Promise.resolve()
    for (const key of this.#waiting) {
      this.#waiting.delete(key)
      if (await this.#attempt(key)) this.#attempts.delete(key)
      else this.#later(key)
    }
    // In the same step as the last look at the queue: what is added from now on starts a new round.
    this.#running = undefined
  }

  async #attempt(key: string): Promise<boolean> {
    try {
      return await this.work(key)
    } catch (error) {
      this.cluster.log.warn({ controller: this.name, key, error }, 'a control loop failed and will try again')
      return false
    }
  }

  /** 50 ms, 100 ms, … up to 10 s. */
  #later(key: string): void {
    if (this.#closed) return
    const attempts = (this.#attempts.get(key) ?? 0) + 1
    this.#attempts.set(key, attempts)
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer)
        this.add(key)
      },
      Math.min(10_000, 50 * 2 ** Math.min(attempts - 1, 10)),
    )
    timer.unref()
    this.#timers.add(timer)
  }
}

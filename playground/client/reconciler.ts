import type { Log } from '../../ports/log.js'

/** What a reconciliation may ask for: to be called again after so many milliseconds. */
export type ReconcileResult = { readonly again?: number } | undefined

/** How a reconciler is set up. */
export interface ReconcilerOptions {
  /** Brings the world of one key in line. Must be repeatable; a failure is retried with growing pauses. */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<ReconcileResult>
  readonly log: Log
  /** Keys worked on at the same time. */
  readonly concurrency?: number
}

/** Pauses after failures, milliseconds: doubling from the first to the last. */
const RETRY = { first: 200, last: 30_000 } as const

/**
 * A controller's work queue: each key is worked on by one at a time, additions meanwhile are remembered once, failures come
 * again with growing pauses. Owns its timers; `close` ends them and waits for what is running.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions
  readonly #abort = new AbortController()
  readonly #waiting = new Set<string>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #failures = new Map<string, number>()
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(options: ReconcilerOptions) {
    this.#options = options
  }

  /** Has the key worked on as soon as there is room. */
  add(key: string): void {
    if (this.#abort.signal.aborted) return
    this.#waiting.add(key)
    this.#dispatch()
  }

  /** Ends timers, aborts running reconciliations and waits for them. */
  async close(): Promise<void> {
    this.#abort.abort()
    this.#waiting.clear()
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    await Promise.all(this.#running.values())
  }

  #dispatch(): void {
    const { concurrency = 8 } = this.#options
    for (const key of this.#waiting) {
      if (this.#running.size >= concurrency) return
      if (this.#running.has(key)) continue
      this.#waiting.delete(key)
      const work = this.#work(key).finally(() => {
        this.#running.delete(key)
        this.#dispatch()
      })
      this.#running.set(key, work)
    }
  }

  async #work(key: string): Promise<void> {
    const { signal } = this.#abort
    try {
      const result = await this.#options.reconcile(key, signal)
      this.#failures.delete(key)
      if (result?.again !== undefined) this.#later(key, result.again)
    } catch (error) {
      if (signal.aborted) return
      const failures = this.#failures.get(key) ?? 0
      this.#failures.set(key, failures + 1)
      const pause = Math.min(RETRY.first * 2 ** failures, RETRY.last)
      this.#options.log.warn({ key, error, retryInMs: pause }, 'reconciliation failed')
      this.#later(key, pause)
    }
  }

  #later(key: string, milliseconds: number): void {
    if (this.#abort.signal.aborted) return
    clearTimeout(this.#timers.get(key))
    const timer = setTimeout(() => {
      this.#timers.delete(key)
      this.add(key)
    }, milliseconds)
    this.#timers.set(key, timer)
  }
}

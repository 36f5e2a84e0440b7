import type { Log } from './ports/log.js'

/** Thrown by `start` when the process stops before the part has started. Not a failure. */
export class StoppingError extends Error {
  override readonly name = 'StoppingError'
}

interface Part {
  readonly name: string
  /** Resolves when the part has started; rejects when it could not. */
  readonly started: Promise<unknown>
  /** Idempotent: a part is stopped once. */
  readonly stop: () => Promise<void>
  readonly firstOnFailure: boolean
}

/** The part of `process` that this needs. */
export interface FailingProcess {
  /** Node reports an unhandled rejection as an uncaught exception, too. */
  on(event: 'uncaughtException', listener: (error: unknown) => void): unknown
  off(event: 'uncaughtException', listener: (error: unknown) => void): unknown
  exit(code: number): void
}

/** Times of stopping, milliseconds. */
export interface StopTimes {
  /** Longest time one part may take to stop. The manifests give a Pod 30 s for all of them. */
  readonly partMs: number
  /** Longest time from a failure to the end of the process. As long as the renew deadline of the lease, which ends by itself then. */
  readonly failedMs: number
}

/** Beyond this many failures nothing is logged: something that fails with every timer must not fill a disk while the parts stop. */
const LOGGED_FAILURES = 10

/**
 * The parts of a process, started one after the other and stopped in reverse.
 *
 * A part that is still starting when the process is interrupted is stopped as soon as it has started. A part that does not
 * stop in time is left behind with a warning, so that the others are stopped too.
 *
 * A failure is an error that no part can handle: an uncaught exception or unhandled rejection, or what a part reports with
 * `fail`. The state of the process is unknown then, so it ends: the parts marked `firstOnFailure` stop at once (the
 * controllers abort their effects and give the lease back), then all others in order, and the exit code is 1. If that takes
 * too long, the process exits without waiting.
 */
export class Lifecycle {
  readonly #parts: Part[] = []
  readonly #failed = new AbortController()
  #stopping: Promise<void> | undefined
  #failures = 0
  /** Aborts when the process is to stop, because it was interrupted or has failed: nothing further starts. */
  readonly stopping: AbortSignal

  constructor(
    private readonly log: Log,
    interrupted: AbortSignal,
    private readonly process: FailingProcess,
    private readonly times: StopTimes = { partMs: 8_000, failedMs: 10_000 },
  ) {
    this.stopping = AbortSignal.any([interrupted, this.#failed.signal])
  }

  /**
   * Does the work of a process, and stops all its parts when the work has ended, failed, or was cut short.
   * @returns the exit code of the work; 1 after a failure
   */
  async around(work: () => Promise<number>): Promise<number> {
    const uncaught = (error: unknown): void => this.fail(error)
    this.process.on('uncaughtException', uncaught)
    try {
      const code = await this.#outcomeOf(work)
      await this.stop()
      return this.#failures > 0 ? 1 : code
    } finally {
      await this.stop()
      this.process.off('uncaughtException', uncaught)
    }
  }

  async #outcomeOf(work: () => Promise<number>): Promise<number> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof StoppingError) return 0
      throw error
    }
  }

  /** Ends the process because of an error that no part can handle. */
  fail(error: unknown): void {
    this.#failures += 1
    if (this.#failures <= LOGGED_FAILURES)
      this.log.error({ err: error }, 'an error that nothing handles: this process stops')
    if (this.#failures > 1) return
    setTimeout(() => {
      this.log.error({ afterMs: this.times.failedMs }, 'did not stop in time after a failure: exiting')
      this.process.exit(1)
    }, this.times.failedMs).unref()
    for (const part of this.#parts) if (part.firstOnFailure) void this.#stopOne(part)
    this.#failed.abort(new Error('this process has failed'))
  }

  /**
   * Starts a part and remembers how to stop it.
   * @throws StoppingError when the process is to stop first, or whatever `begin` throws
   */
  async start<T>(
    name: string,
    begin: () => T | Promise<T>,
    stop: (part: T) => unknown,
    { firstOnFailure = false } = {},
  ): Promise<T> {
    if (this.#stopping || this.stopping.aborted) throw new StoppingError(`too late to start ${name}`)
    const started = (async () => begin())()
    let stopped: Promise<void> | undefined
    const stopOnce = (): Promise<void> => {
      stopped ??= started.then(async part => void (await stop(part)))
      return stopped
    }
    this.#parts.push({ name, started, stop: stopOnce, firstOnFailure })
    const part = await this.#unlessInterrupted(name, started)
    this.log.debug({ part: name }, 'started')
    return part
  }

  async #unlessInterrupted<T>(name: string, started: Promise<T>): Promise<T> {
    const interrupted = this.stopping
    let giveUp = (): void => undefined
    const interruption = new Promise<never>((_, reject) => {
      giveUp = () => reject(new StoppingError(`stopped waiting for ${name} to start`))
      if (interrupted.aborted) giveUp()
      else interrupted.addEventListener('abort', giveUp, { once: true })
    })
    try {
      return await Promise.race([started, interruption])
    } finally {
      interrupted.removeEventListener('abort', giveUp)
    }
  }

  /** Stops everything in reverse order. A second call returns the same promise. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll()
    return this.#stopping
  }

  async #stopAll(): Promise<void> {
    for (let part = this.#parts.pop(); part; part = this.#parts.pop()) await this.#stopOne(part)
  }

  async #stopOne({ name, started, stop }: Part): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>(resolve => {
      timer = setTimeout(() => resolve('late'), this.times.partMs)
    })
    // A part that could not start has reported why to its caller, and has nothing to stop.
    const ended = started
      .then(stop, () => undefined)
      .then(
        () => 'stopped' as const,
        (error: unknown) => ({ error }),
      )
    const outcome = await Promise.race([ended, late])
    clearTimeout(timer)
    if (outcome === 'stopped') this.log.debug({ part: name }, 'stopped')
    else if (outcome === 'late')
      this.log.warn({ part: name, afterMs: this.times.partMs }, 'did not stop in time')
    else this.log.warn({ part: name, ...outcome }, 'could not be stopped')
  }
}

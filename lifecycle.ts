import type { Log } from './ports/log.js'

/** Thrown by `start` when the process is to stop before the part has started. Not a failure: the end of starting. */
export class StoppingError extends Error {
  override readonly name = 'StoppingError'
}

interface Part {
  readonly name: string
  /** Resolves when the part has started; rejects when it could not. */
  readonly started: Promise<unknown>
  readonly stop: () => Promise<void>
}

/**
 * The parts of a process, started one after the other and stopped in reverse.
 *
 * A part that is still starting when the process is told to stop is stopped as soon as it has started. A part that does
 * not stop in time is left behind with a warning, so that the others still get their turn: better an orderly end of the
 * rest than none.
 */
export class Lifecycle {
  readonly #parts: Part[] = []
  #stopping: Promise<void> | undefined

  constructor(
    private readonly log: Log,
    /** Aborts when the process is to stop: nothing further starts. */
    private readonly interrupted: AbortSignal,
    /** Longest time one part may take to stop. The manifests give a Pod 30 s for all of them. */
    private readonly stopTimeoutMs = 8_000,
  ) {}

  /** Does the work of a process, and stops all its parts when the work has ended, failed, or was cut short by a signal. */
  async around(work: () => Promise<number>): Promise<number> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof StoppingError) return 0
      throw error
    } finally {
      await this.stop()
    }
  }

  /**
   * Starts a part and remembers how to stop it.
   * @throws StoppingError when the process is to stop first, or whatever `begin` throws
   */
  async start<T>(name: string, begin: () => T | Promise<T>, stop: (part: T) => unknown): Promise<T> {
    if (this.#stopping || this.interrupted.aborted) throw new StoppingError(`too late to start ${name}`)
    const started = (async () => begin())()
    this.#parts.push({ name, started, stop: async () => void (await stop(await started)) })
    const part = await this.#unlessInterrupted(name, started)
    this.log.debug({ part: name }, 'started')
    return part
  }

  async #unlessInterrupted<T>(name: string, started: Promise<T>): Promise<T> {
    const { interrupted } = this
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

  /** Stops everything in reverse order. Called again it waits for the same end. */
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
      timer = setTimeout(() => resolve('late'), this.stopTimeoutMs)
    })
    // What never started has told its caller why, and has nothing to stop.
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
      this.log.warn({ part: name, afterMs: this.stopTimeoutMs }, 'did not stop in time')
    else this.log.warn({ part: name, ...outcome }, 'could not be stopped')
  }
}

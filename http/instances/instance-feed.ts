import { randomBytes } from 'node:crypto'
import { orAborted } from '../../ports/cancellation.js'
import type { Fleet, FleetEvent, InstanceView } from '../../ports/fleet.js'
import { type Failure, unavailable } from '../errors/failure.js'

/** One message of the feed to one reader. Its token is empty where a reader cannot go on after it. */
export type FeedEvent =
  | { readonly type: 'RESET' | 'BOOKMARK'; readonly token: string }
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
      readonly view: InstanceView
      /** As it was before the change, where it was there. */
      readonly before?: InstanceView | undefined
      readonly token: string
    }

/** How many changes are kept for readers that come back or fall behind: a reconnect's worth for a busy fleet of 1,000. */
const KEPT = 4_096

interface Entry {
  readonly sequence: number
  readonly event: Exclude<FleetEvent, { type: 'BOOKMARK' }>
  /** What the instance was before; undefined where it was not there. */
  readonly before: InstanceView | undefined
}

/**
 * The fleet's changes, numbered, so that a reader can resume after the last one it received. All readers share
 * one watch and one log of the last changes; a reader whose number is too old, or of another process, starts over with
 * RESET. A slow reader holds nothing but its position in the log.
 */
export class InstanceFeed {
  /** Distinguishes this process's numbers from those of another replica or an earlier run. */
  readonly #epoch = randomBytes(6).toString('hex')
  readonly #present = new Map<string, InstanceView>()
  readonly #log: Entry[] = []
  #sequence = 0
  #started = false
  #failure: Failure | undefined
  #wake: () => void = () => undefined
  #changed = this.#nextChange()

  /**
   * Follows the fleet until the signal aborts. To be called once, by the owner. Should the fleet's watch fail, every
   * reader fails with its error, and so does this.
   */
  async follow(fleet: Fleet, signal: AbortSignal): Promise<void> {
    try {
      for await (const event of fleet.watch({ signal })) {
        if (event.type === 'BOOKMARK') this.#started = true
        else this.#record(event)
        this.#notify()
      }
    } catch (error) {
      if (signal.aborted) return
      this.#failure = unavailable('the fleet can no longer be followed here', { cause: error })
      this.#notify()
      throw error
    }
  }

  /** Resolves with the next change; whatever then changed, the fleet shows it already. */
  get changed(): Promise<void> {
    return this.#changed
  }

  /** Resolves once everything that the fleet shows now is in the log: within one turn of the event loop. */
  settled(): Promise<void> {
    return new Promise(resolve => setImmediate(resolve))
  }

  #record(event: Entry['event']): void {
    const { name } = event.view
    const before = this.#present.get(name)
    if (event.type === 'DELETED') this.#present.delete(name)
    else this.#present.set(name, event.view)
    this.#sequence++
    this.#log.push({ sequence: this.#sequence, event, before })
    if (this.#log.length > KEPT) this.#log.shift()
  }

  #notify(): void {
    const wake = this.#wake
    this.#changed = this.#nextChange()
    wake()
  }

  #nextChange(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }

  /**
   * The instances as a reader of the whole feed had them at a token; undefined where the log no longer reaches back to it.
   * @throws the signal's reason
   */
  async presentAt(token: string, signal: AbortSignal): Promise<readonly InstanceView[] | undefined> {
    await this.#hasStarted(signal)
    const position = this.#positionOf(token)
    if (position === undefined || !this.#holds(position)) return undefined
    const views = new Map(this.#present)
    const since = this.#log.filter(({ sequence }) => sequence > position)
    for (const { event, before } of since.reverse()) {
      if (before) views.set(before.name, before)
      else views.delete(event.view.name)
    }
    return [...views.values()]
  }

  /**
   * Reads from after `token`, or from the start. Ends when the signal aborts, and then throws its reason.
   */
  async *read(token: string, signal: AbortSignal): AsyncGenerator<FeedEvent> {
    await this.#hasStarted(signal)
    let position = this.#positionOf(token)
    for (;;) {
      if (position === undefined || !this.#holds(position)) {
        position = this.#sequence
        // Copied, so that a slow reader receives the state of one moment.
        const present = [...this.#present.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
        // No token before the end of the start: a reader that stops here has not seen all, and must start over.
        yield { type: 'RESET', token: '' }
        for (const view of present) yield { type: 'ADDED', view, token: '' }
        yield { type: 'BOOKMARK', token: this.#tokenOf(position) }
        continue
      }
      const next = this.#log[this.#log.length - (this.#sequence - position)]
      if (next) {
        position = next.sequence
        yield { ...next.event, before: next.before, token: this.#tokenOf(position) }
      } else {
        await this.#next(signal)
      }
    }
  }

  async #hasStarted(signal: AbortSignal): Promise<void> {
    while (!this.#started) await this.#next(signal)
  }

  async #next(signal: AbortSignal): Promise<void> {
    if (!this.#failure) await orAborted(this.#changed, signal)
    if (this.#failure) throw this.#failure
  }

  #tokenOf(sequence: number): string {
    return `${this.#epoch}.${sequence}`
  }

  #positionOf(token: string): number | undefined {
    const [epoch, digits] = token.split('.')
    const sequence = Number(digits)
    return epoch === this.#epoch && Number.isSafeInteger(sequence) && sequence <= this.#sequence
      ? sequence
      : undefined
  }

  /** Whether everything after this position is still in the log. */
  #holds(position: number): boolean {
    return this.#sequence - position <= this.#log.length
  }
}

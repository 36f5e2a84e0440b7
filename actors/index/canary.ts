import { canonical } from '../../machines/canonical.js'
import type { Answer, Measured } from '../../machines/instance/facts.js'
import { jittered } from '../../machines/retry.js'
import type { IndexFreshness } from '../../ports/instance-index.js'
import { isAtOrBefore } from '../../streams/resource-version.js'
import type { LeaseClock } from '../election/lease-clock.js'

/** The canary in one place: its version there, or why it cannot be known; undefined while there is none. */
export type Sighting = { readonly version: string } | { readonly impossible: string } | undefined

/** The canary in the instance. It was written after `writtenAfter`, of the clock's `now()`; absent where that is not known. */
export type Sent =
  | { readonly version: string; readonly writtenAfter?: number }
  | { readonly impossible: string }
  | undefined

/** What a canary needs of the world. The functions may reject; the loop goes on with the next beat. */
export interface CanaryOptions {
  readonly clock: LeaseClock
  /** A number in [0, 1). */
  readonly random: () => number
  readonly intervalMs: number
  readonly patienceMs: number
  /** Waits for the turn of a canary, or of another look into a stalled index. */
  readonly turn: (signal: AbortSignal) => Promise<void>
  /** Writes the canary into the instance, or reads there the one that another replica wrote, if that is new enough to measure by. */
  readonly send: () => Promise<Sent>
  /** The version that it has in the instance now; undefined: it is not there. */
  readonly read: () => Promise<string | undefined>
  /** What the index shows now. It rejects when the index cannot be read. */
  readonly look: () => Promise<Sighting>
  /** Called with every figure. */
  readonly measured: (freshness: IndexFreshness) => void
  /** Called when the judgement is another than before. */
  readonly judged: (judgement: Answer<Measured>) => void
  /** Called with errors that say nothing about the index: the probe reports on the control plane. */
  readonly failed: (error: unknown) => void
}

/** The first beat comes within this time, at random: an index is soon measured, and a restarted fleet is no stampede. */
const FIRST_WITHIN_MS = 10_000
/** From the write to the first look: Clusterpedia shows a write after 4 ms at p50, the embedded index after about as long. */
const FIRST_LOOK_MS = 25

/**
 * Measures how far an index is behind its instance: it writes a small object there and looks for it here until it shows. An
 * index in which it does not show within the patience is stalled, whatever it claims. The index is current again when a canary
 * that was written later shows in time. Two versions of one instance compare as numbers, because they come from one etcd.
 *
 * Looks come after 25 ms, then twice as far apart each time: a healthy index costs one look, and the figure is at most twice
 * the lag. A stalled index is read at most once an interval.
 */
export class Canary {
  /** The newest version that was seen in the index. */
  #seen: string | undefined
  #judged = ''

  constructor(private readonly options: CanaryOptions) {}

  /** Beats until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { intervalMs, random } = this.options
    await this.#pause(random() * Math.min(intervalMs, FIRST_WITHIN_MS), signal)
    while (!signal.aborted) {
      let late = false
      try {
        late = await this.#beat(signal)
      } catch (error) {
        if (!signal.aborted) this.options.failed(error)
      }
      // It showed at last: the next canary finds out whether the index has caught up.
      if (!late) await this.#pause(jittered(intervalMs, random()), signal)
    }
  }

  /** One canary, from its writing until it shows or is given up. @returns whether it showed too late */
  async #beat(signal: AbortSignal): Promise<boolean> {
    const { clock, intervalMs, patienceMs, random } = this.options
    await this.options.turn(signal)
    const sent = await this.options.send()
    if (signal.aborted || sent === undefined) return false
    if ('impossible' in sent) {
      this.#cannotBeMeasured(sent.impossible)
      return false
    }
    // A replica that only reads finds the same canary again, which measures nothing new.
    if (sent.version === this.#seen) return false
    const sentAt = clock.now()
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs *= 2) {
      const left = patienceMs - (clock.now() - sentAt)
      await this.#pause(
        left > 0 ? Math.min(pauseMs, left) : jittered(Math.min(pauseMs, intervalMs), random()),
        signal,
      )
      if (left <= 0) await this.options.turn(signal)
      const missing = await this.#missing(sent.version)
      if (signal.aborted) return false
      if (typeof missing === 'object') {
        this.#cannotBeMeasured(missing.impossible)
        return false
      }
      const lagMs = Math.round(clock.now() - sentAt)
      if (missing === undefined) return this.#wasSeen(sent, lagMs)
      if (lagMs < patienceMs) continue
      // A canary that was deleted in the instance does not arrive; the next beat makes it again.
      const there = await this.options.read()
      if (signal.aborted || there === undefined || !isAtOrBefore(sent.version, there)) return false
      this.#reportStalled(lagMs, missing)
    }
  }

  /** Why this version is not to be seen in the index; undefined when it is. */
  async #missing(version: string): Promise<string | { readonly impossible: string } | undefined> {
    try {
      const shown = await this.options.look()
      if (shown !== undefined && 'impossible' in shown) return shown
      if (shown !== undefined && isAtOrBefore(version, shown.version)) return undefined
      return 'what was written into the control plane does not show in the index'
    } catch (error) {
      return `the index cannot be read: ${error instanceof Error ? error.message : String(error)}`
    }
  }

  #wasSeen({ version, writtenAfter }: Extract<Sent, { version: string }>, lagMs: number): boolean {
    this.#seen = version
    if (lagMs > this.options.patienceMs) return true
    const { clock } = this.options
    this.options.measured({
      ...{ state: 'current', lagMs, measuredAt: this.#now },
      ...(writtenAfter !== undefined && {
        writtenAfter: new Date(clock.wall() - (clock.now() - writtenAfter)).toISOString(),
      }),
    })
    this.#judge({ ok: true })
    return false
  }

  #reportStalled(lagMs: number, missing: string): void {
    const because = `${missing} (waited for longer than ${this.options.patienceMs} ms)`
    this.options.measured({ state: 'stalled', lagMs, measuredAt: this.#now, because })
    this.#judge({ ok: false, failure: { reason: 'Stalled', stage: 'virtual cluster', message: because } })
  }

  #cannotBeMeasured(unmeasured: string): void {
    this.options.measured({ state: 'unknown' })
    this.#judge({ ok: true, unmeasured })
  }

  #judge(judgement: Answer<Measured>): void {
    const text = canonical(judgement)
    if (text === this.#judged) return
    this.#judged = text
    this.options.judged(judgement)
  }

  get #now(): string {
    return new Date(this.options.clock.wall()).toISOString()
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.options
    return new Promise(resolve => {
      const over = () => {
        clock.clearTimeout(timer)
        signal.removeEventListener('abort', over)
        resolve()
      }
      const timer = clock.setTimeout(over, ms)
      signal.addEventListener('abort', over, { once: true })
      if (signal.aborted) over()
    })
  }
}

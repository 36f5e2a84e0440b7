import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import type { EffectEvent } from './dependencies.js'

/** Counts and measures effects, and reports when none runs any more. */
export class EffectTracker {
  #running = 0
  #waiting: (() => void)[] = []

  constructor(
    private readonly meter: Meter,
    private readonly log: Log,
    private readonly report: (event: EffectEvent) => void,
  ) {}

  changed(event: EffectEvent): void {
    this.report(event)
    if (event.phase === 'began') {
      this.#running += 1
      return
    }
    const { instance, effect, phase, seconds = 0, reason, message } = event
    this.meter.observe('kairship_effect_duration_seconds', seconds, { effect })
    if (phase === 'failed') {
      this.meter.count('kairship_effect_failures_total', { effect, failure: reason ?? 'Unexpected' })
      // A conflict is normal between two writers; the effect is tried again over the present version.
      const level = reason === 'Conflict' || reason === 'StillThere' ? 'debug' : 'warn'
      this.log[level]({ instance, effect, reason, message }, 'an effect failed')
    } else this.log.debug({ instance, effect, phase, seconds, reason, message }, 'an effect ended')
    this.#running -= 1
    if (this.#running === 0) for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Resolves when no effect runs. */
  drained(): Promise<void> {
    if (this.#running === 0) return Promise.resolve()
    return new Promise(resolve => this.#waiting.push(resolve))
  }
}

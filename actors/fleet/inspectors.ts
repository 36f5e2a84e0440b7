import { causeOf, redacted } from '../../machines/instance/history.js'
import type { InspectionEvent, TransitionRecord } from '../../ports/fleet.js'
import type { EffectEvent } from '../instance/dependencies.js'

/** Who follows what one actor does. Costs nothing while there is no one. */
export class Inspectors {
  readonly #emitters = new Set<(event: InspectionEvent) => void>()

  /** @param instance the name of the instance, for what is told */
  constructor(private readonly instance: string) {}

  /** Calls back with everything that follows, until the returned function is called. */
  add(emit: (event: InspectionEvent) => void): () => void {
    this.#emitters.add(emit)
    return () => this.#emitters.delete(emit)
  }

  /** An event was processed, and led to these transitions; an event that led to none is told itself. */
  processed(time: string, event: { type: string }, records: readonly TransitionRecord[]): void {
    if (this.#emitters.size === 0) return
    const { instance } = this
    if (records.length === 0) {
      const record = { event: event.type, cause: causeOf(event), detail: redacted(event) }
      this.#emit({ time, instance, kind: 'event', record })
    }
    for (const record of records) this.#emit({ time, instance, kind: 'transition', record: { ...record } })
  }

  /** An effect began or ended. */
  effect({ instance, ...record }: EffectEvent): void {
    if (this.#emitters.size > 0)
      this.#emit({ time: new Date().toISOString(), instance, kind: 'effect', record })
  }

  #emit(event: InspectionEvent): void {
    for (const emit of this.#emitters) emit(event)
  }
}

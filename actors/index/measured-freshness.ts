import type { IndexFreshness } from '../../ports/instance-index.js'

const UNKNOWN: IndexFreshness = { state: 'unknown' }

/**
 * How fresh the index of each instance is, as this replica's canary measured it last. Figures change with every beat and
 * move nothing, so they are kept here and not in the chart, which gets an event only when the judgement changes.
 */
export class MeasuredFreshness {
  readonly #measured = new Map<string, IndexFreshness>()

  /** Unknown until there is a measurement over the present connection. */
  of(name: string): IndexFreshness {
    return this.#measured.get(name) ?? UNKNOWN
  }

  note(name: string, freshness: IndexFreshness): void {
    this.#measured.set(name, freshness)
  }

  /** What was measured says nothing any more: contact was lost, or the instance is gone. */
  forget(name: string): void {
    this.#measured.delete(name)
  }
}

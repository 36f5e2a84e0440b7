import { OverrideError } from './json-edit.js'

/** For one who waits: half a second at the worst. Usual policies take microseconds. */
const MOST_STEPS = 50_000

/**
 * What applying override policies may cost one who only wants to know what they do, in steps of some microseconds. Karmada itself has no
 * such limit.
 */
export class OverrideBudget {
  #left: number

  constructor(private readonly steps = MOST_STEPS) {
    this.#left = steps
  }

  /** Gives all steps back, for the next object. */
  renew(): void {
    this.#left = this.steps
  }

  /** @throws OverrideError when there are no such steps left */
  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0)
      throw new OverrideError('its override policies are too large to be tried here: Karmada may apply them')
  }
}

/** The steps of reading a YAML text: the parser takes some ten microseconds for a byte, and more with each anchor. */
export function stepsOfYaml(text: string): number {
  const marks = text.match(/[&*]/g)?.length ?? 0
  return text.length / 2 + marks ** 2 / 20
}

import { randomInt } from 'node:crypto'
import { BusyBindingError, ForeignBindingError } from '../../ports/role-binding-deliveries.js'
import { isAboutOneObject } from '../kube/refused-object.js'

/** More refusals in a row than this are not about single bindings: the host takes none. */
const MOST_IN_A_ROW = 100
/** So many of those that are refused are named in a message, which ends up in the log. */
const MOST_NAMED = 3
/** Characters of the reason of each. The host can give one of a MiB. */
const LONGEST_REASON = 300

/** What became of bindings that were changed one after the other. */
export interface Changes {
  readonly changed: number
  readonly refused: number
  /** Names some of those that were refused and says why; empty when none was. */
  readonly reasons: string
  /** Whether so many were refused in a row that the rest was not tried. */
  readonly isGivenUp: boolean
}

/**
 * Changes bindings one after the other, again and again. One that is refused keeps none of the others back, now or later: those that were
 * refused before come last, and the others in random order. What a policy refuses may be all of one instance and stand side by side, which would look as if
 * the host refused everything, each time at the same place.
 */
export class OneByOne {
  /** The names of those that were refused, and are to be changed still. */
  readonly #refused = new Set<string>()

  /**
   * @param bindings all that are to be changed now, by their names
   * @param change resolves with whether the binding was changed
   * @throws what `change` throws that is not about one binding: it ends the others
   */
  async change<T>(
    bindings: ReadonlyMap<string, T>,
    change: (binding: T) => Promise<boolean>,
  ): Promise<Changes> {
    for (const name of this.#refused) if (!bindings.has(name)) this.#refused.delete(name)
    const isRefused = ([name]: readonly [string, T]) => this.#refused.has(name)
    const all = shuffled([...bindings])
    const reasons: string[] = []
    let [changed, refused, row] = [0, 0, 0]
    for (const [name, binding] of [...all.filter(one => !isRefused(one)), ...all.filter(isRefused)]) {
      try {
        if (await change(binding)) changed += 1
        row = 0
      } catch (error) {
        if (!isOfOne(error)) throw error
        this.#refused.add(name)
        refused += 1
        row += 1
        if (reasons.length < MOST_NAMED) reasons.push(`${name}: ${error.message.slice(0, LONGEST_REASON)}`)
        if (row > MOST_IN_A_ROW) break
      }
    }
    return { changed, refused, reasons: reasons.sort().join(', '), isGivenUp: row > MOST_IN_A_ROW }
  }
}

/** Whether an error is about one binding: its name is somebody else's, others write it all the time, or the host does not take it. */
const isOfOne = (error: unknown): error is Error =>
  error instanceof ForeignBindingError || error instanceof BusyBindingError || isAboutOneObject(error)

/** Fisher and Yates' shuffle, in place. */
function shuffled<T>(items: T[]): readonly T[] {
  for (let last = items.length - 1; last > 0; last--) {
    const other = randomInt(last + 1)
    ;[items[last], items[other]] = [items[other] as T, items[last] as T]
  }
  return items
}

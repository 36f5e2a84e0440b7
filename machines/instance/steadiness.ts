import type { Answer } from './facts.js'

/** The last verdict on something that is probed again and again, and how many answers since contradict it. */
export interface Steadiness<T> {
  readonly said: Answer<T> | undefined
  readonly contradictions: number
}

/**
 * How many answers in a row turn an opinion. A failure must repeat itself three times before something that worked is
 * called broken, and a success twice before something broken is called mended; with probes two seconds apart while in
 * doubt, that is four seconds and two. The first answer ever counts at once.
 */
const TURNS_AFTER = { failures: 3, successes: 2 } as const

/** Nothing was said yet. */
export const unsaid: Steadiness<never> = { said: undefined, contradictions: 0 }

/** Pure: what to say after one more answer. A change of detail within the same opinion is said at once. */
export function steadied<T>({ said, contradictions }: Steadiness<T>, answer: Answer<T>): Steadiness<T> {
  if (said === undefined || said.ok === answer.ok) return { said: answer, contradictions: 0 }
  const needed = answer.ok ? TURNS_AFTER.successes : TURNS_AFTER.failures
  if (contradictions + 1 >= needed) return { said: answer, contradictions: 0 }
  return { said, contradictions: contradictions + 1 }
}

/** Whether the next answer matters soon: the last ones contradict what is being said, or it is bad. */
export const isInDoubt = ({ said, contradictions }: Steadiness<unknown>): boolean =>
  contradictions > 0 || said?.ok === false

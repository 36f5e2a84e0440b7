import { isDeepStrictEqual } from 'node:util'
import type { Step } from './histories.js'
import { drop, put, type Side } from './side.js'
import { countsOf, type State, stateOf } from './state.js'

/** How often both sides are looked at, milliseconds. */
const LOOK_MS = 500
/** Both must have been equal and unchanged for so long: Karmada's controllers follow each other within a second. */
const QUIET_MS = 1_500
/** After so long without a change on either side they will not become equal. */
const PATIENCE_MS = 45_000

/** Bindings, Works and objects of members that were there after the steps of histories, both sides equal. */
export interface Compared {
  bindings: number
  works: number
  memberObjects: number
}

/** What the two sides showed when they stayed different. */
export interface Difference {
  readonly step: number
  readonly states: readonly [State, State]
}

/**
 * Runs a history in this namespace on both sides, and compares what each step has led to.
 * @param compared counts what both sides had after each step
 * @returns the first difference that stayed, or nothing
 */
export async function firstDifference(
  history: readonly Step[],
  sides: readonly [Side, Side],
  namespace: string,
  compared: Compared,
): Promise<Difference | undefined> {
  for (const { control } of sides)
    await control.must('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    })
  try {
    for (const [at, step] of history.entries()) {
      await Promise.all(sides.map(side => take(step, side, namespace)))
      const states = await settled(sides, side => stateOf(side, namespace))
      if (!isDeepStrictEqual(...states)) return { step: at, states }
      const { bindings, works, memberObjects } = countsOf(states[0])
      compared.bindings += bindings
      compared.works += works
      compared.memberObjects += memberObjects
    }
    return undefined
  } finally {
    for (const { control } of sides) await control.must('DELETE', `/api/v1/namespaces/${namespace}`)
  }
}

const take = (step: Step, side: Side, namespace: string): Promise<void> =>
  'put' in step
    ? put(side, step.type, namespace, step.put, step.part)
    : drop(side, step.type, namespace, step.drop)

/**
 * Looks until both sides are equal and quiet, or different for too long.
 * @param isBusy whether something is still under way, although nothing of it shows
 */
export async function settled(
  sides: readonly [Side, Side],
  show: (side: Side) => Promise<State>,
  areEqual: (one: State, other: State) => boolean = isDeepStrictEqual,
  isBusy: (states: readonly [State, State]) => boolean = () => false,
): Promise<[State, State]> {
  const look = () => Promise.all([show(sides[0]), show(sides[1])])
  const began = performance.now()
  let last = await look()
  let since = performance.now()
  for (;;) {
    await new Promise(resolve => setTimeout(resolve, LOOK_MS))
    const now = await look()
    if (!isDeepStrictEqual(now, last)) {
      last = now
      since = performance.now()
    }
    const quietFor = performance.now() - since
    if (quietFor >= QUIET_MS && areEqual(...now)) return now
    const isQuiet = quietFor >= PATIENCE_MS / 3 && !isBusy(now)
    if (performance.now() - began >= PATIENCE_MS && isQuiet) return now
    if (performance.now() - began >= 3 * PATIENCE_MS) return now
  }
}

import { isDeepStrictEqual } from 'node:util'
import type { State } from '../differential/state.js'

type Fields = Readonly<Record<string, unknown>>
type Bindings = Readonly<Record<string, { readonly conditions: readonly string[]; readonly spec: Fields }>>

/** States of Karmada and of the playground. */
type States = readonly [State, State]

/**
 * Whether both show the same. Karmada's scheduler writes its condition by a patch of the whole list, made from what it last saw, and takes away FullyApplied,
 * which another controller has written in between. Nothing brings it back while dispatching is suspended, and so it may lack there.
 */
export const areEqual = (karmada: State, ours: State): boolean =>
  isDeepStrictEqual(karmada, withoutLostConditions(karmada, ours))

/**
 * Why two states differ that need not be equal, or undefined. The Clusters of all worlds lead to the same two members. So the informer of another Cluster
 * may see an object that a Work has created before that of its own Cluster does; Karmada's work status controller finds nothing in the latter, creates the
 * object once more, and reports that it is there already until the Work changes.
 */
export const explanationOf = ([karmada]: States): string | undefined =>
  JSON.stringify(karmada).includes('Applied=False ReCreateFailed')
    ? 'Karmada created an object twice, as two Clusters lead to one member'
    : undefined

function withoutLostConditions(karmada: State, ours: State): State {
  return Object.fromEntries(
    Object.entries(ours).map(([key, objects]) =>
      key === 'bindings' || key === 'cluster bindings'
        ? [key, lessThose(objects as Bindings, (karmada[key] ?? {}) as Bindings)]
        : [key, objects],
    ),
  )
}

/** Our bindings, without the condition FullyApplied where Karmada lost it. */
const lessThose = (ours: Bindings, karmadas: Bindings): Bindings =>
  Object.fromEntries(
    Object.entries(ours).map(([name, binding]) => {
      const theirs = karmadas[name]
      const isLost = theirs && binding.spec.suspension && !theirs.conditions.some(isFullyApplied)
      if (!isLost) return [name, binding]
      return [name, { ...binding, conditions: binding.conditions.filter(one => !isFullyApplied(one)) }]
    }),
  )

const isFullyApplied = (condition: string): boolean => condition.startsWith('FullyApplied')

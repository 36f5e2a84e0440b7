import type { Condition } from '../../manifests/kube.js'

/** A condition without its time: what a controller observed. */
export type Observed = Omit<Condition, 'lastTransitionTime'> & { readonly lastTransitionTime?: string }

/**
 * Sets conditions by type as Kubernetes' SetStatusCondition does: the time moves only when the status does, the order stays.
 * Returns the same array when nothing changed.
 */
export function setConditions(
  conditions: readonly Condition[] = [],
  observed: readonly Observed[],
  now: string,
): readonly Condition[] {
  const next = [...conditions]
  let changed = false
  for (const one of observed) {
    const index = next.findIndex(({ type }) => type === one.type)
    const before = next[index]
    const after: Condition = {
      ...before,
      ...one,
      lastTransitionTime:
        before?.status === one.status ? before.lastTransitionTime : (one.lastTransitionTime ?? now),
    }
    if (before && isSame(before, after)) continue
    changed = true
    if (before) next[index] = after
    else next.push(after)
  }
  return changed ? next : conditions
}

const isSame = (one: Condition, other: Condition): boolean =>
  one.status === other.status &&
  one.reason === other.reason &&
  one.message === other.message &&
  one.observedGeneration === other.observedGeneration

/** The condition of a type, if there is one. */
export const conditionOf = (
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined => conditions?.find(one => one.type === type)

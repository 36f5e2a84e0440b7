import type { Condition } from '../../manifests/kube.js'
import type { InstanceContext } from './context.js'
import { type ConditionFact, judgementsOf, missingOf } from './requirements.js'
import { doing, TEARDOWN_STEPS } from './task.js'

/** Pure: how all requirements stand, as conditions in a fixed order, and `Ready` last. */
export const conditionsOf = (context: InstanceContext): readonly ConditionFact[] => [
  ...judgementsOf(context).map(({ name, status, reason, message }) => ({
    type: name,
    status,
    reason,
    message,
  })),
  { type: 'Ready', ...readiness(context) },
]

/** The root cause alone: what does not hold because of it has conditions of its own. */
function readiness(context: InstanceContext): Omit<ConditionFact, 'type'> {
  const { phase, work } = context
  if (phase === 'deleting') {
    const stuck = TEARDOWN_STEPS.findLast(step => work[step]?.failure)
    const message = stuck ? `${doing[stuck]}: ${work[stuck]?.failure?.message}` : 'cleaning up'
    return { status: 'False', reason: 'Deleting', message }
  }
  const [root] = missingOf(context)
  if (!root) return { status: 'True', reason: 'Ready', message: 'reads, writes and synchronization work' }
  return { status: 'False', reason: root.reason, message: `${root.name}: ${root.message}` }
}

/** Gives conditions their times: `lastTransitionTime` is kept while `status` stays the same. */
export function stamped(
  facts: readonly ConditionFact[],
  {
    before = [],
    now,
    generation,
  }: { before: readonly Condition[] | undefined; now: string; generation: number | undefined },
): readonly Condition[] {
  return facts.map(fact => {
    const last = before.find(({ type }) => type === fact.type)
    const lastTransitionTime = last?.status === fact.status ? last.lastTransitionTime : now
    return {
      ...fact,
      lastTransitionTime,
      ...(generation !== undefined && { observedGeneration: generation }),
    }
  })
}

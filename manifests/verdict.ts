import type { Condition } from './kube.js'

/** What the owner of an object says about it, in the owner's own words. */
export interface Verdict {
  readonly holds: boolean
  readonly reason: string
  readonly message: string
}

/** A condition as a verdict; undefined when the owner has not spoken, or only said that it does not know. */
export function verdictOf(conditions: readonly Condition[] | undefined, type: string): Verdict | undefined {
  const condition = conditions?.find(condition => condition.type === type)
  if (!condition || condition.status === 'Unknown') return undefined
  const { status, reason, message } = condition
  return { holds: status === 'True', reason: reason || type, message }
}

import type { Cluster } from '../objects/cluster.js'

/** Of a cluster without the condition Ready, in our words. */
export const NOT_REPORTED = 'it has not reported yet'

/** Why a cluster is not ready, in the words of its condition; undefined for one that is. */
export function unreachableBecause({ status }: Cluster): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  if (!ready) return NOT_REPORTED
  return ready.status === 'True' ? undefined : `${ready.reason}: ${ready.message}`
}

import type { Cluster } from '../objects/cluster.js'

/** Why a cluster is not ready, in the words of its condition; undefined for one that is. */
export function unreachableBecause({ status }: Cluster): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  if (!ready) return 'it has not reported yet'
  return ready.status === 'True' ? undefined : `${ready.reason}: ${ready.message}`
}

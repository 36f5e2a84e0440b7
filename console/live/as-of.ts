import type { Cluster } from '../../proto/gen/kairship/cluster_pb.js'
import type { Instance } from '../../proto/gen/kairship/instance_pb.js'
import type { Condition } from '../../proto/gen/kairship/types_pb.js'

/**
 * When a cluster's nodes and capacity were current, RFC 3339; undefined where they are. Karmada reads them of clusters that are ready, and keeps the last
 * ones of the others.
 */
export const clusterAsOf = ({ status }: Cluster): string | undefined =>
  since(status?.conditions ?? [], ['Ready'])

/** When an instance's counters were current, RFC 3339; undefined where they are, or there are none. */
export const summaryAsOf = ({ status }: Instance): string | undefined =>
  status?.summary && since(status.conditions, ['ControlPlaneHealthy', 'StatisticsCurrent'])

/** When the first of the conditions ceased to hold. */
function since(conditions: readonly Condition[], types: readonly string[]): string | undefined {
  const [first] = conditions
    .filter(({ type, status }) => types.includes(type) && status !== 'True')
    .map(({ lastTransitionTime }) => lastTransitionTime)
    .filter(time => time !== '')
    .sort()
  return first
}

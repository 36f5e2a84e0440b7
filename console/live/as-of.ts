import type { Cluster } from '../../proto/gen/kairship/cluster_pb.js'
import type { Instance } from '../../proto/gen/kairship/instance_pb.js'
import type { Condition } from '../../proto/gen/kairship/types_pb.js'

/**
 * The time of a cluster's nodes and capacity, RFC 3339; undefined where they are current. Karmada reads them from ready clusters and keeps the last
 * values of the others.
 */
export const clusterAsOf = ({ status }: Cluster): string | undefined =>
  since(status?.conditions ?? [], ['Ready'])

/** The time of an instance's counters, RFC 3339; undefined where they are current, or there are none. */
export const summaryAsOf = ({ status }: Instance): string | undefined =>
  status?.summary && since(status.conditions, ['ControlPlaneHealthy', 'StatisticsCurrent'])

/** The time since which one of the conditions is not True. */
function since(conditions: readonly Condition[], types: readonly string[]): string | undefined {
  const [first] = conditions
    .filter(({ type, status }) => types.includes(type) && status !== 'True')
    .map(({ lastTransitionTime }) => lastTransitionTime)
    .filter(time => time !== '')
    .sort()
  return first
}

import { QUOTA_EXCEEDED } from '../quota/usage.js'
import type { Verdict } from '../scheduling/schedule.js'

/** What helps against each of Karmada's filters. */
const fixes: Readonly<Record<string, string>> = {
  APIEnablement: 'Install the resource’s definition in the members, or correct its apiVersion.',
  ClusterAffinity:
    'Correct the cluster affinity of the policy, or the names, labels and fields of the clusters.',
  ClusterEviction: 'Wait until the eviction is over, or remove the taint that causes it.',
  SpreadConstraint:
    'Set provider, region or zones of the clusters, or take the constraint out of the policy.',
  TaintToleration: 'Add a toleration to the policy, or remove the taint from the clusters.',
  WorkloadAffinity:
    'Let the policy take the clusters where the other workloads of the affinity group are, or move those.',
  WorkloadAntiAffinity:
    'Let the policy take clusters without other workloads of the anti-affinity group, or join more clusters.',
}

/** `ClusterAffinity refuses 2 of 3 clusters, TaintToleration 1`; '' when nothing refuses any cluster. */
export function refusalCounts(verdicts: readonly Verdict[]): string {
  const [most, ...others] = countedFilters(verdicts)
  if (!most) return ''
  const of = `${verdicts.length} ${verdicts.length === 1 ? 'cluster' : 'clusters'}`
  const rest = others.map(([filter, count]) => `, ${filter} ${count}`).join('')
  return `${most[0]} refuses ${most[1]} of ${of}${rest}`
}

/**
 * What most likely helps a template that no cluster takes: the fix for the filter that refuses most of the clusters that the
 * policy wants. Where its affinity takes no cluster, the affinity is wrong.
 * @param missing clusters that the policy names and that are not joined
 */
export function fixOfRefusals(
  reason: string,
  verdicts: readonly Verdict[],
  missing: readonly string[],
): string {
  if (verdicts.length === 0 && reason !== QUOTA_EXCEEDED) return 'Join a member cluster to the instance.'
  if (reason === 'Unschedulable')
    return 'Ask for fewer replicas or less CPU and memory, add room to the clusters, or allow more clusters in the policy.'
  if (reason === QUOTA_EXCEEDED)
    return 'Ask for fewer replicas or less CPU and memory, or raise the FederatedResourceQuota that the message names.'
  const wanted = verdicts.filter(
    ({ refusals }) => !refusals.some(({ filter }) => filter === 'ClusterAffinity'),
  )
  if (wanted.length === 0 && missing.length > 0)
    return 'Correct the cluster names of the policy, or join the clusters.'
  const [most] = countedFilters(wanted.length > 0 ? wanted : verdicts)
  return (most && fixes[most[0]]) ?? 'Correct the placement of the policy as the message says.'
}

/** Each filter with how many clusters it refuses, the most first. */
function countedFilters(verdicts: readonly Verdict[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const { refusals } of verdicts)
    for (const { filter } of refusals) counts.set(filter, (counts.get(filter) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
}

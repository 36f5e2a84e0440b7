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
}

/** `2 by ClusterAffinity, 1 by TaintToleration`; '' when nothing refuses any cluster. */
export function refusalCounts(verdicts: readonly Verdict[]): string {
  const counts = new Map<string, number>()
  for (const { refusals } of verdicts)
    for (const { filter } of refusals) counts.set(filter, (counts.get(filter) ?? 0) + 1)
  const texts = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  return texts.length === 0
    ? ''
    : `of ${verdicts.length} ${verdicts.length === 1 ? 'cluster' : 'clusters'} refused ${texts.map(([filter, count]) => `${count} by ${filter}`).join(', ')}`
}

/** What most likely helps a template that no cluster takes: the fix for the filter that refuses most clusters. */
export function fixOfRefusals(reason: string, verdicts: readonly Verdict[]): string {
  if (verdicts.length === 0) return 'Join a member cluster to the instance.'
  if (reason === 'Unschedulable')
    return 'Ask for fewer replicas or less CPU and memory, add room to the clusters, or allow more clusters in the policy.'
  const counts = new Map<string, number>()
  for (const { refusals } of verdicts)
    for (const { filter } of refusals) counts.set(filter, (counts.get(filter) ?? 0) + 1)
  const [most] = [...counts].sort((a, b) => b[1] - a[1])
  return (most && fixes[most[0]]) ?? 'Correct the placement of the policy as the message says.'
}

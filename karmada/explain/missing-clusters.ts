import type { Cluster } from '../objects/cluster.js'
import type { Placement } from '../objects/placement.js'

/** Names in the affinities of a placement that no cluster of the control plane has: misspelled, or of clusters that left. */
export function missingClusters(
  { clusterAffinity, clusterAffinities = [] }: Placement,
  clusters: readonly Cluster[],
): readonly string[] {
  const affinities = [
    ...(clusterAffinity ? [clusterAffinity] : []),
    ...clusterAffinities.flatMap(term => [term, ...(term.overflowAffinities ?? [])]),
  ]
  const named = new Set(affinities.flatMap(({ clusterNames = [] }) => clusterNames))
  return [...named].filter(name => !clusters.some(({ metadata }) => metadata.name === name))
}

/** ` No cluster nroth is joined, which the policy names.`; '' when it names none that is missing. */
export function missingText(names: readonly string[]): string {
  const [first, ...others] = names
  if (first === undefined) return ''
  return others.length === 0
    ? ` No cluster ${first} is joined, which the policy names.`
    : ` No clusters ${names.join(', ')} are joined, which the policy names.`
}

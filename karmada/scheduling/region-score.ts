import type { BindingSpec } from '../objects/binding.js'
import type { Candidate } from './candidate.js'

/** What fits weighs more than the clusters' own scores, which are 100 at most. */
const UNIT = 1000

/** How good a region is for a template; higher is better (`calcGroupScore` of Karmada). */
export function regionScore(members: readonly Candidate[], spec: BindingSpec, minRegions: number): number {
  const { replicaScheduling, spreadConstraints = [] } = spec.placement
  const replicas = spec.replicas ?? 0
  if (!replicaScheduling || replicaScheduling.replicaSchedulingType === 'Duplicated')
    return duplicatedScore(members, replicas)
  const wanted = Math.ceil(replicas / minRegions)
  const ofClusters = spreadConstraints.findLast(({ spreadByField }) => spreadByField === 'cluster')
  const atLeast = Math.max(ofClusters?.minGroups ?? 0, minRegions)
  let counted = 0
  let available = 0
  let score = 0
  for (const member of members) {
    available += member.available
    score += member.score
    counted++
    if (counted >= atLeast && available >= wanted) break
  }
  return available < wanted
    ? available * UNIT + Math.trunc(score / members.length)
    : wanted * UNIT + Math.trunc(score / counted)
}

/** By how many clusters can hold the whole template. */
function duplicatedScore(members: readonly Candidate[], replicas: number): number {
  const large = members.filter(({ available }) => available >= replicas)
  if (large.length === 0) return 0
  const score = large.reduce((sum, member) => sum + member.score, 0)
  return large.length * UNIT + Math.trunc(score / large.length)
}

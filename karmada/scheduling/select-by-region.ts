import type { BindingSpec } from '../objects/binding.js'
import type { SpreadConstraint } from '../objects/placement.js'
import { best, type Candidate } from './candidate.js'
import { Unplaceable } from './outcome.js'
import { regionScore } from './region-score.js'
import { type Group, selectGroups } from './select-groups.js'

/**
 * Chooses regions, takes the best cluster of each, and fills up with the best of what is left in them
 * (`selectBestClustersByRegion` of Karmada).
 * @throws Unplaceable when there are too few regions, or no choice of them has enough clusters
 */
export function selectByRegion(
  candidates: readonly Candidate[],
  region: SpreadConstraint,
  cluster: SpreadConstraint | undefined,
  spec: BindingSpec,
): readonly Candidate[] {
  const minGroups = region.minGroups ?? 0
  const regions = regionsOf(candidates)
  if (regions.size < minGroups)
    throw new Unplaceable('the number of feasible region is less than spreadConstraint.MinGroups')
  const groups = [...regions].map(
    ([name, members]): Group => ({
      name,
      value: members.length,
      weight: regionScore(members, spec, minGroups),
    }),
  )
  const chosen = selectGroups(groups, minGroups, region.maxGroups ?? 0, cluster?.minGroups ?? 0)
  if (chosen.length === 0)
    throw new Unplaceable('the number of clusters is less than the cluster spreadConstraint.MinGroups')
  const members = chosen.map(({ name }) => regions.get(name) ?? [])
  const first = members.map(([one]) => one as Candidate)
  const rest = members.flatMap(([, ...others]) => others).sort(best)
  const wanted = Math.min(first.length + rest.length, cluster?.maxGroups ?? 0)
  return [...first, ...rest.slice(0, Math.max(0, wanted - first.length))]
}

function regionsOf(candidates: readonly Candidate[]): ReadonlyMap<string, readonly Candidate[]> {
  const regions = new Map<string, Candidate[]>()
  for (const candidate of candidates) {
    const { region } = candidate.cluster.spec
    if (!region) continue
    const members = regions.get(region)
    if (members) members.push(candidate)
    else regions.set(region, [candidate])
  }
  return regions
}

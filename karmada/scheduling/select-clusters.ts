import type { BindingSpec } from '../objects/binding.js'
import type { Placement, SpreadConstraint } from '../objects/placement.js'
import type { Candidate } from './candidate.js'
import { isScheduledBySets } from './component-sets.js'
import { Unplaceable } from './outcome.js'
import { selectByRegion } from './select-by-region.js'

/**
 * Chooses among feasible clusters as the placement's spread constraints say (`spreadconstraint.SelectBestClusters`).
 * @param candidates best first
 * @throws Unplaceable when too few groups or clusters are left
 */
export function selectClusters(candidates: readonly Candidate[], spec: BindingSpec): readonly Candidate[] {
  const { placement } = spec
  const constraints = placement.spreadConstraints ?? []
  if (constraints.length === 0 || dividesByStaticWeight(placement)) return candidates
  // Of several constraints on one field, the last one counts.
  const byField = new Map(constraints.map(constraint => [constraint.spreadByField, constraint]))
  const [region, cluster] = [byField.get('region'), byField.get('cluster')]
  if (region) return selectByRegion(candidates, region, cluster, spec)
  if (cluster) return selectByCluster(candidates, cluster, isDivided(placement) ? neededBy(spec) : undefined)
  throw new Unplaceable('just support cluster and region spread constraint')
}

/** Replicas, or one set of components. */
const neededBy = (spec: BindingSpec): number => (isScheduledBySets(spec) ? 1 : (spec.replicas ?? 0))

/** Static weights name the clusters themselves, so no constraint chooses among them. */
export function dividesByStaticWeight({ replicaScheduling }: Placement): boolean {
  const { replicaSchedulingType, replicaDivisionPreference, weightPreference } = replicaScheduling ?? {}
  if (replicaSchedulingType !== 'Divided' || replicaDivisionPreference !== 'Weighted') return false
  return (
    !weightPreference ||
    ((weightPreference.staticWeightList ?? []).length > 0 && !weightPreference.dynamicWeight)
  )
}

/** Whether capacity counts: a duplicated template goes everywhere whole, whatever fits. */
const isDivided = ({ replicaScheduling }: Placement): boolean =>
  replicaScheduling !== undefined && replicaScheduling.replicaSchedulingType !== 'Duplicated'

/** @param needed replicas that must fit in what is chosen; undefined where capacity does not count */
function selectByCluster(
  candidates: readonly Candidate[],
  { minGroups = 0, maxGroups = 0 }: SpreadConstraint,
  needed: number | undefined,
): readonly Candidate[] {
  if (candidates.length < minGroups)
    throw new Unplaceable('the number of feasible clusters is less than spreadConstraint.MinGroups')
  const count = Math.min(candidates.length, maxGroups)
  if (needed === undefined) return candidates.slice(0, count)
  const chosen = largeEnough(candidates, count, needed)
  if (!chosen) throw new Unplaceable(`no enough resource when selecting ${count} clusters`)
  return chosen
}

/**
 * The best `count` candidates; while they cannot hold all replicas, the worst of them is exchanged for the largest of the
 * rest, one place after the other.
 */
function largeEnough(
  candidates: readonly Candidate[],
  count: number,
  needed: number,
): readonly Candidate[] | undefined {
  const chosen = candidates.slice(0, count)
  const rest = candidates.slice(count)
  for (let place = count - 1; place >= 0 && !holds(chosen, needed); place--) {
    const worst = chosen[place] as Candidate
    const at = largest(rest, worst.available)
    const larger = rest[at]
    if (!larger) continue
    chosen[place] = larger
    rest[at] = worst
  }
  return chosen.length > 0 && holds(chosen, needed) ? chosen : undefined
}

const holds = (candidates: readonly Candidate[], replicas: number): boolean =>
  candidates.reduce((sum, { available }) => sum + available, 0) >= replicas

/** The first of the largest candidates that are larger than `than`; -1 when there is none. */
function largest(candidates: readonly Candidate[], than: number): number {
  let found = -1
  let most = than
  candidates.forEach(({ available }, at) => {
    if (available > most) [found, most] = [at, available]
  })
  return found
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TargetCluster } from '../../karmada/objects/binding.js'
import type { Cluster, Taint } from '../../karmada/objects/cluster.js'
import type { ClusterAffinity, Placement } from '../../karmada/objects/placement.js'
import { schedule } from '../../karmada/scheduling/schedule.js'
import { tolerates } from '../../karmada/scheduling/tolerations.js'
import { parseQuantity } from '../../manifests/quantity.js'
import { type Scenario, scenarios } from './scenarios.js'

const isDivided = ({ replicaScheduling }: Placement) => replicaScheduling?.replicaSchedulingType === 'Divided'
const total = (clusters: readonly TargetCluster[]) =>
  clusters.reduce((sum, { replicas = 0 }) => sum + replicas, 0)

describe('any schedule', () => {
  const holds = (
    claim: (scenario: Parameters<typeof schedule>, found: ReturnType<typeof schedule>) => void,
  ) =>
    fc.assert(
      fc.property(scenarios, ({ spec, status, clusters }) =>
        claim([spec, status, clusters], schedule(spec, status, clusters)),
      ),
      { numRuns: 300 },
    )

  it('assigns as many replicas as the template has, where they are divided and no room is beyond an int32', () =>
    holds(([spec], { clusters, verdicts, failure }) => {
      const { replicas = 0, placement } = spec
      if (failure || !isDivided(placement) || replicas === 0) return
      if (verdicts.some(({ candidate }) => candidate && candidate.available < 0)) return
      expect(total(clusters)).toBe(replicas)
    }))

  it('has no cluster twice, and no unknown cluster', () =>
    holds(([, , known], { clusters }) => {
      const names = clusters.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      expect(known.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(names))
    }))

  it('excludes clusters that are being deleted, evicted from, or excluded by the placement', () =>
    holds(([{ placement, gracefulEvictionTasks = [] }, , known], { clusters }) => {
      for (const { name } of clusters) {
        const cluster = known.find(({ metadata }) => metadata.name === name)
        expect(cluster?.metadata.deletionTimestamp).toBeUndefined()
        expect(gracefulEvictionTasks).not.toContainEqual(expect.objectContaining({ fromCluster: name }))
        expect(placement.clusterAffinity?.exclude ?? []).not.toContain(name)
      }
    }))

  it('places nothing new on a cluster with an untolerated taint', () =>
    holds(([{ placement, clusters: previous = [] }, , known], { clusters }) => {
      const { clusterTolerations = [] } = placement
      const repels = (taint: Taint) =>
        taint.effect !== 'PreferNoSchedule' && !clusterTolerations.some(one => tolerates(one, taint))
      for (const { name } of clusters) {
        if (previous.some(one => one.name === name)) continue
        const cluster = known.find(({ metadata }) => metadata.name === name)
        expect((cluster?.spec.taints ?? []).filter(repels)).toEqual([])
      }
    }))

  it('gives no cluster more than it has room for, where replicas follow room', () =>
    holds(([spec, , known], { clusters, failure }) => {
      const { replicaScheduling } = spec.placement
      const followsRoom =
        isDivided(spec.placement) &&
        (replicaScheduling?.replicaDivisionPreference === 'Aggregated' ||
          replicaScheduling?.weightPreference?.dynamicWeight !== undefined)
      if (failure || !followsRoom) return
      for (const { name, replicas = 0 } of clusters) {
        const running = spec.clusters?.find(one => one.name === name)?.replicas ?? 0
        const room = summedRoom(
          known.find(({ metadata }) => metadata.name === name),
          spec,
        )
        if (room !== undefined) expect(BigInt(Math.max(0, replicas - running))).toBeLessThanOrEqual(room)
      }
    }))

  it('takes no cluster that the placement does not name', () =>
    holds(([{ placement }], { clusters, affinityName }) => {
      const { clusterAffinity, clusterAffinities = [] } = placement
      const group = clusterAffinities.find(one => one.affinityName === affinityName)
      const affinities: readonly ClusterAffinity[] = clusterAffinity
        ? [clusterAffinity]
        : group
          ? [group, ...(group.overflowAffinities ?? [])]
          : [{}]
      const isNamed = (name: string) =>
        affinities.some(
          ({ clusterNames = [], exclude = [] }) =>
            (clusterNames.length === 0 || clusterNames.includes(name)) && !exclude.includes(name),
        )
      expect(clusters.filter(({ name }) => !isNamed(name))).toEqual([])
    }))

  it('places nothing new on a cluster that does not serve the type', () =>
    holds(([{ clusters: previous = [] }, , known], { clusters }) => {
      for (const { name } of clusters) {
        if (previous.some(one => one.name === name)) continue
        const { status } = known.find(({ metadata }) => metadata.name === name) as Cluster
        expect(status?.apiEnablements?.map(({ groupVersion }) => groupVersion)).toContain('apps/v1')
      }
    }))

  it('does not exceed maxGroups of a spread constraint by cluster', () =>
    holds(([{ placement }, ,], { clusters, verdicts, failure }) => {
      const [constraint, other] = placement.spreadConstraints ?? []
      const strategy = placement.replicaScheduling
      const isStatic =
        strategy?.replicaDivisionPreference === 'Weighted' && !strategy.weightPreference?.dynamicWeight
      if (failure || other || constraint?.spreadByField !== 'cluster' || isStatic) return
      const selected = verdicts.filter(verdict => verdict.selected).length
      expect(selected).toBeGreaterThanOrEqual(constraint.minGroups ?? 0)
      expect(selected).toBeLessThanOrEqual(constraint.maxGroups ?? 0)
      expect(clusters.length).toBeLessThanOrEqual(selected)
    }))

  it('does not depend on the order of the clusters', () =>
    fc.assert(
      fc.property(
        scenarios.chain(scenario =>
          fc.record({
            scenario: fc.constant(scenario),
            shuffled: fc.shuffledSubarray([...scenario.clusters], { minLength: scenario.clusters.length }),
          }),
        ),
        ({ scenario: { spec, status, clusters }, shuffled }) => {
          const { clusters: placed, failure } = schedule(spec, status, clusters)
          expect(schedule(spec, status, shuffled)).toMatchObject({
            clusters: placed,
            ...(failure && { failure }),
          })
        },
      ),
      { numRuns: 200 },
    ))

  it('is stable when it is repeated, unless rescheduling is requested', () =>
    holds(([spec, status, known], { clusters, failure, affinityName }) => {
      const preference = spec.placement.replicaScheduling
      if (failure || spec.rescheduleTriggeredAt || !isDivided(spec.placement)) return
      if (preference?.replicaDivisionPreference !== 'Aggregated' || spec.placement.spreadConstraints) return
      if (affinityName !== undefined) return
      const again = schedule({ ...spec, clusters }, status, known)
      expect(again.clusters).toEqual(clusters)
    }))

  it('has a reason for each cluster that is filtered out', () =>
    holds((_, { verdicts }) => {
      for (const { refusals, candidate } of verdicts)
        expect(refusals.length === 0).toBe(candidate !== undefined)
    }))
})

/** Replicas that fit in what a cluster reports as free; undefined where its grades of nodes count, or 32 bits are too few. */
function summedRoom(
  cluster: Cluster | undefined,
  { replicaRequirements }: Scenario['spec'],
): bigint | undefined {
  const {
    allocatable = {},
    allocated,
    allocating,
    allocatableModelings = [],
  } = cluster?.status?.resourceSummary ?? {}
  if (allocatableModelings.length > 0 && cluster?.spec.resourceModels?.length) return undefined
  const free = (name: string) =>
    [allocated, allocating].reduce(
      (left, list) => left - parseQuantity(list?.[name] ?? 0).nano,
      parseQuantity(allocatable[name] ?? 0).nano,
    )
  const rooms = Object.entries({ pods: 1, ...replicaRequirements?.resourceRequest })
    .map(([name, amount]) => [free(name), parseQuantity(amount).nano] as const)
    .filter(([, requested]) => requested > 0n)
    .map(([left, requested]) => (left < 0n ? 0n : left / requested))
  const [least = 0n] = rooms.sort((one, other) => (one < other ? -1 : 1))
  return least > 2n ** 31n ? undefined : least
}

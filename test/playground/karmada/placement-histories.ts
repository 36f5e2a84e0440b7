import fc from 'fast-check'
import type { Taint } from '../../../karmada/objects/cluster.js'
import type { Placement } from '../../../karmada/objects/placement.js'

/** Members with room for few replicas, so that templates fill them. CPUs of their nodes. */
export const MEMBERS: Readonly<Record<string, readonly number[]>> = {
  m1: [4, 4],
  m2: [4],
  m3: [2],
  m4: [8],
}
/** Templates, and the thousandths of a CPU that each replica requests. */
export const TEMPLATES: Readonly<Record<string, number>> = { web: 500, api: 1_000 }

/** One change of the world. */
export type Change =
  | { readonly template: string; readonly replicas: number }
  | { readonly policyOf: string; readonly placement: Placement }
  | { readonly clusters: readonly string[]; readonly taints: readonly Taint[] }
  | { readonly rebalance: string }
  | { readonly drop: string }

/** A change, and the write of the controllers that follow it at which they crash: that one is stored or not. */
export interface Step {
  readonly change: Change
  readonly crash?: { readonly after: number; readonly isStored: boolean }
}

const names = Object.keys(MEMBERS)
const templates = fc.constantFrom(...Object.keys(TEMPLATES))
const from = <T>(...values: readonly T[]) => fc.constantFrom(...values)

/** The one taint of the histories. */
export const DOWN = { key: 'down', value: 'yes' } as const
const TOLERATIONS = [
  ...[[], [], []],
  [{ key: 'down', operator: 'Exists' }],
  [{ key: 'down', operator: 'Equal', value: 'yes', effect: 'NoSchedule' }],
]

const divided = (more: object) => ({ replicaSchedulingType: 'Divided' as const, ...more })
const strategies = fc.oneof(
  fc.constant(undefined),
  fc.constant({ replicaSchedulingType: 'Duplicated' as const }),
  // Twice: they alone look at what clusters have room for.
  ...Array.from({ length: 2 }, () =>
    from(
      divided({ replicaDivisionPreference: 'Aggregated' as const }),
      divided({
        replicaDivisionPreference: 'Weighted' as const,
        weightPreference: { dynamicWeight: 'AvailableReplicas' as const },
      }),
    ),
  ),
  fc
    .array(
      fc.record({
        targetCluster: fc.subarray(names, { minLength: 1 }).map(clusterNames => ({ clusterNames })),
        weight: from(1, 2, 5),
      }),
      { minLength: 1, maxLength: 2 },
    )
    .map(staticWeightList =>
      divided({ replicaDivisionPreference: 'Weighted' as const, weightPreference: { staticWeightList } }),
    ),
)

const placements: fc.Arbitrary<Placement> = fc
  .record({
    clusterNames: fc.option(fc.subarray(names, { minLength: 1 }), { nil: undefined, freq: 2 }),
    exclude: fc.subarray(names, { maxLength: 2 }),
    clusterTolerations: from(...TOLERATIONS),
    replicaScheduling: strategies,
    most: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 2 }),
  })
  .map(({ clusterNames, exclude, clusterTolerations, replicaScheduling, most }) => ({
    clusterAffinity: { ...(clusterNames && { clusterNames }), ...(exclude.length > 0 && { exclude }) },
    ...(clusterTolerations.length > 0 && { clusterTolerations }),
    ...(replicaScheduling && { replicaScheduling }),
    ...(most !== undefined && {
      spreadConstraints: [{ spreadByField: 'cluster' as const, minGroups: 1, maxGroups: most }],
    }),
  }))

const scalings = (names = templates) =>
  fc
    .record({ template: names, replicas: fc.oneof(fc.nat(14), fc.integer({ min: 12, max: 30 })) })
    .map((one): Change => one)
const policies = (names = templates) =>
  fc.record({ policyOf: names, placement: placements }).map((one): Change => one)
/** Karmada accepts no other effects of a Cluster. */
const EFFECTS = ['NoSchedule', 'NoExecute'] as const
const taints = EFFECTS.map((effect): readonly Taint[] => [{ ...DOWN, effect }])
const taintings = (taints: fc.Arbitrary<readonly Taint[]>) =>
  fc.record({ clusters: from(...names).map(name => [name]), taints }).map((one): Change => one)
/** All clusters at once, so that what waits for any of them goes on. */
const untainting = fc.constant<Change>({ clusters: names, taints: [] })

const changes = fc.oneof(
  { weight: 4, arbitrary: scalings() },
  { weight: 4, arbitrary: policies() },
  { weight: 3, arbitrary: taintings(from(...taints)) },
  { weight: 3, arbitrary: untainting },
  { weight: 1, arbitrary: templates.map((rebalance): Change => ({ rebalance })) },
  { weight: 1, arbitrary: templates.map((drop): Change => ({ drop })) },
)

/** What happens to two templates, their policies and clusters, some of which are tainted before anything is placed. */
export const histories: fc.Arbitrary<readonly Step[]> = fc
  .record({
    begun: fc.tuple(
      taintings(from(...taints)),
      taintings(from(...taints)),
      ...Object.keys(TEMPLATES).flatMap(name => [scalings(fc.constant(name)), policies(fc.constant(name))]),
    ),
    rest: fc.array(
      fc.record({
        change: changes,
        crash: fc.option(fc.record({ after: fc.integer({ min: 1, max: 14 }), isStored: fc.boolean() }), {
          nil: undefined,
          freq: 2,
        }),
      }),
      { minLength: 2, maxLength: 7 },
    ),
  })
  .map(({ begun, rest }) => [
    ...begun.map(change => ({ change })),
    ...rest.map(({ change, crash }) => ({ change, ...(crash && { crash }) })),
  ])

const tainting = (cluster: string, effect: Taint['effect']): Change => ({
  clusters: [cluster],
  taints: [{ ...DOWN, effect }],
})
const AGGREGATED: Placement = {
  clusterAffinity: { exclude: ['m4'] },
  replicaScheduling: divided({ replicaDivisionPreference: 'Aggregated' as const }),
}

/** Histories of which chance makes few: each run begins with them. */
export const always: readonly (readonly Step[])[] = [
  [
    tainting('m1', 'NoSchedule'),
    tainting('m2', 'NoExecute'),
    { template: 'web', replicas: 2 },
    { policyOf: 'web', placement: { clusterAffinity: {} } },
    { clusters: names, taints: [] },
    tainting('m3', 'NoExecute'),
  ],
  [
    { template: 'api', replicas: 3 },
    { policyOf: 'api', placement: AGGREGATED },
    // More than there is room for, and then less.
    { template: 'api', replicas: 40 },
    { template: 'api', replicas: 1 },
    { policyOf: 'api', placement: { clusterAffinity: { clusterNames: ['m2', 'm3'], exclude: ['m2'] } } },
  ],
  [
    tainting('m4', 'NoExecute'),
    { template: 'web', replicas: 11 },
    {
      policyOf: 'web',
      placement: {
        clusterAffinity: { clusterNames: ['m4'] },
        clusterTolerations: [{ key: 'down', operator: 'Exists' }],
      },
    },
    // No room for it there: it stays where it is tolerated, until there is.
    {
      policyOf: 'web',
      placement: { ...AGGREGATED, clusterAffinity: { clusterNames: ['m3'] } },
    },
    { template: 'web', replicas: 3 },
  ],
].map(changes => changes.map((change): Step => ({ change })))

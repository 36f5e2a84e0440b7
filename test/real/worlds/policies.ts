import fc from 'fast-check'
import { anySelectors, from, namespacedSelectors } from './objects.js'
import type { Step, World } from './world.js'

/** Policies of a world. Each names its Clusters: others are there too. */

const POLICY_API = 'policy.karmada.io/v1alpha1'
export const POLICIES = `${POLICY_API}/propagationpolicies`
export const CLUSTER_POLICIES = `${POLICY_API}/clusterpropagationpolicies`
export const OVERRIDES = `${POLICY_API}/overridepolicies`
export const CLUSTER_OVERRIDES = `${POLICY_API}/clusteroverridepolicies`
export const TAINT_POLICIES = `${POLICY_API}/clustertaintpolicies`

const clustersOf = ({ clusters }: World): readonly string[] => Object.values(clusters)
const affinity = (world: World) => {
  const all = clustersOf(world)
  return fc.oneof(
    fc.subarray([...all], { minLength: 1 }).map(clusterNames => ({ clusterNames })),
    from(...all).map(one => ({ clusterNames: all, exclude: [one] })),
    from('gold', 'tin').map(tier => ({ clusterNames: all, labelSelector: { matchLabels: { tier } } })),
  )
}

const TOLERATIONS = [
  [{ key: 'maintenance', operator: 'Exists' }],
  [{ key: 'maintenance', operator: 'Equal', value: 'now', effect: 'NoExecute' }],
  [{ operator: 'Exists' }],
]

const scheduling = (world: World) =>
  fc.oneof(
    fc.constant(undefined),
    fc.constant({ replicaSchedulingType: 'Duplicated' }),
    fc
      .array(
        fc.record({
          targetCluster: fc.record({ clusterNames: fc.subarray([...clustersOf(world)], { minLength: 1 }) }),
          weight: from(1, 2, 4),
        }),
        { minLength: 1, maxLength: 2 },
      )
      .map(staticWeightList => ({
        replicaSchedulingType: 'Divided',
        replicaDivisionPreference: 'Weighted',
        weightPreference: { staticWeightList },
      })),
    fc.constant({ replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' }),
  )

const placement = (world: World) =>
  fc
    .record({
      where: fc.oneof(
        { weight: 3, arbitrary: affinity(world).map(clusterAffinity => ({ clusterAffinity })) },
        {
          weight: 1,
          arbitrary: fc.tuple(affinity(world), affinity(world)).map(([one, other]) => ({
            clusterAffinities: [
              { affinityName: 'first', ...one },
              { affinityName: 'second', ...other },
            ],
          })),
        },
      ),
      clusterTolerations: fc.option(from(...TOLERATIONS), { nil: undefined, freq: 3 }),
      replicaScheduling: scheduling(world),
    })
    .map(({ where, clusterTolerations, replicaScheduling }) => ({
      ...where,
      ...(clusterTolerations && { clusterTolerations }),
      ...(replicaScheduling && { replicaScheduling }),
    }))

const rest = (world: World) =>
  fc
    .record({
      priority: from(0, 0, 3),
      conflictResolution: from('Abort', 'Overwrite'),
      preemption: from('Never', 'Never', 'Always'),
      lazy: fc.nat(5),
      suspension: fc.option(
        fc.oneof(
          fc.constant({ dispatching: true }),
          from(...clustersOf(world)).map(one => ({ dispatchingOnClusters: { clusterNames: [one] } })),
        ),
        { nil: undefined, freq: 7 },
      ),
      preserveResourcesOnDeletion: from(undefined, undefined, true, false),
      purgeMode: from(undefined, 'Directly', 'Gracefully'),
      placement: placement(world),
    })
    .map(({ lazy, suspension, preserveResourcesOnDeletion, purgeMode, ...spec }) => ({
      ...spec,
      ...(lazy === 0 && { activationPreference: 'Lazy' }),
      ...(suspension && { suspension }),
      ...(preserveResourcesOnDeletion !== undefined && { preserveResourcesOnDeletion }),
      ...(purgeMode && { failover: { cluster: { purgeMode } } }),
    }))

/** PropagationPolicies and ClusterPropagationPolicies. */
export const policies = (world: World) =>
  fc
    .record({ wide: fc.boolean(), name: from('first', 'second'), spec: rest(world) })
    .chain(({ wide, name, spec }) =>
      (wide ? anySelectors(world) : namespacedSelectors(world, false)).map(
        (resourceSelectors): Step => ({
          type: wide ? CLUSTER_POLICIES : POLICIES,
          part: 'spec',
          put: {
            apiVersion: POLICY_API,
            kind: wide ? 'ClusterPropagationPolicy' : 'PropagationPolicy',
            metadata: wide ? { name: `${world.name}-${name}` } : { name, namespace: world.name },
            spec: { ...spec, ...mayPreempt(spec, resourceSelectors), resourceSelectors },
          },
        }),
      ),
    )

/** Karmada refuses a policy that takes over what it does not name. */
const mayPreempt = ({ preemption }: { readonly preemption: string }, selectors: readonly object[]) => ({
  preemption: selectors.every(one => 'name' in one) ? preemption : 'Never',
})

const overriders = from<object>(
  { labelsOverrider: [{ operator: 'add', value: { overridden: 'yes' } }] },
  { annotationsOverrider: [{ operator: 'add', value: { note: 'here' } }] },
  { plaintext: [{ path: '/metadata/labels/plain', operator: 'add', value: 'text' }] },
  { imageOverrider: [{ component: 'Tag', operator: 'replace', value: '1.29' }] },
)

/** OverridePolicies and ClusterOverridePolicies. */
export const overrides = (world: World) =>
  fc
    .record({
      wide: fc.boolean(),
      clusters: fc.option(fc.subarray([...clustersOf(world)], { minLength: 1 }), { nil: undefined }),
      overriders,
    })
    .chain(({ wide, clusters, overriders }) =>
      (wide ? anySelectors(world) : namespacedSelectors(world, false)).map(
        (resourceSelectors): Step => ({
          type: wide ? CLUSTER_OVERRIDES : OVERRIDES,
          part: 'spec',
          put: {
            apiVersion: POLICY_API,
            kind: wide ? 'ClusterOverridePolicy' : 'OverridePolicy',
            metadata: wide ? { name: `${world.name}-one` } : { name: 'one', namespace: world.name },
            spec: {
              resourceSelectors,
              overrideRules: [{ ...(clusters && { targetCluster: { clusterNames: clusters } }), overriders }],
            },
          },
        }),
      ),
    )

/** ClusterTaintPolicies: their conditions hold of each Cluster that is ready. */
export const taintPolicies = (world: World) =>
  fc
    .record({
      clusterNames: fc.subarray([...clustersOf(world)], { minLength: 1 }),
      effect: from('NoSchedule', 'NoExecute'),
      when: from('addOnConditions', 'removeOnConditions'),
      key: from('by-policy', 'maintenance'),
    })
    .map(
      ({ clusterNames, effect, when, key }): Step => ({
        type: TAINT_POLICIES,
        part: 'spec',
        put: {
          apiVersion: POLICY_API,
          kind: 'ClusterTaintPolicy',
          metadata: { name: `${world.name}-taint` },
          spec: {
            targetClusters: { clusterNames },
            [when]: [{ conditionType: 'Ready', operator: 'In', statusValues: ['True'] }],
            taints: [{ key, value: 'now', effect }],
          },
        },
      }),
    )

/** Policies that go. */
export const policyDrops = ({ name }: World) =>
  from<Step>(
    ...['first', 'second'].flatMap((one): Step[] => [
      { type: POLICIES, drop: one, namespaced: true },
      { type: CLUSTER_POLICIES, drop: `${name}-${one}`, namespaced: false },
    ]),
    { type: OVERRIDES, drop: 'one', namespaced: true },
    { type: CLUSTER_OVERRIDES, drop: `${name}-one`, namespaced: false },
    { type: TAINT_POLICIES, drop: `${name}-taint`, namespaced: false },
  )

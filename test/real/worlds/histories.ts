import fc from 'fast-check'
import { clusterWide, configMaps, deployments, from, templateDrops } from './objects.js'
import { overrides, policies, policyDrops, taintPolicies } from './policies.js'
import type { Step, World } from './world.js'

export const REBALANCERS = 'apps.karmada.io/v1alpha1/workloadrebalancers'

const rebalancers = ({ name }: World) =>
  fc.record({ at: fc.nat(1_000), workload: from('web', 'api', 'missing') }).map(
    ({ at, workload }): Step => ({
      type: REBALANCERS,
      part: 'spec',
      put: {
        apiVersion: 'apps.karmada.io/v1alpha1',
        kind: 'WorkloadRebalancer',
        metadata: { name: `${name}-${at}` },
        spec: {
          workloads: [{ apiVersion: 'apps/v1', kind: 'Deployment', namespace: name, name: workload }],
        },
      },
    }),
  )

/** What happens to Clusters: cordons, other taints, labels, leaving and joining. */
const changes = ({ clusters }: World) =>
  from(...Object.entries(clusters)).chain(([member, cluster]) =>
    from<Step>(
      { cluster, taints: [] },
      // As `karmadactl cordon`.
      { cluster, taints: [{ key: 'cluster.karmada.io/unschedulable', effect: 'NoSchedule' }] },
      { cluster, taints: [{ key: 'maintenance', value: 'now', effect: 'NoSchedule' }] },
      { cluster, taints: [{ key: 'maintenance', value: 'now', effect: 'NoExecute' }] },
      { cluster, labels: { tier: 'gold' } },
      { cluster, labels: { tier: 'tin' } },
      { cluster, labels: { tier: null } },
      { leaves: member },
      { joins: member },
    ),
  )

/** Histories of one world: what has no namespace changes as well as what has one. */
export const histories = (world: World): fc.Arbitrary<readonly Step[]> =>
  fc
    .tuple(
      fc.oneof(deployments(world), clusterWide(world)),
      policies(world),
      fc.array(
        fc.oneof(
          { weight: 2, arbitrary: deployments(world) },
          { weight: 1, arbitrary: configMaps(world) },
          { weight: 2, arbitrary: clusterWide(world) },
          { weight: 4, arbitrary: policies(world) },
          { weight: 2, arbitrary: overrides(world) },
          { weight: 4, arbitrary: changes(world) },
          { weight: 1, arbitrary: taintPolicies(world) },
          { weight: 1, arbitrary: rebalancers(world) },
          { weight: 1, arbitrary: templateDrops(world) },
          { weight: 1, arbitrary: policyDrops(world) },
        ),
        { minLength: 2, maxLength: 6 },
      ),
      fc.boolean(),
    )
    .map(([template, policy, rest, policyFirst]) => [
      ...(policyFirst ? [policy, template] : [template, policy]),
      ...rest,
    ])

import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensure, remove } from '../../../playground/client/write.js'
import { conditionOf } from '../../../playground/objects/conditions.js'
import { DEPLOYMENTS } from '../../../playground/objects/core-types.js'
import { eventually } from '../eventually.js'
import { deployment, POLICIES, PropagationWorld } from './propagation-world.js'

let world: PropagationWorld
beforeAll(async () => {
  world = await PropagationWorld.start(['m1', 'm2'])
})
afterAll(() => world.close())

/** Places all Deployments with the label in one cluster each. */
const policy = (key: string, workloadAffinity: object) => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { name: key, namespace: 'default' },
  spec: {
    resourceSelectors: [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        labelSelector: { matchExpressions: [{ key, operator: 'Exists' }] },
      },
    ],
    placement: {
      spreadConstraints: [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 1 }],
      workloadAffinity,
    },
  },
})

const inGroup = (name: string, key: string) => {
  const template = deployment(name, 1)
  return { ...template, metadata: { ...template.metadata, labels: { [key]: 'one' } } }
}

const clusterOf = (name: string) =>
  eventually(`${name} to be scheduled`, async () => (await world.binding(name))?.spec.clusters?.[0]?.name)

it('separates the workloads of an anti-affinity group, and places one that found no cluster when another one has left', async () => {
  await ensure(world.control, POLICIES, policy('apart', { antiAffinity: { groupByLabelKey: 'apart' } }))
  const names = ['a1', 'a2', 'a3']
  await Promise.all(names.map(name => ensure(world.control, DEPLOYMENTS, inGroup(name, 'apart'))))
  const bindings = await eventually('all three to be decided', async () => {
    const found = await Promise.all(names.map(name => world.binding(name)))
    return found.every(one => conditionOf(one?.status?.conditions, 'Scheduled')) && found
  })
  const placed = bindings.filter(one => one?.spec.clusters)
  expect(placed.map(one => one?.spec.clusters?.[0]?.name).sort()).toEqual(['m1', 'm2'])
  expect(placed[0]?.spec.workloadAffinityGroups).toEqual({ antiAffinityGroup: 'apart=one' })
  const left = bindings.find(one => !one?.spec.clusters)
  expect(conditionOf(left?.status?.conditions, 'Scheduled')).toMatchObject({
    reason: 'NoClusterFit',
    message: '0/2 clusters are available: 2 cluster already has workload with the same anti-affinity group.',
  })
  const [gone] = placed
  await remove(world.control, DEPLOYMENTS, {
    namespace: 'default',
    name: gone?.spec.resource.name ?? '',
  })
  expect(await clusterOf(left?.spec.resource.name ?? '')).toBe(gone?.spec.clusters?.[0]?.name)
})

it('places the workloads of an affinity group in the same cluster, also those that come at once', async () => {
  await ensure(world.control, POLICIES, policy('together', { affinity: { groupByLabelKey: 'together' } }))
  const names = ['b1', 'b2', 'b3', 'b4']
  await Promise.all(names.map(name => ensure(world.control, DEPLOYMENTS, inGroup(name, 'together'))))
  const clusters = await Promise.all(names.map(clusterOf))
  expect(new Set(clusters).size).toBe(1)
})

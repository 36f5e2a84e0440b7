import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import {
  FEDERATED_RESOURCE_QUOTAS,
  type FederatedResourceQuota,
} from '../../../karmada/objects/federated-resource-quota.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { ensure, read, remove, update } from '../../../playground/client/write.js'
import { conditionOf } from '../../../playground/objects/conditions.js'
import { DEPLOYMENTS, NAMESPACES, RESOURCE_QUOTAS } from '../../../playground/objects/core-types.js'
import { eventually } from '../eventually.js'
import { deployment, duplicated, POLICIES, PropagationWorld, policyFor } from './propagation-world.js'

let world: PropagationWorld
beforeAll(async () => {
  world = await PropagationWorld.start(['m1', 'm2'])
})
afterAll(() => world.close())

const quota = (namespace: string, spec: FederatedResourceQuota['spec']): FederatedResourceQuota => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'FederatedResourceQuota',
  metadata: { namespace, name: 'limit' },
  spec,
})
const change = (namespace: string, spec: object) =>
  update<FederatedResourceQuota>(
    world.control,
    FEDERATED_RESOURCE_QUOTAS,
    { namespace, name: 'limit' },
    one => ({ ...one, spec: { ...one.spec, ...spec } }),
  )
const status = async (namespace: string) =>
  (await read<FederatedResourceQuota>(world.control, FEDERATED_RESOURCE_QUOTAS, { namespace, name: 'limit' }))
    ?.status ?? {}
const inMember = (name: string) => world.inMember(name, 'limit', RESOURCE_QUOTAS)

describe('assignments of a FederatedResourceQuota', () => {
  it('bring a ResourceQuota to each member that is named, and collect what it reports', async () => {
    const hard = { cpu: '1', memory: '2Gi' }
    const staticAssignments = ['m1', 'm2'].map(clusterName => ({ clusterName, hard }))
    const overall = { cpu: '2', memory: '4Gi' }
    await ensure(world.control, FEDERATED_RESOURCE_QUOTAS, quota('default', { overall, staticAssignments }))
    const used = { cpu: '0', memory: '0' }
    const { aggregatedStatus } = await eventually('both members to report', async () => {
      const found = await status('default')
      return found.aggregatedStatus?.filter(one => one.hard).length === 2 ? found : undefined
    })
    expect(aggregatedStatus).toEqual([
      { clusterName: 'm1', hard, used },
      { clusterName: 'm2', hard, used },
    ])
  })

  it('that are withdrawn, or whose quota is deleted, are withdrawn from the members', async () => {
    await change('default', { staticAssignments: [{ clusterName: 'm1', hard: { cpu: '2' } }] })
    await eventually('m2 to lose it', async () => !(await inMember('m2')))
    await eventually('m1 to have the new one', async () => {
      const found = (await inMember('m1')) as Resource | undefined
      return JSON.stringify(found?.spec) === JSON.stringify({ hard: { cpu: '2' } })
    })
    await remove(world.control, FEDERATED_RESOURCE_QUOTAS, { namespace: 'default', name: 'limit' })
    await eventually('m1 to lose it', async () => !(await inMember('m1')))
  })
})

describe('the whole of a FederatedResourceQuota', () => {
  const namespace = 'shop'
  const resources = { requests: { cpu: '10m' } }
  const small = (name: string, replicas: number): KubeObject =>
    deployment(name, replicas, namespace, { containers: [{ name: 'web', image: 'nginx:1.27', resources }] })
  const scheduled = async (name: string) => {
    const found = await world.binding(name, 'deployment', namespace)
    return conditionOf(found?.status?.conditions, 'Scheduled')
  }
  const refused = (name: string, message: string) =>
    eventually(`${name} to be refused`, async () => {
      const condition = await scheduled(name)
      return condition?.reason === 'QuotaExceeded' && condition.message === message
    })
  const exceeded = (wanted: string) =>
    'admission webhook "resourcebinding.karmada.io" denied the request: ' +
    `FederatedResourceQuota(${namespace}/limit) exceeded for resource cpu: requested sum ${wanted}, limit 20m.`

  it('is used by what is scheduled, and refuses what exceeds it', async () => {
    const namespaceObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
    await ensure(world.control, NAMESPACES, namespaceObject)
    await ensure(world.control, FEDERATED_RESOURCE_QUOTAS, quota(namespace, { overall: { cpu: '20m' } }))
    for (const name of ['one', 'two']) {
      await ensure(world.control, POLICIES, policyFor('Deployment', name, duplicated('m1'), {}, namespace))
      await ensure(world.control, DEPLOYMENTS, small(name, name === 'one' ? 2 : 1))
      if (name === 'one')
        await eventually('it to be placed', async () => (await scheduled('one'))?.status === 'True')
    }
    await refused('two', exceeded('30m'))
    expect((await world.binding('two', 'deployment', namespace))?.spec.clusters).toBeUndefined()
    await eventually('its use to be reported', async () => {
      const { overall, overallUsed } = await status(namespace)
      return overall?.cpu === '20m' && overallUsed?.cpu === '20m'
    })
  })

  it('keeps the replicas of a workload that would outgrow it', async () => {
    await update<Resource>(world.control, DEPLOYMENTS, { namespace, name: 'one' }, one => ({
      ...one,
      spec: { ...one.spec, replicas: 3 },
    }))
    await refused('one', exceeded('30m'))
    const { clusters } = (await world.binding('one', 'deployment', namespace))?.spec ?? {}
    expect(clusters).toEqual([{ name: 'm1', replicas: 2 }])
  })
})

describe('a ResourceQuota that was brought to a member', () => {
  it('limits the replicas that the member gets of what is divided by room', async () => {
    const namespace = 'rooms'
    await ensure(world.control, NAMESPACES, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    })
    const limit = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { namespace, name: 'limit' },
      spec: { hard: { 'requests.cpu': '20m' } },
    }
    await ensure(world.control, RESOURCE_QUOTAS, limit)
    await ensure(
      world.control,
      POLICIES,
      policyFor('ResourceQuota', 'limit', duplicated('m1'), {}, namespace),
    )
    await eventually('the member to report it', async () => {
      const found = await world.binding('limit', 'resourcequota', namespace)
      return found?.status?.aggregatedStatus?.some(one => one.status?.used !== undefined)
    })
    const requests = { cpu: '10m' }
    const workload = (name: string, replicas: number) =>
      deployment(name, replicas, namespace, {
        containers: [{ name: 'web', image: 'nginx:1.27', resources: { requests } }],
      })
    const replicaScheduling = { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' }
    for (const [name, replicas] of [
      ['large', 3],
      ['small', 2],
    ] as const) {
      const placement = { ...duplicated('m1'), replicaScheduling }
      await ensure(world.control, POLICIES, policyFor('Deployment', name, placement, {}, namespace))
      await ensure(world.control, DEPLOYMENTS, workload(name, replicas))
    }
    const conditionOfScheduling = async (name: string) =>
      conditionOf((await world.binding(name, 'deployment', namespace))?.status?.conditions, 'Scheduled')
    await eventually('the large one to be refused', async () => {
      return (await conditionOfScheduling('large'))?.reason === 'Unschedulable'
    })
    await eventually('the small one to be placed', async () => {
      return (await conditionOfScheduling('small'))?.status === 'True'
    })
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  MULTI_CLUSTER_SERVICES,
  type MultiClusterService,
} from '../../../karmada/networking/multi-cluster-service.js'
import { SERVICE_IMPORTS } from '../../../karmada/networking/service-import.js'
import type { EndpointSlice } from '../../../karmada/networking/slice-works.js'
import { WORKS, type Work } from '../../../karmada/objects/work.js'
import { type KubeList, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { ensure, read, remove, update } from '../../../playground/client/write.js'
import { conditionOf } from '../../../playground/objects/conditions.js'
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  SERVICES,
} from '../../../playground/objects/core-types.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { eventually } from '../eventually.js'
import { deployment, duplicated, POLICIES, PropagationWorld, policyFor } from './propagation-world.js'

let world: PropagationWorld
beforeAll(async () => {
  world = await PropagationWorld.start(['m1', 'm2'])
})
afterAll(() => world.close())

const SERVICE_EXPORTS = { ...SERVICE_IMPORTS, resource: 'serviceexports' }
const place = (name: string) => ({ namespace: 'default', name })
const service = (name: string): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: place(name),
    spec: { selector: { app: name }, ports: [{ name: 'http', port: 80 }] },
  }) as unknown as KubeObject
const mcs = (
  name: string,
  providers: readonly string[],
  consumers: readonly string[],
): MultiClusterService => ({
  apiVersion: 'networking.karmada.io/v1alpha1',
  kind: 'MultiClusterService',
  metadata: place(name),
  spec: {
    types: ['CrossCluster'],
    providerClusters: providers.map(one => ({ name: one })),
    consumerClusters: consumers.map(one => ({ name: one })),
  },
})
const slicesOf = async (api: KubeApi, name: string): Promise<readonly EndpointSlice[]> => {
  const path = resourcePath(ENDPOINT_SLICES, { namespace: 'default' })
  const query = { labelSelector: `kubernetes.io/service-name=${name}` }
  return (await api.request<KubeList<EndpointSlice>>({ method: 'GET', path, query })).items
}
const PROVISION = 'endpointslice.karmada.io/provision-cluster'
/** The addresses that a member knows of a Service's endpoints in other clusters. */
const foreign = async (member: string, name: string) =>
  (await slicesOf(world.member(member), name))
    .filter(({ metadata }) => metadata.annotations?.[PROVISION] !== undefined)
    .flatMap(({ endpoints = [], metadata }) => endpoints.map(() => metadata.annotations?.[PROVISION]))
const worksFor = async (name: string): Promise<readonly Work[]> => {
  const query = { labelSelector: `multiclusterservice.karmada.io/name=${name}` }
  return (await world.control.request<KubeList<Work>>({ method: 'GET', path: resourcePath(WORKS), query }))
    .items
}
const conditionsOf = async (name: string) =>
  (await read<MultiClusterService>(world.control, MULTI_CLUSTER_SERVICES, place(name)))?.status?.conditions

describe('a MultiClusterService', () => {
  it('brings the endpoints of clusters that provide it to those that use it, and follows them', async () => {
    await ensure(world.control, POLICIES, policyFor('Deployment', 'web', duplicated('m1')))
    await ensure(world.control, DEPLOYMENTS, deployment('web', 1))
    await ensure(world.control, SERVICES, service('web'))
    const made = await ensure(world.control, MULTI_CLUSTER_SERVICES, mcs('web', ['m1'], ['m2']))
    expect(made.metadata.labels?.['multiclusterservice.karmada.io/permanent-id']).toMatch(/^[0-9a-f-]{36}$/)
    await eventually('one endpoint of m1 in m2', async () => {
      const found = await foreign('m2', 'web')
      return found.length === 1 && found[0] === 'm1'
    })
    expect(await foreign('m1', 'web')).toEqual([])
    const conditions = await eventually('both conditions', async () => {
      const found = await conditionsOf('web')
      return found?.length === 2 ? found : undefined
    })
    for (const type of ['ServiceApplied', 'EndpointSliceDispatched'])
      expect(conditionOf(conditions, type)?.status).toBe('True')
    const own = await slicesOf(world.member('m1'), 'web')
    const copied = await slicesOf(world.member('m2'), 'web')
    expect(copied.map(({ metadata }) => metadata.name)).toContain(`m1-${own[0]?.metadata.name}`)
    const claimed = await read<KubeObject>(world.control, SERVICES, place('web'))
    expect(claimed?.metadata.labels?.['resourcetemplate.karmada.io/claimed-by']).toBe('MultiClusterService')
    await update(
      world.control,
      DEPLOYMENTS,
      place('web'),
      one => ({ ...one, spec: { ...(one as never as { spec: object }).spec, replicas: 3 } }) as KubeObject,
    )
    await eventually('three endpoints', async () => (await foreign('m2', 'web')).length === 3)
  })

  it('moves with the clusters that it names, and leaves nothing when it goes', async () => {
    await ensure(world.control, POLICIES, policyFor('Deployment', 'moved', duplicated('m1', 'm2')))
    await ensure(world.control, DEPLOYMENTS, deployment('moved', 1))
    await ensure(world.control, SERVICES, service('moved'))
    await ensure(world.control, MULTI_CLUSTER_SERVICES, mcs('moved', ['m1', 'm2'], ['m2']))
    await eventually('m1 in m2', async () => (await foreign('m2', 'moved'))[0] === 'm1')
    await update<MultiClusterService>(world.control, MULTI_CLUSTER_SERVICES, place('moved'), one => ({
      ...one,
      spec: mcs('moved', ['m2', 'nowhere'], ['m1']).spec,
    }))
    await eventually('m2 in m1', async () => (await foreign('m1', 'moved'))[0] === 'm2')
    await eventually('nothing of m1 in m2', async () => (await foreign('m2', 'moved')).length === 0)
    await eventually('an Event that a cluster is not there', async () => {
      const path = '/api/v1/namespaces/default/events'
      const { items } = await world.control.request<
        KubeList<KubeObject & { reason: string; message: string }>
      >({
        method: 'GET',
        path,
      })
      return items.some(({ message }) => message === 'Provider cluster nowhere is not found')
    })
    await remove(world.control, MULTI_CLUSTER_SERVICES, place('moved'))
    await eventually('nothing in m1', async () => (await foreign('m1', 'moved')).length === 0)
    await eventually('no Works of it', async () => (await worksFor('moved')).length === 0)
    await eventually('it to be gone', async () => {
      return (await read(world.control, MULTI_CLUSTER_SERVICES, place('moved'))) === undefined
    })
    const left = await read<KubeObject>(world.control, SERVICES, place('moved'))
    expect(left?.metadata.labels?.['resourcetemplate.karmada.io/claimed-by']).toBeUndefined()
  })

  it('without its Service says so, and goes on when the Service comes', async () => {
    await ensure(world.control, MULTI_CLUSTER_SERVICES, mcs('late', [], []))
    const failed = await eventually('the condition', async () =>
      conditionOf(await conditionsOf('late'), 'ServiceApplied'),
    )
    expect(failed).toMatchObject({
      ...{ status: 'False', reason: 'ServiceAppliedFailed' },
      message: 'Service "late" not found',
    })
    await ensure(world.control, SERVICES, service('late'))
    await eventually('the Service in both members', async () => {
      return (await world.inMember('m1', 'late', SERVICES)) && (await world.inMember('m2', 'late', SERVICES))
    })
    expect(conditionOf(await conditionsOf('late'), 'ServiceApplied')?.status).toBe('True')
  })
})

describe('a ServiceExport and a ServiceImport', () => {
  it('bring the endpoints of one member to a Service of another', async () => {
    for (const resource of ['serviceexports', 'serviceimports']) {
      const crd = await read<KubeObject>(world.control, CUSTOM_RESOURCE_DEFINITIONS, {
        name: `${resource}.multicluster.x-k8s.io`,
      })
      const { metadata, status: _, ...rest } = crd as KubeObject & { status?: object }
      for (const member of ['m1', 'm2'])
        await ensure(world.member(member), CUSTOM_RESOURCE_DEFINITIONS, {
          ...rest,
          metadata: { name: metadata.name, annotations: metadata.annotations ?? {} },
        } as KubeObject)
    }
    const source = world.member('m1')
    await ensure(source, DEPLOYMENTS, deployment('hello', 2))
    await ensure(source, SERVICES, service('hello'))
    const multicluster = (kind: string, spec: object) =>
      ({
        apiVersion: 'multicluster.x-k8s.io/v1alpha1',
        kind,
        metadata: place('hello'),
        ...spec,
      }) as KubeObject
    const policy = (kind: string, cluster: string) => {
      const one = policyFor(kind, 'hello', duplicated(cluster)) as KubeObject & { spec: object }
      const resourceSelectors = [{ apiVersion: 'multicluster.x-k8s.io/v1alpha1', kind, name: 'hello' }]
      const metadata = { ...one.metadata, name: `p-${kind.toLowerCase()}` }
      return { ...one, metadata, spec: { ...one.spec, resourceSelectors } } as KubeObject
    }
    await ensure(world.control, SERVICE_EXPORTS, multicluster('ServiceExport', {}))
    await ensure(world.control, POLICIES, policy('ServiceExport', 'm1'))
    const collected = await eventually('two endpoints in the control plane', async () => {
      const [slice] = await slicesOf(world.control, 'derived-hello')
      return slice?.endpoints?.length === 2 ? slice : undefined
    })
    const [own] = await slicesOf(source, 'hello')
    expect(collected.metadata.name).toBe(`imported-m1-${own?.metadata.name}`)
    const spec = { type: 'ClusterSetIP', ports: [{ name: 'http', port: 80, protocol: 'TCP' }] }
    await ensure(world.control, SERVICE_IMPORTS, multicluster('ServiceImport', { spec }))
    await ensure(world.control, POLICIES, policy('ServiceImport', 'm2'))
    await eventually('the derived Service in m2', () => world.inMember('m2', 'derived-hello', SERVICES))
    await eventually('two endpoints in m2', async () => {
      const found = await slicesOf(world.member('m2'), 'derived-hello')
      return found.flatMap(({ endpoints = [] }) => endpoints).length === 2
    })
    await update(
      source,
      DEPLOYMENTS,
      place('hello'),
      one => ({ ...one, spec: { ...(one as never as { spec: object }).spec, replicas: 1 } }) as KubeObject,
    )
    await eventually('one endpoint in m2', async () => {
      const found = await slicesOf(world.member('m2'), 'derived-hello')
      return found.flatMap(({ endpoints = [] }) => endpoints).length === 1
    })
    await remove(world.control, SERVICE_EXPORTS, place('hello'))
    await eventually('no endpoints any more', async () => {
      return (await slicesOf(world.control, 'derived-hello')).length === 0
    })
    await eventually('no endpoints in m2', async () => {
      return (await slicesOf(world.member('m2'), 'derived-hello')).length === 0
    })
    await remove(world.control, SERVICE_IMPORTS, place('hello'))
    await eventually('no derived Service in m2', async () => {
      return (await world.inMember('m2', 'derived-hello', SERVICES)) === undefined
    })
  })
})

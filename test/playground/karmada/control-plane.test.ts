import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { CLUSTERS, type Cluster } from '../../../karmada/objects/cluster.js'
import { WORK_FINALIZER, WORKS } from '../../../karmada/objects/work.js'
import { type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { StatusError } from '../../../manifests/status-error.js'
import { toBase64 } from '../../../playground/client/kubeconfig.js'
import { ensure, read, remove, update } from '../../../playground/client/write.js'
import { type Karmada, startKarmada } from '../../../playground/karmada/control-plane.js'
import { join, unjoin } from '../../../playground/karmada/join.js'
import { type Member, startMember } from '../../../playground/member/member.js'
import { conditionOf } from '../../../playground/objects/conditions.js'
import type { Namespace, Secret } from '../../../playground/objects/core.js'
import { CONFIG_MAPS, NAMESPACES, SECRETS } from '../../../playground/objects/core-types.js'
import type { KubeApi, KubeConnector } from '../../../ports/kube-api.js'
import { silent } from '../../silent.js'
import { eventually } from '../eventually.js'

const times = { probe: 50, discovery: 1000, settle: 10, thresholds: { success: 0, failure: 0 } }
let karmada: Karmada
let member: Member
let control: KubeApi
let connections = 0

beforeAll(async () => {
  const { connect } = kubeConnector()
  const connector: KubeConnector = {
    connect(...args) {
      connections++
      return connect(...args)
    },
  }
  karmada = await startKarmada({ name: 'k', connector, log: silent, times })
  member = await startMember({ name: 'm', log: silent, podStartMs: 0 })
  control = karmada.server.local
})
afterAll(async () => {
  await karmada.close()
  await member.close()
})

const joined = (name: string) =>
  join({ control, member: member.server.local, name, apiEndpoint: member.server.url, region: 'eu' })
const cluster = (name: string) => read<Cluster>(control, CLUSTERS, { name })
const ready = async (name: string) => conditionOf((await cluster(name))?.status?.conditions, 'Ready')
const list = (api: KubeApi) =>
  api.request<{ items: Cluster[] }>({ method: 'GET', path: resourcePath(CLUSTERS) })

async function refusal(work: Promise<unknown>): Promise<StatusError> {
  const error = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(StatusError)
  return error as StatusError
}

describe('an embedded Karmada control plane', () => {
  it('joins a member, reports its nodes and quantities, and removes its taint', async () => {
    await joined('m1')
    await eventually('m1 to be ready', async () => (await ready('m1'))?.status === 'True')
    const found = await eventually('the taint to go', async () => {
      const now = await cluster('m1')
      return now && !now.spec.taints && now.status?.resourceSummary ? now : undefined
    })
    expect(found.metadata.finalizers).toEqual(['karmada.io/cluster-controller'])
    expect(found.spec.resourceModels).toHaveLength(9)
    expect(found.status).toMatchObject({
      kubernetesVersion: expect.stringMatching(/^v1\./),
      nodeSummary: { totalNum: 2, readyNum: 2 },
      resourceSummary: { allocatable: { cpu: '8', memory: '32Gi', pods: '220' } },
    })
    expect(found.status?.apiEnablements?.map(({ groupVersion }) => groupVersion)).toContain('apps/v1')
    expect(await read(control, NAMESPACES, { name: 'karmada-es-m1' })).toBeDefined()
    const secret = await read(control, SECRETS, { namespace: 'karmada-cluster', name: 'm1' })
    expect(secret?.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Cluster', name: 'm1' })
  })

  it('refuses to join a cluster twice, under its name or another', async () => {
    await expect(joined('m1')).rejects.toThrow('a cluster named m1 is a member already')
    await expect(joined('m2')).rejects.toThrow('is a member already, named m1')
  })

  it('writes nothing while nothing changes', async () => {
    // What was set in motion before may still be written; what every probe writes would be there in every stretch.
    await eventually('a stretch of six probes without a write', async () => {
      const before = (await cluster('m1'))?.metadata.resourceVersion
      await probesSince(6)
      return (await cluster('m1'))?.metadata.resourceVersion === before
    })
  })

  it('leaves the status of a member that reports itself alone', async () => {
    await ensure<Cluster>(control, CLUSTERS, {
      apiVersion: 'cluster.karmada.io/v1alpha1',
      kind: 'Cluster',
      metadata: { name: 'pulling' },
      spec: { syncMode: 'Pull', apiEndpoint: member.server.url },
    })
    await eventually('its namespace', () => read(control, NAMESPACES, { name: 'karmada-es-pulling' }))
    await probesSince(6)
    expect((await cluster('pulling'))?.status?.conditions).toBeUndefined()
    await remove(control, CLUSTERS, { name: 'pulling' })
    await eventually('it to be gone', async () => !(await cluster('pulling')))
  })

  it('probes a member over the connection that it has', async () => {
    // Other controllers may still connect; what every probe opens would be there in every stretch.
    await eventually('a stretch of six probes without a new connection', async () => {
      const before = connections
      await probesSince(6)
      return connections === before
    })
  })

  it('counts the nodes by other resource models when they change', async () => {
    const range = (min: string, max: string) => ({ name: 'cpu', min, max })
    const resourceModels = [
      { grade: 0, ranges: [range('0', '2')] },
      { grade: 1, ranges: [range('2', '9223372036854775807')] },
    ]
    await update<Cluster>(control, CLUSTERS, { name: 'm1' }, before => ({
      ...before,
      spec: { ...before.spec, resourceModels },
    }))
    await eventually('two grades', async () => {
      const { resourceSummary } = (await cluster('m1'))?.status ?? {}
      return resourceSummary?.allocatableModelings?.length === 2
    })
  })

  it('follows nodes that are added and stop', async () => {
    await member.nodes.add({ name: 'node-3', cpu: '16', memory: '64Gi', pods: '10' })
    await member.nodes.setReady('node-1', false)
    // A node is there before it has a status: then three nodes are known, two ready, and the third has nothing to offer yet.
    await eventually('three nodes, two ready, and what all three offer', async () => {
      const { nodeSummary, resourceSummary } = (await cluster('m1'))?.status ?? {}
      const isCounted = nodeSummary?.totalNum === 3 && nodeSummary.readyNum === 2
      return isCounted && resourceSummary?.allocatable?.cpu === '24'
    })
  })

  it('reports an unreachable member, taints it, keeps its last summary, and recovers', async () => {
    const restore = member.server.interrupt({ kind: 'refuseConnections' })
    await eventually(
      'm1 to be unreachable',
      async () => (await ready('m1'))?.reason === 'ClusterNotReachable',
    )
    const tainted = await eventually('the taint', async () => {
      const now = await cluster('m1')
      return now?.spec.taints?.length ? now : undefined
    })
    expect(tainted.spec.taints).toEqual([
      { key: 'cluster.karmada.io/not-ready', effect: 'NoSchedule', timeAdded: expect.any(String) },
    ])
    expect(tainted.status?.nodeSummary?.totalNum).toBe(3)
    restore()
    await eventually('m1 to be ready again', async () => (await ready('m1'))?.status === 'True')
  })

  it('reports missing credentials when their Secret is deleted', async () => {
    const place = { namespace: 'karmada-cluster', name: 'm1' }
    const secret = await read(control, SECRETS, place)
    await remove(control, SECRETS, place)
    const condition = await eventually('the condition', async () => {
      const now = await ready('m1')
      return now?.reason === 'StatusCollectionFailed' ? now : undefined
    })
    expect(condition.message).toContain('secrets "m1" not found')
    const { resourceVersion: _rv, uid: _uid, ...metadata } = secret!.metadata
    await control.request({
      method: 'POST',
      path: resourcePath(SECRETS, { namespace: 'karmada-cluster' }),
      body: { ...secret, metadata },
    })
    await eventually('m1 to be ready again', async () => (await ready('m1'))?.status === 'True')
  })

  it('uses the token that the Secret has now', async () => {
    const place = { namespace: 'karmada-cluster', name: 'm1' }
    const before = await read<Secret>(control, SECRETS, place)
    const withToken = (token: string | undefined) =>
      update<Secret>(control, SECRETS, place, secret => ({
        ...secret,
        data: { ...secret.data, ...(token !== undefined && { token }) },
      }))
    await withToken(toBase64('revoked'))
    await eventually('the member to refuse it', async () => (await ready('m1'))?.status === 'False')
    await withToken(before?.data?.token)
    await eventually('m1 to be ready again', async () => (await ready('m1'))?.status === 'True')
  })

  it.each([
    [
      'a name of 49 characters',
      { name: 'x'.repeat(49) },
      { syncMode: 'Push' },
      'must be no more than 48 characters',
    ],
    ['no sync mode', { name: 'x' }, {}, 'spec.syncMode: Required value'],
    ['an unknown sync mode', { name: 'x' }, { syncMode: 'Shove' }, 'supported values: "Pull", "Push"'],
    [
      'an endpoint without host',
      { name: 'x' },
      { syncMode: 'Push', apiEndpoint: 'nonsense' },
      'host must be provided',
    ],
    [
      'zone and zones',
      { name: 'x' },
      { syncMode: 'Pull', zone: 'a', zones: ['b'] },
      'Zone and Zones cannot co-exist',
    ],
    [
      'a proxy of another kind',
      { name: 'x' },
      { syncMode: 'Push', proxyURL: 'ftp://x' },
      'unsupported scheme "ftp"',
    ],
  ])('refuses a Cluster with %s', async (_what, metadata, spec, message) => {
    const body = { apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata, spec }
    const error = await refusal(control.request({ method: 'POST', path: resourcePath(CLUSTERS), body }))
    expect(error.code).toBe(422)
    expect(error.message).toContain(message)
  })

  it('describes its Cluster type in Swagger, which kubectl before 1.27 needs', async () => {
    const { definitions, paths } = await control.request<{ definitions: object; paths: object }>({
      method: 'GET',
      path: '/openapi/v2',
    })
    const cluster = 'com.github.karmada-io.karmada.pkg.apis.cluster.v1alpha1.Cluster'
    expect(definitions).toHaveProperty([cluster, 'properties', 'spec', 'properties', 'syncMode'])
    expect(paths).toHaveProperty(['/apis/cluster.karmada.io/v1alpha1/clusters/{name}', 'patch'])
  })

  it('answers 503 in plain text for clusters, and still serves policies, while its aggregated API is away', async () => {
    const admin = await kubeConnector().connect(
      await karmada.server.kubeconfig({ name: 'admin', groups: ['system:masters'] }),
    )
    await karmada.setAggregatedApiAvailable(false)
    expect((await refusal(list(admin))).code).toBe(503)
    const policies = '/apis/policy.karmada.io/v1alpha1/propagationpolicies'
    await expect(admin.request({ method: 'GET', path: policies })).resolves.toMatchObject({ items: [] })
    await karmada.setAggregatedApiAvailable(true)
    expect((await list(admin)).items).toHaveLength(1)
    await admin.close()
  })

  it('removes a member: its namespace, its secrets and the objects that joining created in it', async () => {
    await unjoin({ control, member: member.server.local, name: 'm1' })
    expect(await read(control, NAMESPACES, { name: 'karmada-es-m1' })).toBeUndefined()
    await eventually(
      'the secrets to be collected',
      async () => !(await read(control, SECRETS, { namespace: 'karmada-cluster', name: 'm1' })),
    )
    await eventually(
      'the namespace in the member to go',
      async () => !(await read(member.server.local, NAMESPACES, { name: 'karmada-cluster' })),
    )
  })

  it('removes a member that goes out of reach meanwhile, and leaves there what it has', async () => {
    await joined('m2')
    await eventually('m2 to be ready', async () => (await ready('m2'))?.status === 'True')
    const place = { namespace: 'default', name: 'left-behind' }
    await ensure(control, WORKS, {
      apiVersion: 'work.karmada.io/v1alpha1',
      kind: 'Work',
      metadata: { namespace: 'karmada-es-m2', name: 'left-behind', finalizers: [WORK_FINALIZER] },
      spec: { workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: place }] } },
    } as KubeObject)
    await eventually('the ConfigMap', () => read(member.server.local, CONFIG_MAPS, place))
    const keep = member.server.interrupt({
      kind: 'answer',
      matches: ({ method }) => method === 'DELETE',
      response: { code: 500, body: { text: 'not now', contentType: 'text/plain' } },
    })
    await remove(control, CLUSTERS, { name: 'm2' })
    await eventually(
      'its namespace to be deleted',
      async () =>
        (await read<Namespace>(control, NAMESPACES, { name: 'karmada-es-m2' }))?.metadata.deletionTimestamp,
    )
    const restore = member.server.interrupt({ kind: 'refuseConnections' })
    await eventually('m2 to be gone', async () => !(await cluster('m2')))
    restore()
    keep()
    expect(await read(member.server.local, CONFIG_MAPS, place)).toBeDefined()
  })
})

/** Resolves once the member was asked for its health so many times more. */
async function probesSince(count: number): Promise<boolean> {
  let seen = 0
  const stop = member.server.interrupt({
    kind: 'answer',
    matches: request => {
      if (request.path === '/readyz') seen++
      return false
    },
    response: { code: 200, body: { text: '', contentType: 'text/plain' } },
  })
  await eventually('probes', () => seen >= count)
  stop()
  return true
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { kubeConnector } from '../../../actors/kube/connector.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { resourcePath } from '../../../manifests/kube.js'
import { StatusError } from '../../../manifests/status-error.js'
import { type ApiServer, startApiServer } from '../../../playground/apiserver/server.js'
import { toBase64 } from '../../../playground/client/kubeconfig.js'
import { localConnector } from '../../../playground/client/local-connector.js'
import { read, remove, update } from '../../../playground/client/write.js'
import {
  type ContainerManagement,
  startContainerManagement,
} from '../../../playground/container-management/container-management.js'
import { PEDIA_CLUSTERS, type PediaCluster } from '../../../playground/container-management/pedia-cluster.js'
import { conditionOf } from '../../../playground/objects/conditions.js'
import type { KubeApi, WatchEvent } from '../../../ports/kube-api.js'
import { silent } from '../../silent.js'
import { eventually } from '../eventually.js'

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' }
const READ = '/apis/clusterpedia.io/v1beta1/resources/clusters/c/api/v1/namespaces/default/configmaps'
const times = { health: 30, discovery: 1000 }

let host: ApiServer
let source: ApiServer
let management: ContainerManagement
let reader: KubeApi
beforeEach(async () => {
  host = await startApiServer({ name: 'host' })
  source = await startApiServer({ name: 'source' })
  management = await startContainerManagement({ host, connector: kubeConnector(), log: silent, times })
  reader = await kubeConnector().connect(await host.kubeconfig({ name: 'r', groups: ['system:masters'] }))
})
afterEach(async () => {
  await reader.close()
  await management.close()
  await host.close()
  await source.close()
})

async function index(server: ApiServer = source, name = 'c'): Promise<void> {
  const kubeconfig = toBase64(await server.kubeconfig({ name: 'indexer', groups: ['system:masters'] }))
  await host.local.request({
    method: 'POST',
    path: resourcePath(PEDIA_CLUSTERS),
    body: {
      apiVersion: 'cluster.clusterpedia.io/v1alpha2',
      kind: 'PediaCluster',
      metadata: { name },
      spec: { kubeconfig, syncResources: [{ group: '', resources: ['configmaps'] }] },
    },
  })
  await syncing()
}
const pedia = () => read<PediaCluster>(host.local, PEDIA_CLUSTERS, { name: 'c' })
const condition = async (type: string) => conditionOf((await pedia())?.status?.conditions, type)
const syncCondition = async () => (await pedia())?.status?.syncResources?.[0]?.resources[0]?.syncConditions[0]
const syncing = () =>
  eventually('configmaps to be synced', async () => {
    const sync = await syncCondition()
    return sync?.status === 'Syncing' && !sync.initialListPhase
  })
const put = (name: string, value: string, server: ApiServer = source) =>
  server.local.request<KubeObject>({
    method: 'POST',
    path: resourcePath(CONFIG_MAPS, { namespace: 'default' }),
    query: { fieldManager: 'me' },
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } },
  })
interface List {
  readonly metadata: { readonly resourceVersion?: string }
  readonly items: (KubeObject & { data: { value: string } })[]
}
const list = (query: Record<string, string> = {}) =>
  reader.request<List>({ method: 'GET', path: READ, query })
const names = async () => (await list()).items.map(({ metadata }) => metadata.name)

async function take(count: number, query: Record<string, string>): Promise<WatchEvent[]> {
  const stop = new AbortController()
  const events: WatchEvent[] = []
  for await (const event of reader.watch({ path: READ, query, signal: stop.signal })) {
    events.push(event)
    if (events.length === count) break
  }
  stop.abort()
  return events
}
const summary = (events: readonly WatchEvent[]) =>
  events.map(({ type, object }) => `${type} ${(object as KubeObject).metadata.name ?? ''}`.trim())

describe('the embedded index, beyond Clusterpedia,', () => {
  it('declares its capabilities on every PediaCluster', async () => {
    await index()
    expect((await pedia())?.metadata.annotations).toMatchObject({
      'container-management.kairship.io/capabilities': 'lossless,list-resource-version,watch',
    })
  })

  it('returns an object as its cluster has it, plus the cluster annotation', async () => {
    await put('a', '1')
    await index()
    const path = resourcePath(CONFIG_MAPS, { namespace: 'default', name: 'a' })
    const original = await source.local.request<KubeObject>({ method: 'GET', path })
    const found = await reader.request<KubeObject>({ method: 'GET', path: `${READ}/a` })
    const annotations = { 'shadow.clusterpedia.io/cluster-name': 'c' }
    expect(found).toEqual({ ...original, metadata: { ...original.metadata, annotations } })
  })

  it('lists at a version of the cluster, from which a watch misses nothing', async () => {
    await put('a', '1')
    await index()
    const { metadata } = await list()
    const created = await put('b', '1')
    await remove(source.local, CONFIG_MAPS, { namespace: 'default', name: 'a' })
    const events = await take(2, { resourceVersion: metadata.resourceVersion ?? '' })
    expect(summary(events)).toEqual(['ADDED b', 'DELETED a'])
    expect((events[0]!.object as KubeObject).metadata.resourceVersion).toBe(created.metadata.resourceVersion)
  })

  it('starts an informer with one request when it asks for initial events', async () => {
    await put('a', '1')
    await index()
    const events = await take(2, {
      fieldSelector: 'metadata.name=a',
      sendInitialEvents: 'true',
      allowWatchBookmarks: 'true',
      resourceVersionMatch: 'NotOlderThan',
    })
    expect(summary(events)).toEqual(['ADDED a', 'BOOKMARK'])
    expect((events[1]!.object as KubeObject).metadata.annotations).toEqual({
      'k8s.io/initial-events-end': 'true',
    })
  })

  it('emits a DELETED to a watch with a selector when an object stops to match', async () => {
    await put('a', '1')
    await index()
    const stop = new AbortController()
    const query = { fieldSelector: 'data.value=1' }
    const seen: WatchEvent[] = []
    for await (const event of reader.watch({ path: READ, query, signal: stop.signal })) {
      seen.push(event)
      if (seen.length === 2) break
      await update<KubeObject & { data: object }>(
        source.local,
        CONFIG_MAPS,
        { namespace: 'default', name: 'a' },
        object => ({ ...object, data: { value: '2' } }),
      )
    }
    stop.abort()
    expect(summary(seen)).toEqual(['ADDED a', 'DELETED a'])
  })

  it('answers 410 to a resume from before its history', async () => {
    await index()
    const error = await take(1, { resourceVersion: '1' }).then(
      ([event]) => event?.object as { code?: number },
      (caught: unknown) => (caught instanceof StatusError ? caught : undefined),
    )
    expect(error?.code).toBe(410)
  })
})

describe('an indexed cluster', () => {
  it('that is unreachable is reported, read from memory with a warning, and synced again when it is back', async () => {
    await put('a', '1')
    await index()
    const restore = source.interrupt({ kind: 'refuseConnections' })
    await eventually(
      'ClusterHealthy to be False',
      async () => (await condition('ClusterHealthy'))?.status === 'False',
    )
    await eventually('Ready to be False', async () => (await condition('Ready'))?.status === 'False')
    expect(await condition('Ready')).toMatchObject({
      reason: 'NotReady',
      message: 'ClusterHealthy condition is False, reason is NotReachable',
    })
    await eventually('the synchro to pause', async () => {
      const sync = await syncCondition()
      return sync?.status === 'Stop' && sync.reason === 'Pause'
    })
    expect(await names()).toContain('a')
    await put('b', '1')
    restore()
    await eventually('b to be indexed', async () => (await names()).includes('b'))
    await eventually('Ready to be True', async () => (await condition('Ready'))?.status === 'True')
  })

  it('that changes credentials and endpoint is followed without leftovers', async () => {
    await put('old', '1')
    await index()
    const other = await startApiServer({ name: 'other' })
    await put('new', '1', other)
    const kubeconfig = toBase64(await other.kubeconfig({ name: 'indexer', groups: ['system:masters'] }))
    await update<PediaCluster>(host.local, PEDIA_CLUSTERS, { name: 'c' }, cluster => ({
      ...cluster,
      spec: { ...cluster.spec, kubeconfig },
    }))
    await eventually('the new objects alone', async () => {
      const found = await names()
      return found.includes('new') && !found.includes('old')
    })
    expect((await pedia())?.status?.apiserver).toBe(other.url)
    await remove(host.local, PEDIA_CLUSTERS, { name: 'c' })
    await eventually('the PediaCluster to go', async () => !(await pedia()))
    await other.close()
  })

  it('causes no status writes while nothing changes', async () => {
    await index()
    await eventually('Ready to be True', async () => (await condition('Ready'))?.status === 'True')
    let probes = 0
    const stop = source.interrupt({
      kind: 'answer',
      matches: ({ path }) => {
        if (path === '/readyz') probes++
        return false
      },
      response: { code: 200, body: { text: '', contentType: 'text/plain' } },
    })
    // What was set in motion before may still be written; what every probe writes would be there in every stretch.
    await eventually('a stretch of six probes without a write', async () => {
      const before = (await pedia())?.metadata.resourceVersion
      const until = probes + 6
      await eventually('several probes', () => probes >= until)
      return (await pedia())?.metadata.resourceVersion === before
    })
    stop()
  })

  it('that is stalled on purpose claims health and ingests nothing, and catches up in order afterwards', async () => {
    await put('a', '1')
    await index()
    await index(source, 'd')
    const move = management.interrupt({ kind: 'stall', cluster: 'c' })
    await put('b', '1')
    await remove(source.local, CONFIG_MAPS, { namespace: 'default', name: 'b' })
    await put('z', '1')
    const besides = READ.replace('/clusters/c/', '/clusters/d/')
    await eventually('a cluster that moves to show z', async () => {
      const { items } = await reader.request<List>({ method: 'GET', path: besides })
      return items.some(({ metadata }) => metadata.name === 'z')
    })
    expect(await names()).not.toContain('z')
    expect(await syncCondition()).toMatchObject({ status: 'Syncing' })
    await eventually('Ready to be True', async () => (await condition('Ready'))?.status === 'True')
    const { metadata } = await list()
    move()
    expect(
      summary(await take(3, { resourceVersion: metadata.resourceVersion ?? '', timeoutSeconds: '30' })),
    ).toEqual(['ADDED b', 'DELETED b', 'ADDED z'])
  })

  it('keeps its index while the read API is away', async () => {
    await put('a', '1')
    await index()
    await management.setReadApiAvailable(false)
    const error = await names().then(
      () => undefined,
      (caught: unknown) => caught,
    )
    expect((error as StatusError).code).toBe(503)
    await management.setReadApiAvailable(true)
    expect(await names()).toContain('a')
  })
})

describe('an indexed cluster in the same process, without sockets', () => {
  it('is indexed as any other, also after the server ended its streams', async () => {
    await management.close()
    const connector = localConnector(url => (url === source.url ? source : undefined), kubeConnector())
    management = await startContainerManagement({ host, connector, log: silent, times })
    await put('before', '1')
    await index()
    await put('after', '2')
    // Nothing lies between the write and the index: who reads after a write sees it.
    expect(await names()).toEqual(expect.arrayContaining(['after', 'before']))
    source.interrupt({ kind: 'endWatches' })
    await put('later', '3')
    await eventually('the index to show what was written meanwhile', async () =>
      (await names()).includes('later'),
    )
    expect((await syncCondition())?.status).toBe('Syncing')
  })
})

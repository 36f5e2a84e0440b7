import { Subject } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { type KeptVirtualCluster, keptVirtualCluster } from '../../../actors/host/kept-virtual-cluster.js'
import type { Host } from '../../../actors/host/watch-host.js'
import { InstanceIndexes } from '../../../actors/index/instance-indexes.js'
import { labelsOf } from '../../../manifests/names.js'
import { CAPABILITIES_ANNOTATION } from '../../../manifests/pedia-cluster.js'
import type { RawRequest } from '../../../ports/kube-api.js'

const condition = (type: string, status = 'True', reason = type) => ({ type, status, reason })

const pediaCluster = (
  instance: string,
  more: { annotation?: string; metadata?: object; conditions?: object[]; configMaps?: object } = {},
) =>
  ({
    apiVersion: 'cluster.clusterpedia.io/v1alpha2',
    kind: 'PediaCluster',
    metadata: {
      name: `k-${instance}`,
      labels: labelsOf(instance),
      ...(more.annotation !== undefined && { annotations: { [CAPABILITIES_ANNOTATION]: more.annotation } }),
      ...more.metadata,
    },
    spec: { syncResources: [] },
    status: {
      conditions: more.conditions ?? [condition('ClusterHealthy'), condition('Ready')],
      syncResources: [
        {
          group: '',
          resources: [
            {
              name: 'configmaps',
              syncConditions: [
                {
                  version: 'v1',
                  ...(more.configMaps ?? { status: 'Syncing' }),
                },
              ],
            },
            {
              name: 'services',
              syncConditions: [{ version: 'v1', status: 'Syncing', initialListPhase: true }],
            },
            { name: 'secrets', syncConditions: [{ version: 'v1', status: 'Stop' }] },
          ],
        },
        {
          group: 'apps',
          resources: [{ name: 'deployments', syncConditions: [{ version: 'v1', status: 'Pending' }] }],
        },
      ],
    },
  }) as never

/** The host's watch as a test has it. */
function indexes(clusters: readonly KeptVirtualCluster[], inContact = true) {
  const asked: RawRequest[] = []
  const read: string[] = []
  const upstream = {
    send: (request: RawRequest) => {
      asked.push(request)
      return { resume: () => undefined, abort: () => undefined }
    },
    open: () => Promise.reject(new Error('not asked')),
  }
  const byName = new Map(clusters.map(cluster => [cluster.metadata.name, cluster]))
  const changes = new Subject<object>()
  const virtualClusters = { inContact, changes, get: (name: string) => byName.get(name) }
  const rightsOf = (name: string) => ({ revision: `of ${name}`, unchangedForMs: 5 })
  const host = { api: { upstream }, virtualClusters, roleBindings: { rightsOf } }
  const freshness = { state: 'current', lagMs: 4, measuredAt: '2026-11-21T18:00:00.000Z' } as const
  const of = new InstanceIndexes({
    host: host as unknown as Host,
    freshnessOf: () => freshness,
    read: name => read.push(name),
  })
  const becomes = (cluster: KeptVirtualCluster) => {
    byName.set(cluster.metadata.name, cluster)
    changes.next({ type: 'MODIFIED', object: cluster })
  }
  for (const cluster of clusters) becomes(cluster)
  return { asked, becomes, of, read }
}

describe('the index of an instance', () => {
  it('has the capabilities that its PediaCluster declares, and no others', () => {
    const can = (annotation?: string) =>
      indexes([keptVirtualCluster(pediaCluster('eu', annotation === undefined ? {} : { annotation }))]).of.of(
        'eu',
      )?.can
    expect(can()).toEqual({ lossless: false, listResourceVersion: false, watch: false })
    expect(can('lossless, watch,teleport')).toEqual({
      lossless: true,
      listResourceVersion: false,
      watch: true,
    })
  })

  it('notes what is read of it under the name of its instance', () => {
    const { of, read } = indexes([keptVirtualCluster(pediaCluster('eu'))])
    expect(read).toEqual([])
    of.of('eu')?.noteRead()
    expect(read).toEqual(['eu'])
  })

  it('has the types and versions that its PediaCluster has synced', () => {
    const index = indexes([keptVirtualCluster(pediaCluster('eu'))]).of.of('eu')
    const holds = (group: string, version: string, resource: string) =>
      index?.holds({ group, version, resource })
    expect([
      holds('', 'v1', 'configmaps'),
      holds('', 'v1', 'services'),
      holds('', 'v1', 'secrets'),
      holds('apps', 'v1', 'deployments'),
      holds('apps', 'v1beta1', 'deployments'),
      holds('', 'v1', 'pods'),
    ]).toEqual(['synced', 'syncing', 'syncing', 'syncing', 'no', 'no'])
  })

  it.each([
    [
      [condition('ClusterHealthy', 'False', 'NotReachable'), condition('Ready', 'False')],
      /ClusterHealthy is False: NotReachable/,
    ],
    [[condition('ClusterHealthy'), condition('Ready', 'Unknown', 'x')], /Ready is Unknown/],
    [[], /not reported/],
    [[condition('ClusterHealthy'), condition('Ready')], undefined],
  ])('reports why it may be out of date: %j', (conditions, trouble) => {
    const found = indexes([keptVirtualCluster(pediaCluster('eu', { conditions }))]).of.of('eu')?.trouble
    if (trouble) expect(found).toMatch(trouble)
    else expect(found).toBeUndefined()
  })

  it('is read below the path of its cluster, and its added annotations are known', () => {
    const { asked, of } = indexes([keptVirtualCluster(pediaCluster('eu'))])
    const index = of.of('eu')
    const request = { method: 'GET', headers: [], long: false, headTimeoutMs: 0 }
    index?.upstream.send({ ...request, path: '/api/v1/configmaps?x=1' }, {} as never)
    expect(asked[0]?.path).toBe('/apis/clusterpedia.io/v1beta1/resources/clusters/k-eu/api/v1/configmaps?x=1')
    expect(index?.mark).toBe('"shadow.clusterpedia.io/cluster-name":"k-eu"')
  })

  it('keeps types that were synced when the index lost contact with the instance, and no others', () => {
    const configMaps = { group: '', version: 'v1', resource: 'configmaps' }
    const stopped = { status: 'Stop', reason: 'Pause' }
    const paused = (uid: string, as: object = stopped) =>
      keptVirtualCluster(pediaCluster('eu', { configMaps: as, metadata: { uid } }))
    const { of, becomes } = indexes([paused('1')])
    expect(of.of('eu')?.holds(configMaps)).toBe('syncing')
    becomes(keptVirtualCluster(pediaCluster('eu', { metadata: { uid: '1' } })))
    expect(of.of('eu')?.holds(configMaps)).toBe('synced')
    for (const as of [{ status: 'Error', reason: 'ResourceWatchFailed' }, stopped, stopped]) {
      becomes(paused('1', as))
      expect(of.of('eu')?.holds(configMaps)).toBe('paused')
    }
    becomes(paused('1', { status: 'Pending' }))
    becomes(paused('1'))
    expect(of.of('eu')?.holds(configMaps)).toBe('syncing')
    becomes(keptVirtualCluster(pediaCluster('eu', { metadata: { uid: '1' } })))
    becomes(paused('2'))
    expect(of.of('eu')?.holds(configMaps)).toBe('syncing')
  })

  it('keeps one endpoint when its PediaCluster changes, so that its circuit stays', () => {
    const { of, becomes } = indexes([keptVirtualCluster(pediaCluster('eu'))])
    const before = of.of('eu')
    becomes(keptVirtualCluster(pediaCluster('eu', { conditions: [] })))
    expect(of.of('eu')).not.toBe(before)
    expect(of.of('eu')?.upstream).toBe(before?.upstream)
  })

  it('includes the rights that role bindings give in the instance', () =>
    expect(indexes([keptVirtualCluster(pediaCluster('eu'))]).of.of('eu')?.rights).toEqual({
      revision: 'of eu',
      unchangedForMs: 5,
    }))

  it.each([
    ['there is no PediaCluster', [], true],
    ['it belongs to another manager', [pediaCluster('eu', { metadata: { labels: {} } })], true],
    [
      'it is being deleted',
      [pediaCluster('eu', { metadata: { deletionTimestamp: '2026-11-21T18:00:00Z' } })],
      true,
    ],
    ['its state is unknown', [pediaCluster('eu')], false],
  ])('is undefined when %s', (_, clusters, inContact) =>
    expect(indexes(clusters.map(keptVirtualCluster), inContact).of.of('eu')).toBeUndefined(),
  )

  it('shares its list of types with instances that sync the same types', () => {
    const [one, other] = ['eu', 'us'].map(name => keptVirtualCluster(pediaCluster(name)))
    expect(one?.types).toBe(other?.types)
  })
})

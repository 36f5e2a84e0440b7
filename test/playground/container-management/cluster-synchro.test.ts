import { afterEach, beforeEach, expect, it } from 'vitest'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { resourcePath } from '../../../manifests/kube.js'
import { type ApiServer, startApiServer } from '../../../playground/apiserver/server.js'
import { localConnector } from '../../../playground/client/local-connector.js'
import { ClusterSynchro } from '../../../playground/container-management/cluster-synchro.js'
import { Stalls } from '../../../playground/container-management/faults.js'
import { FleetIndex } from '../../../playground/container-management/index/fleet-index.js'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../playground/objects/core-types.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { silent } from '../../silent.js'
import { eventually } from '../eventually.js'

let source: ApiServer
let synchro: ClusterSynchro
/** How often discovery was read, and how often the synchro said that its status changed. */
let discoveries = 0
let changes = 0

beforeEach(async () => {
  source = await startApiServer({ name: 'source' })
  const connector = localConnector(url => (url === source.url ? source : undefined), kubeConnector())
  const api = await connector.connect(await source.kubeconfig({ name: 'indexer' }))
  const counting: KubeApi = {
    ...api,
    request: request => {
      if (request.path === '/apis') discoveries++
      return api.request(request)
    },
  }
  synchro = new ClusterSynchro('c', counting, {
    index: new FleetIndex(),
    stalls: new Stalls(),
    now: Date.now,
    log: silent,
    times: { health: 10, discovery: 10 },
    onStatus: () => changes++,
  })
  ;[discoveries, changes] = [0, 0]
})
afterEach(async () => {
  await synchro.close()
  await source.close()
})

const shownTypes = () =>
  synchro.status().syncResources?.flatMap(({ resources }) => resources.map(({ name }) => name)) ?? []
const discoveredAgain = async (times: number) => {
  const before = discoveries
  await eventually('discovery', () => discoveries >= before + times)
}

it('says nothing of its status while discovery finds the same types', async () => {
  synchro.setResources([{ group: '', resources: ['configmaps', 'secrets'] }])
  synchro.start()
  await eventually('both types', () => shownTypes().join() === 'configmaps,secrets')
  await eventually('a stretch of discoveries without a change', async () => {
    const before = changes
    await discoveredAgain(5)
    return changes === before
  })
})

it('says that its status changed when nothing is to be collected, so that it shows that', async () => {
  synchro.setResources([])
  synchro.start()
  await discoveredAgain(2)
  expect(synchro.status().syncResources).toEqual([])
  // Its health, and what is collected.
  expect(changes).toBe(2)
})

it('shows a type that is served from now on, and none that is not requested any more', async () => {
  synchro.setResources([
    { group: '', resources: ['configmaps'] },
    { group: 'example.org', resources: ['boats'] },
  ])
  synchro.start()
  await eventually('one type', () => shownTypes().join() === 'configmaps')
  const names = { plural: 'boats', singular: 'boat', kind: 'Boat' }
  const schema = { openAPIV3Schema: { type: 'object' } }
  await source.local.request({
    method: 'POST',
    path: resourcePath(CUSTOM_RESOURCE_DEFINITIONS),
    body: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'boats.example.org' },
      spec: {
        group: 'example.org',
        names,
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    },
  })
  const before = changes
  await eventually('the new type', () => shownTypes().join() === 'configmaps,boats')
  expect(changes).toBeGreaterThan(before)
  const since = changes
  synchro.setResources([{ group: 'example.org', resources: ['boats'] }])
  expect(shownTypes()).toEqual(['boats'])
  expect(changes).toBeGreaterThan(since)
})

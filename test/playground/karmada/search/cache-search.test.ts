import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLUSTERS } from '../../../../karmada/objects/cluster.js'
import { RESOURCE_REGISTRIES, type ResourceRegistry } from '../../../../karmada/objects/resource-registry.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { ensure, update } from '../../../../playground/client/write.js'
import {
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  NAMESPACES,
} from '../../../../playground/objects/core-types.js'
import { eventually } from '../../eventually.js'
import { PropagationWorld } from '../propagation-world.js'
import {
  CACHE,
  configMap,
  GROUP,
  get,
  refusal,
  register,
  registry,
  sources,
  unregister,
} from './search-world.js'

let world: PropagationWorld
beforeAll(async () => {
  world = await PropagationWorld.start(['m1', 'm2'])
  for (const name of ['m1', 'm2']) {
    const map = configMap(`in-${name}`)
    const labels = { of: 'search' }
    await ensure(world.member(name), CONFIG_MAPS, { ...map, metadata: { ...map.metadata, labels } })
  }
})
afterAll(() => world.close())

const found = async (path: string, query = {}) => sources(await get(world.control, CACHE + path, query))
/** The code and the object of an answer that is no Status. */
async function refused(url: string): Promise<readonly [number, unknown]> {
  const [path = '', query] = url.split('?')
  const { code, body } = await world.karmada.server.pass({
    method: 'GET',
    path,
    query: new URLSearchParams(query),
    headers: {},
    body: async () => Buffer.alloc(0),
    signal: new AbortController().signal,
  })
  return [code, 'object' in body && body.object]
}
const maps = () => found('/api/v1/configmaps', { labelSelector: 'of=search' })
const until = (what: string, path: string, expected: string, query = {}) =>
  eventually(what, async () => (await found(path, query)).includes(expected))

describe('search/cache', () => {
  it('has an empty list of a type that no ResourceRegistry selects', async () => {
    expect(await get(world.control, `${CACHE}/apis/apps/v1/deployments`)).toEqual({
      kind: 'DeploymentList',
      apiVersion: 'apps/v1',
      metadata: {},
      items: [],
    })
  })

  it('has the objects of the selected clusters, and follows their registries and their members', async () => {
    await register(world.control, registry('r', ['m1'], ['ConfigMap']))
    await eventually('m1', async () => (await maps()).join() === 'm1/in-m1')
    await register(world.control, registry('s', ['m2'], ['ConfigMap']))
    await eventually('m2', async () => (await maps()).join() === 'm1/in-m1,m2/in-m2')
    await ensure(world.member('m2'), CONFIG_MAPS, configMap('new'))
    await until('a new object', '/api/v1/configmaps', 'm2/new')
    await unregister(world.control, 's')
    await eventually('m2 to be gone', async () => (await maps()).join() === 'm1/in-m1')
    await unregister(world.control, 'r')
    await eventually('nothing to be left', async () => (await maps()).length === 0)
  })

  it('finds a name, a namespace and labels', async () => {
    await register(world.control, registry('r', [], ['ConfigMap', 'Namespace']))
    await until('m2', '/api/v1/configmaps', 'm2/in-m2')
    expect(await found('/api/v1/namespaces/default/configmaps/in-m1')).toEqual(['m1/in-m1'])
    expect(await found('/api/v1/namespaces/kube-system/configmaps/in-m1')).toEqual([])
    expect(await found('/api/v1/namespaces/default/configmaps', { labelSelector: 'of=search' })).toEqual([
      'm1/in-m1',
      'm2/in-m2',
    ])
    await until('the namespaces', '/api/v1/namespaces/default', 'm2/default')
    expect(await found('/api/v1/namespaces/default')).toEqual(['m1/default', 'm2/default'])
    await unregister(world.control, 'r')
  })

  it('has all namespaces of a type, although its selector names one', async () => {
    await ensure(world.member('m1'), NAMESPACES, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'other' },
    })
    await register(world.control, registry('r', ['m1'], ['ConfigMap/other']))
    await until('an object of another namespace', '/api/v1/configmaps', 'm1/in-m1')
    await unregister(world.control, 'r')
  })

  it('keeps a type that its registry lists no longer, until the registry goes', async () => {
    await register(world.control, registry('r', ['m1'], ['ConfigMap', 'Namespace']))
    await until('the object', '/api/v1/configmaps', 'm1/in-m1')
    const without = [
      { apiVersion: 'v1', kind: 'Namespace' },
      { apiVersion: 'v1', kind: 'Node' },
    ]
    await update<ResourceRegistry>(world.control, RESOURCE_REGISTRIES, { name: 'r' }, now => ({
      ...now,
      spec: { ...now.spec, resourceSelectors: without },
    }))
    await until('what is listed now', '/api/v1/nodes', 'm1/node-1')
    expect(await maps()).toEqual(['m1/in-m1'])
    await unregister(world.control, 'r')
    await eventually('nothing to be left', async () => (await maps()).length === 0)
  })

  it('follows the labels of Clusters', async () => {
    const targetCluster = { labelSelector: { matchLabels: { searched: 'yes' } } }
    await register(world.control, registry('r', [], ['ConfigMap'], { targetCluster }))
    const label = (searched: string) =>
      update<KubeObject>(world.control, CLUSTERS, { name: 'm2' }, now => ({
        ...now,
        metadata: { ...now.metadata, labels: { ...now.metadata.labels, searched } },
      }))
    await label('yes')
    await eventually('m2', async () => (await maps()).join() === 'm2/in-m2')
    await label('no')
    await eventually('nothing', async () => (await maps()).length === 0)
    await unregister(world.control, 'r')
  })

  it('leaves out a member that is not ready, and has it again when it is', async () => {
    await register(world.control, registry('r', [], ['ConfigMap']))
    await eventually('both', async () => (await maps()).length === 2)
    const restore = world.members.get('m2')?.server.interrupt({ kind: 'refuseConnections' })
    await eventually('m1 alone', async () => (await maps()).join() === 'm1/in-m1')
    restore?.()
    await eventually('both again', async () => (await maps()).length === 2)
    await unregister(world.control, 'r')
  })

  it('has nothing of a cluster that would keep its objects in OpenSearch, which cannot be reached', async () => {
    const backendStore = {
      openSearch: { addresses: ['https://search.example:9200'], secretRef: { namespace: 'n', name: 's' } },
    }
    const spare = await PropagationWorld.start(['m'])
    try {
      await ensure(spare.member('m'), CONFIG_MAPS, configMap('there'))
      await register(spare.control, registry('r', ['m'], ['ConfigMap'], { backendStore }))
      const path = '/apis/search.karmada.io/v1alpha1/proxying/karmada/proxy/api/v1/configmaps'
      await eventually('the proxy to have it', async () =>
        sources(await get(spare.control, path)).includes('m/there'),
      )
      expect((await get(spare.control, `${CACHE}/api/v1/configmaps`)).items).toEqual([])
    } finally {
      await spare.close()
    }
  })

  it('has a custom type once the control plane and the member serve it', async () => {
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gadgets.example.io' },
      spec: {
        group: 'example.io',
        scope: 'Cluster',
        names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
        ],
      },
    } as KubeObject
    await register(world.control, registry('r', ['m1'], ['example.io/v1 Gadget']))
    const path = '/apis/example.io/v1/gadgets'
    expect(await refused(CACHE + path)).toEqual([
      500,
      { error: 'no matches for example.io/v1, Resource=gadgets' },
    ])
    for (const api of [world.control, world.member('m1')])
      await ensure(api, CUSTOM_RESOURCE_DEFINITIONS, definition)
    const gadget = { apiVersion: 'example.io/v1', kind: 'Gadget', metadata: { name: 'g' } }
    await eventually('the member to serve it', () =>
      world.member('m1').request({ method: 'POST', path, body: gadget }),
    )
    await until('the gadget', path, 'm1/g')
    await unregister(world.control, 'r')
  })
})

describe('a request to search/', () => {
  it.each([
    ['search/cache', 500, 'invalid requestInfo parts: [search cache]'],
    ['search/cache/api/v1', 500, 'k8s native Request URL(api/v1) is not a resource request'],
    [
      'search/cache/api/v1/namespaces/n/pods/p/log',
      500,
      'invalid request parts([pods p log]) for k8s native request URL',
    ],
    ['search/files/api/v1/pods', 500, 'connect with unrecognized search category files'],
    ['search/cache/api/v1/namespaces/n/pods/%zz', 400, 'invalid URL escape in "%zz"'],
  ])('is refused: %s', async (path, code, message) => {
    const error = await refusal(get(world.control, `${GROUP}/${path}`))
    expect([error.code, error.message]).toEqual([code, message])
  })

  it('is answered with nothing for OpenSearch', async () => {
    expect(await get(world.control, `${GROUP}/search/opensearch/api/v1/pods`)).toBe('')
  })

  it.each([
    ['a type that the control plane does not serve', 'doodads', 500, 'no matches for /v1, Resource=doodads'],
    [
      'a selector that cannot be read',
      'pods?labelSelector=a%20in%20b',
      400,
      expect.stringContaining('found'),
    ],
  ])('is refused in an object of its own for %s', async (_what, path, code, error) =>
    expect(await refused(`${CACHE}/api/v1/${path}`)).toEqual([code, { error }]),
  )
})

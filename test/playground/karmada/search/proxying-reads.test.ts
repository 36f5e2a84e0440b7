import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CACHED_FROM } from '../../../../karmada/objects/resource-registry.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { ensure, remove, update } from '../../../../playground/client/write.js'
import { CONFIG_MAPS, NAMESPACES } from '../../../../playground/objects/core-types.js'
import type { WatchEvent } from '../../../../ports/kube-api.js'
import { eventually } from '../../eventually.js'
import { PropagationWorld } from '../propagation-world.js'
import {
  configMap,
  decoded,
  get,
  PROXY,
  refusal,
  register,
  registry,
  sources,
  unregister,
} from './search-world.js'

const ALL = `${PROXY}/api/v1/configmaps`
const IN = (namespace: string) => `${PROXY}/api/v1/namespaces/${namespace}/configmaps`
const labelSelector = 'of=search'
let world: PropagationWorld
beforeAll(async () => {
  world = await PropagationWorld.start(['m1', 'm2'])
  for (const [cluster, names] of Object.entries({ m1: ['a', 'b', 'same'], m2: ['c', 'same'] }))
    for (const name of names) {
      const map = configMap(name, 'default', { in: cluster })
      const labels = { of: 'search' }
      await ensure(world.member(cluster), CONFIG_MAPS, { ...map, metadata: { ...map.metadata, labels } })
    }
  await ensure(world.member('m1'), NAMESPACES, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'other' },
  })
  await ensure(world.member('m1'), CONFIG_MAPS, configMap('elsewhere', 'other'))
  await register(world.control, registry('maps', ['m1', 'm2'], ['ConfigMap']))
  await cached()
})
afterAll(() => world.close())

/** Both members' ConfigMaps are in the caches. */
const cached = () =>
  eventually('both clusters to be cached', async () => {
    const { items } = await get(world.control, ALL, { labelSelector, resourceVersion: '0' })
    return items.length === 5
  })

describe('a list through the proxy of karmada-search', () => {
  it('is of all clusters, in the order of their names, and names the cluster of each object', async () => {
    const list = await get(world.control, ALL, { labelSelector })
    expect([list.apiVersion, list.kind]).toEqual(['v1', 'ConfigMapList'])
    expect(sources(list)).toEqual(['m1/a', 'm1/b', 'm1/same', 'm2/c', 'm2/same'])
    expect(list.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { in: 'm1' } })
  })

  it('has the version of each cluster, from which it can be watched and listed again', async () => {
    const { metadata, items } = await get(world.control, ALL, { labelSelector })
    expect(Object.keys(decoded(metadata.resourceVersion))).toEqual(['m1', 'm2'])
    // Objects of a list keep the version that their member gave them.
    expect(items[0]?.metadata.resourceVersion).toMatch(/^\d+$/)
    const again = await get(world.control, ALL, {
      labelSelector,
      resourceVersion: metadata.resourceVersion ?? '',
    })
    expect(again.items).toHaveLength(5)
  })

  it('goes on from page to page over the clusters, and each object comes once', async () => {
    const pages: string[][] = []
    let token: string | undefined
    do {
      const page = await get(world.control, ALL, { labelSelector, limit: 2, continue: token })
      pages.push(sources(page))
      token = page.metadata.continue
    } while (token !== undefined)
    expect(pages).toEqual([['m1/a', 'm1/b'], ['m1/same', 'm2/c'], ['m2/same']])
  })

  it('names the next cluster where a page ends with one, and the versions of all clusters', async () => {
    const { metadata } = await get(world.control, ALL, { labelSelector, limit: 3 })
    const token = decoded(metadata.continue)
    expect(token.cluster).toBe('m2')
    expect(token).not.toHaveProperty('continue')
    expect(Object.keys(decoded(token.rv))).toEqual(['m1', 'm2'])
  })

  it('is of the newest state of the members, and at version 0 of the caches', async () => {
    const name = 'late'
    const map = configMap(name)
    const labelled = { ...map, metadata: { ...map.metadata, labels: { of: 'search' } } }
    await ensure(world.member('m2'), CONFIG_MAPS, labelled)
    expect(sources(await get(world.control, ALL, { labelSelector }))).toContain('m2/late')
    await eventually('the cache to have it', async () =>
      sources(await get(world.control, ALL, { labelSelector, resourceVersion: '0' })).includes('m2/late'),
    )
    await remove(world.member('m2'), CONFIG_MAPS, { namespace: 'default', name })
    await cached()
  })

  it('can be of one namespace', async () => {
    expect(sources(await get(world.control, IN('other')))).toContain('m1/elsewhere')
    expect(sources(await get(world.control, IN('default'), { labelSelector }))).toHaveLength(5)
  })

  it('selects by the fields that the caches have, and refuses others', async () => {
    const fieldSelector = 'metadata.name=same'
    const live = await get(world.control, ALL, { fieldSelector })
    const old = await get(world.control, ALL, { fieldSelector, resourceVersion: '0' })
    for (const list of [live, old]) expect(sources(list)).toEqual(['m1/same', 'm2/same'])
    const error = await refusal(get(world.control, ALL, { fieldSelector: 'data.in=m1' }))
    expect([error.code, error.message]).toEqual([
      400,
      '"data.in" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ])
  })

  it('as a table has a name and a time of creation', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    const table = await get<{
      columnDefinitions: { name: string }[]
      rows: { cells: string[]; object: KubeObject }[]
    }>(world.control, ALL, { labelSelector }, { accept })
    expect(table.columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Created At'])
    expect(table.rows.map(({ cells }) => cells[0])).toEqual(['a', 'b', 'same', 'c', 'same'])
    expect(table.rows.map(({ cells }) => cells[1])).toEqual(
      table.rows.map(({ object }) => object.metadata.creationTimestamp),
    )
  })

  it('can be of metadata alone', async () => {
    const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
    const list = await get(world.control, ALL, { labelSelector }, { accept })
    expect([list.kind, list.items[0]?.kind]).toEqual(['PartialObjectMetadataList', 'PartialObjectMetadata'])
    expect(list.items[0]).not.toHaveProperty('data')
    expect(sources(list)).toHaveLength(5)
  })
})

describe('an object through the proxy of karmada-search', () => {
  it('names its cluster, and has a version of that cluster alone', async () => {
    const one = await get<KubeObject>(world.control, `${IN('default')}/c`)
    expect(sources({ items: [one] })).toEqual(['m2/c'])
    const member = await get<KubeObject>(world.member('m2'), '/api/v1/namespaces/default/configmaps/c')
    expect(decoded(one.metadata.resourceVersion)).toEqual({ m2: member.metadata.resourceVersion })
  })

  it('can be a Namespace, which is in none', async () => {
    await register(world.control, registry('namespaces', ['m1'], ['Namespace']))
    const path = `${PROXY}/api/v1/namespaces/other`
    const one = await eventually('the namespace', () => get<KubeObject>(world.control, path))
    expect(one.metadata.annotations).toEqual({ [CACHED_FROM]: 'm1' })
    await unregister(world.control, 'namespaces')
  })

  it('is not found where no cluster has it', async () => {
    const error = await refusal(get(world.control, `${IN('default')}/nobody`))
    expect([error.reason, error.message]).toEqual(['NotFound', 'configmaps "nobody" not found'])
  })

  it('is a conflict where two clusters have one of its name', async () => {
    const error = await refusal(get(world.control, `${IN('default')}/same`))
    expect([error.reason, error.message]).toEqual([
      'Conflict',
      'Operation cannot be fulfilled on configmaps "same": ambiguous objects in clusters [m1, m2]',
    ])
  })
})

describe('a watch through the proxy of karmada-search', () => {
  let abort: AbortController
  beforeEach(() => {
    abort = new AbortController()
    return () => abort.abort()
  })
  /** The events of a watch as they come. */
  function watched(query: Readonly<Record<string, string | boolean>>) {
    const events: WatchEvent[] = []
    const ended = (async () => {
      for await (const event of world.control.watch({ path: ALL, query, signal: abort.signal }))
        events.push(event)
    })().catch(() => undefined)
    const shown = () =>
      events.map(({ type, object }) => `${type} ${sources({ items: [object as KubeObject] })}`)
    return { events, shown, ended }
  }
  const change = (cluster: string, name: string, value: string) =>
    update(world.member(cluster), CONFIG_MAPS, { namespace: 'default', name }, map => ({
      ...map,
      data: { changed: value },
    }))

  it('sends what happens in any cluster after a list, with the versions of all', async () => {
    const { metadata } = await get(world.control, ALL, { labelSelector })
    const { events, shown } = watched({ labelSelector, resourceVersion: metadata.resourceVersion ?? '' })
    await change('m2', 'c', 'after')
    await eventually('the change of m2', () => shown().includes('MODIFIED m2/c'))
    await change('m1', 'a', 'after')
    await eventually('the change of m1', () => shown().includes('MODIFIED m1/a'))
    const [second, first] = events
      .reverse()
      .map(({ object }) => decoded((object as KubeObject).metadata.resourceVersion))
    expect(first?.m1).toBe(decoded(metadata.resourceVersion).m1)
    expect(second?.m2).toBe(first?.m2)
    expect(Number(second?.m1)).toBeGreaterThan(Number(first?.m1))
  })

  it('resumes at the version of an event, and sends nothing twice', async () => {
    const before = await get(world.control, ALL, { labelSelector })
    const first = watched({ labelSelector, resourceVersion: before.metadata.resourceVersion ?? '' })
    await change('m1', 'b', 'one')
    await eventually('an event', () => first.events.length === 1)
    const [{ metadata }] = first.events.map(({ object }) => object as KubeObject) as [KubeObject]
    await change('m2', 'c', 'two')
    await eventually('another event', () => first.events.length === 2)
    const { shown } = watched({ labelSelector, resourceVersion: metadata.resourceVersion ?? '' })
    await eventually('what came after it', () => shown().length > 0)
    expect(shown()).toEqual(['MODIFIED m2/c'])
  })

  it('without a version begins with everything', async () => {
    const { shown } = watched({ labelSelector })
    await eventually('all objects', () => shown().length === 5)
    expect(shown().sort()).toEqual([
      'ADDED m1/a',
      'ADDED m1/b',
      'ADDED m1/same',
      'ADDED m2/c',
      'ADDED m2/same',
    ])
  })

  it('sends an object that leaves its selection as deleted, and one that comes into it as added', async () => {
    const { metadata } = await get(world.control, ALL, { labelSelector })
    const { shown } = watched({ labelSelector, resourceVersion: metadata.resourceVersion ?? '' })
    const label = (of: string) =>
      update(world.member('m1'), CONFIG_MAPS, { namespace: 'default', name: 'a' }, map => ({
        ...map,
        metadata: { ...map.metadata, labels: { of } },
      }))
    await label('nothing')
    await label('search')
    await eventually('both events', () => shown().length === 2)
    expect(shown()).toEqual(['DELETED m1/a', 'ADDED m1/a'])
  })

  it('marks the end of what was there in each cluster, where its client asks for it', async () => {
    const { shown } = watched({
      labelSelector,
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    })
    await eventually('both bookmarks', () => shown().filter(text => text.startsWith('BOOKMARK')).length === 2)
    expect(shown()).toHaveLength(7)
  })

  it('from a version that the cache of a cluster never had is expired', async () => {
    const resourceVersion = Buffer.from('{"m1":"1","m2":"1"}').toString('base64url')
    const { events, ended } = watched({ resourceVersion })
    await ended
    expect(events[0]).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } })
  })

  it('ends when a cluster comes, and its next one has that cluster', async () => {
    await register(world.control, registry('m1-only', ['m1'], ['ConfigMap']))
    await unregister(world.control, 'maps')
    await eventually('m2 to be gone', async () => {
      const list = await get(world.control, ALL, { labelSelector, resourceVersion: '0' })
      return list.items.length === 3
    })
    const { ended, events } = watched({ labelSelector })
    await eventually('the watch to be open', () => events.length === 3)
    await register(world.control, registry('maps', ['m1', 'm2'], ['ConfigMap']))
    await ended
    await cached()
    const { shown } = watched({ labelSelector })
    await eventually('the objects of both', () => shown().length === 5)
    await unregister(world.control, 'm1-only')
  })
})

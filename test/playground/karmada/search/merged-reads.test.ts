import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Namespaces, namespacesOf } from '../../../../karmada/search/namespaces.js'
import { type CachedType, typeKey } from '../../../../karmada/search/selected.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import type { WatchOptions } from '../../../../playground/apiserver/operations/watch.js'
import type { WatchItem } from '../../../../playground/apiserver/operations/watch-item.js'
import { listRequest } from '../../../../playground/karmada/search/list-request.js'
import { mergedList } from '../../../../playground/karmada/search/merged-list.js'
import { mergedWatch } from '../../../../playground/karmada/search/merged-watch.js'
import { MultiClusterCache } from '../../../../playground/karmada/search/multi-cluster-cache.js'
import { CONFIG_MAPS } from '../../../../playground/objects/core-types.js'
import { eventually } from '../../eventually.js'
import { FakeMember } from './fake-member.js'
import { decoded, refusal, sources } from './search-world.js'

const MAPS: CachedType = { ...CONFIG_MAPS, kind: 'ConfigMap', namespaced: true }
const encoded = (versions: object) => Buffer.from(JSON.stringify(versions)).toString('base64url')
const NO_OPTIONS: WatchOptions = { sendInitialEvents: undefined, bookmarks: false, timeoutSeconds: 600 }

let members: Record<string, FakeMember>
let cache: MultiClusterCache
beforeEach(() => {
  members = { m1: new FakeMember('a'), m2: new FakeMember('b') }
  cache = new MultiClusterCache(
    name => members[name] as FakeMember,
    () => 0,
  )
})
afterEach(() => cache.close())

/** Caches ConfigMaps of these clusters, each of some namespaces or of all. */
function select(clusters: Readonly<Record<string, Namespaces>>): void {
  const types = Object.entries(clusters).map(
    ([name, namespaces]) => [name, new Map([[typeKey(MAPS), { type: MAPS, namespaces }]])] as const,
  )
  cache.update({ clusters: new Map(types), registered: new Map([[typeKey(MAPS), MAPS]]) })
}
const selected = async (clusters: Readonly<Record<string, Namespaces>>) => {
  select(clusters)
  await complete(...Object.keys(clusters))
}
const complete = (...clusters: readonly string[]) =>
  eventually('the caches to be complete, and the members to be watched', () =>
    clusters.every(name => cache.find(name, MAPS)?.cache.isReady && (members[name]?.watches ?? 0) > 0),
  )
const asked = (query: Readonly<Record<string, string>>, namespace = '') =>
  listRequest(MAPS, namespace, new URLSearchParams(query))
const listed = async (query: Readonly<Record<string, string>> = {}, namespace = '') =>
  sources(await mergedList(cache, asked(query, namespace)))

/** The items of a watch as they come, each as `TYPE cluster/name`; `ended` resolves when it has ended. */
function watched(query: Readonly<Record<string, string>>, namespace = '', options = NO_OPTIONS) {
  const items: WatchItem[] = []
  const queue = mergedWatch(cache, asked(query, namespace), options)
  const ended = (async () => {
    for await (const batch of queue) items.push(...batch)
  })()
  const shown = () =>
    items.map(({ type, object }) => `${type} ${sources({ items: [object as unknown as KubeObject] })}`)
  const versions = () =>
    items.map(({ object }) => decoded((object as unknown as KubeObject).metadata.resourceVersion))
  const labels = () => items.map(({ object }) => (object as unknown as KubeObject).metadata.labels)
  return { shown, versions, labels, ended, end: () => queue.end() }
}

describe('a list of caches', () => {
  it('is answered by the member while its cache is not complete', async () => {
    members.m1!.listsForCaches = false
    select({ m1: 'all', m2: 'all' })
    await complete('m2')
    expect(await listed({ resourceVersion: '0' })).toEqual(['m1/a', 'm2/b'])
    expect(members.m1!.requests).toHaveLength(1)
    expect(members.m2!.requests).toHaveLength(0)
  })

  it('has nothing of a member that does not serve the type any more', async () => {
    await selected({ m1: 'all', m2: 'all' })
    members.m2!.serves = false
    expect(await listed()).toEqual(['m1/a'])
  })

  it('of some namespaces leaves out the objects of others, from the member and from the cache', async () => {
    for (const path of ['x/in-x', 'y/in-y', 'z/in-z']) members.m1!.put(path)
    await selected({ m1: namespacesOf(['x', 'z']) })
    expect(await listed()).toEqual(['m1/in-x', 'm1/in-z'])
    expect(await listed({ resourceVersion: '0' })).toEqual(['m1/in-x', 'm1/in-z'])
    expect(await listed({}, 'y')).toEqual([])
  })

  it('is of the clusters and namespaces that are selected now', async () => {
    members.m1!.put('x/in-x')
    await selected({ m1: namespacesOf(['x']), m2: 'all' })
    await selected({ m1: namespacesOf(['default']) })
    expect(await listed({ resourceVersion: '0' })).toEqual(['m1/a'])
    expect(cache.clusters).toEqual(['m1'])
    await eventually('m2 to be watched no more', () => members.m2!.watches === 0)
  })
})

describe('an object', () => {
  it('is located in a member whose cache is not complete', async () => {
    for (const member of Object.values(members)) member.listsForCaches = false
    select({ m1: 'all', m2: 'all' })
    const { cluster, object } = await cache.locate(MAPS, { namespace: 'default', name: 'b' })
    expect([cluster, object.metadata.name]).toEqual(['m2', 'b'])
  })

  it('is not located in a namespace that is not cached, whether or not the cache is complete', async () => {
    members.m1!.listsForCaches = false
    select({ m1: namespacesOf(['x']), m2: namespacesOf(['x']) })
    await complete('m2')
    for (const name of ['a', 'b'])
      expect((await refusal(cache.locate(MAPS, { namespace: 'default', name }))).reason).toBe('NotFound')
  })

  it('is read from its member, and at version 0 from the cache', async () => {
    await selected({ m1: 'all' })
    const before = cache.find('m1', MAPS)?.cache.revision
    const { metadata } = members.m1!.put('a')
    const place = { namespace: 'default', name: 'a' }
    expect((await cache.get(MAPS, place, true)).object.metadata.resourceVersion).toBe(before)
    expect((await cache.get(MAPS, place, false)).object.metadata.resourceVersion).toBe(
      metadata.resourceVersion,
    )
  })
})

describe('a watch of caches', () => {
  it('is refused while one of them is not complete', async () => {
    members.m1!.listsForCaches = false
    select({ m1: 'all', m2: 'all' })
    await complete('m2')
    const error = await refusal(Promise.resolve().then(() => watched({})))
    expect([error.code, error.message]).toEqual([429, 'storage is (re)initializing'])
  })

  it('ends at once where no cluster has the type', async () => {
    select({})
    const { shown, ended } = watched({})
    await ended
    expect(shown()).toEqual([])
  })

  it.each([
    ['its cluster goes', () => select({ m2: 'all' })],
    ['a cluster comes', () => select({ m1: 'all', m2: 'all', m3: 'all' })],
    ['other namespaces are cached', () => select({ m1: namespacesOf(['x']), m2: 'all' })],
    ['a member is listed anew', () => members.m1!.expire()],
    ['everything is closed', () => cache.close()],
  ])('ends when %s', async (_what, happen) => {
    members.m3 = new FakeMember()
    await selected({ m1: 'all', m2: 'all' })
    const { ended } = watched({})
    happen()
    await ended
  })

  it('goes on when what is selected stays the same', async () => {
    await selected({ m1: 'all' })
    const { shown, end } = watched({})
    select({ m1: 'all' })
    members.m1!.send('MODIFIED', members.m1!.put('a'))
    await eventually('the change', () => shown().includes('MODIFIED m1/a'))
    end()
  })

  it('from a version that a cache has not reached sends only what is later', async () => {
    await selected({ m1: 'all' })
    const seen = members.m1!.put('seen')
    const { shown, end } = watched({ resourceVersion: encoded({ m1: seen.metadata.resourceVersion }) })
    members.m1!.send('ADDED', seen)
    members.m1!.send('ADDED', members.m1!.put('new'))
    await eventually('the new object', () => shown().length > 0)
    expect(shown()).toEqual(['ADDED m1/new'])
    end()
  })

  it('of a namespace sends no change of another', async () => {
    await selected({ m1: 'all' })
    const { shown, end } = watched({ resourceVersion: encoded({ m1: members.m1!.revision }) }, 'x')
    members.m1!.send('ADDED', members.m1!.put('y/in-y'))
    members.m1!.send('ADDED', members.m1!.put('x/in-x'))
    await eventually('the object of the namespace', () => shown().length > 0)
    expect(shown()).toEqual(['ADDED m1/in-x'])
    end()
  })

  it('sends an object that leaves its selection as it was before, at the version of the change', async () => {
    members.m1!.put('a', { of: 'it' })
    await selected({ m1: 'all' })
    const { shown, versions, labels, end } = watched({
      labelSelector: 'of=it',
      resourceVersion: encoded({ m1: members.m1!.revision }),
    })
    const changed = members.m1!.put('a', { of: 'other' })
    members.m1!.send('MODIFIED', changed)
    await eventually('the object to be gone', () => shown().length > 0)
    expect(shown()).toEqual(['DELETED m1/a'])
    expect(labels()).toEqual([{ of: 'it' }])
    expect(versions()).toEqual([{ m1: changed.metadata.resourceVersion }])
    end()
  })

  it('sends no change of an object that is in its selection neither before nor after', async () => {
    await selected({ m1: 'all' })
    const { shown, end } = watched({
      labelSelector: 'of=it',
      resourceVersion: encoded({ m1: members.m1!.revision }),
    })
    members.m1!.send('MODIFIED', members.m1!.put('a', { of: 'other' }))
    members.m1!.send('DELETED', members.m1!.put('a', { of: 'other' }))
    members.m1!.send('ADDED', members.m1!.put('new', { of: 'it' }))
    await eventually('the object of the selection', () => shown().includes('ADDED m1/new'))
    expect(shown()).toEqual(['ADDED m1/new'])
    end()
  })

  it('without a version sends only what is later where the client wants no initial events', async () => {
    await selected({ m1: 'all' })
    const { shown, end } = watched({}, '', { ...NO_OPTIONS, sendInitialEvents: false })
    members.m1!.send('ADDED', members.m1!.put('new'))
    await eventually('the new object', () => shown().includes('ADDED m1/new'))
    expect(shown()).toEqual(['ADDED m1/new'])
    end()
  })

  it('ends after its time with a bookmark of each cluster, which names the versions of all', async () => {
    await selected({ m1: 'all', m2: 'all' })
    const from = { m1: members.m1!.revision, m2: members.m2!.revision }
    const options = { ...NO_OPTIONS, bookmarks: true, timeoutSeconds: 0.01 }
    const { shown, versions, ended } = watched({ resourceVersion: encoded(from) }, '', options)
    await ended
    expect(shown()).toEqual(['BOOKMARK m1/undefined', 'BOOKMARK m2/undefined'])
    expect(versions()).toEqual([from, from])
  })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Cluster } from '../../../../karmada/objects/cluster.js'
import type { ResourceRegistry } from '../../../../karmada/objects/resource-registry.js'
import type { CachedType } from '../../../../karmada/search/selected.js'
import { SearchCaches } from '../../../../playground/karmada/search/search-caches.js'
import { CONFIG_MAPS } from '../../../../playground/objects/core-types.js'
import { eventually } from '../../eventually.js'
import { FakeMember } from './fake-member.js'
import { registry } from './search-world.js'

const MAPS: CachedType = { ...CONFIG_MAPS, kind: 'ConfigMap', namespaced: true }
const typeOf = (_apiVersion: string, kind: string) => (kind === 'ConfigMap' ? MAPS : undefined)
const OPEN_SEARCH = { backendStore: { openSearch: { addresses: ['https://search.example:9200'] } } }

let members: Record<string, FakeMember>
let caches: SearchCaches
beforeEach(() => {
  members = { m1: new FakeMember('a'), m2: new FakeMember('b') }
  caches = new SearchCaches(name => members[name] as FakeMember)
})
afterEach(() => caches.close())

function cluster(name: string, ready = 'True', metadata: object = {}): Cluster {
  return {
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name, ...metadata },
    spec: { syncMode: 'Push' },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  } as unknown as Cluster
}
const named = (name: string, kinds: readonly string[], spec: object = {}) =>
  registry(name, [], kinds, spec) as ResourceRegistry
const update = (registries: readonly ResourceRegistry[], ...clusters: readonly Cluster[]) =>
  caches.update(registries, clusters, typeOf)
const found = () =>
  [...caches.objects(MAPS)].map(({ cluster, object }) => `${cluster}/${object.metadata.name}`)
const until = (...expected: readonly string[]) =>
  eventually(`the caches to have ${expected}`, () => found().join() === expected.join())
const watched = (name: string) => members[name]!.watches > 0

describe('the caches of search/cache', () => {
  it('stop for a Cluster that is being deleted, although it is ready still', async () => {
    update([named('r', ['ConfigMap'])], cluster('m1'), cluster('m2'))
    await until('m1/a', 'm2/b')
    update(
      [named('r', ['ConfigMap'])],
      cluster('m1', 'True', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      cluster('m2'),
    )
    expect(found()).toEqual(['m2/b'])
    await eventually('m1 to be watched no more', () => !watched('m1'))
  })

  it('forget a Cluster that has gone: one of its name has only what registries list then', async () => {
    update([named('r', ['ConfigMap'])], cluster('m1'))
    await until('m1/a')
    update([named('r', ['ConfigMap'])])
    await eventually('m1 to be watched no more', () => !watched('m1'))
    update([named('r', ['Secret'])], cluster('m1'), cluster('m2'))
    update(
      [named('r', ['Secret']), named('s', ['ConfigMap'], { targetCluster: { clusterNames: ['m2'] } })],
      cluster('m1'),
      cluster('m2'),
    )
    await until('m2/b')
    expect(watched('m1')).toBe(false)
  })

  it('keep a type of two registries until both have gone', async () => {
    const [one, other] = [named('one', ['ConfigMap']), named('other', ['ConfigMap', 'Secret'])]
    update([one, other], cluster('m1'))
    await until('m1/a')
    update([other], cluster('m1'))
    expect(found()).toEqual(['m1/a'])
    const kept = named('kept', ['Secret'])
    update([other, kept], cluster('m1'))
    update([kept], cluster('m1'))
    expect(found()).toEqual([])
  })

  it('stop for a type that its cluster does not serve any more', async () => {
    const registries = [named('r', ['ConfigMap'])]
    update(registries, cluster('m1'))
    await until('m1/a')
    const served = cluster('m1')
    const conditions = [
      ...(served.status?.conditions ?? []),
      { type: 'CompleteAPIEnablements', status: 'True' },
    ]
    update(registries, { ...served, status: { conditions, apiEnablements: [] } } as unknown as Cluster)
    expect(found()).toEqual([])
    await eventually('m1 to be watched no more', () => !watched('m1'))
  })

  it('have the objects of a cluster in the order of their namespaces and names', async () => {
    members.m1 = new FakeMember('c', 'a', 'aaa/z', 'b')
    update([named('r', ['ConfigMap'])], cluster('m1'))
    await until('m1/z', 'm1/a', 'm1/b', 'm1/c')
  })

  it('keep a cluster that had a place in memory before a registry named OpenSearch', async () => {
    update([named('r', ['ConfigMap'], OPEN_SEARCH)], cluster('m1'))
    expect(watched('m1')).toBe(false)
    update([named('r', ['ConfigMap'])], cluster('m1'))
    await until('m1/a')
    update([named('r', ['ConfigMap'], OPEN_SEARCH)], cluster('m1', 'False'))
    expect(found()).toEqual([])
    update([named('r', ['ConfigMap'], OPEN_SEARCH)], cluster('m1'))
    await until('m1/a')
  })
})

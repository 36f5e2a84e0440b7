import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../manifests/kube.js'
import { FleetScope } from '../../../../proto/gen/kairship/fleet_pb.js'
import { SortBy, SortDir } from '../../../../proto/gen/kairship/types_pb.js'
import { type AcrossMood, FakeFleet } from './fake-fleet.js'
import { names, places } from './fleet-answers.js'

const place = fc.tuple(fc.constantFrom('i', 'i-a', 'j', 'k'), fc.constantFrom(undefined, 'm', 'm-a', 'n'))
const object = fc.record({
  name: fc.constantFrom('a', 'a-b', 'ab', 'b', 'c', 'web', 'web-1'),
  namespace: fc.constantFrom('default', 'shop', 'a'),
  creationTimestamp: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'),
})
const sortBy = fc.constantFrom(...[0, 1, 2, 4, 5, 6])

describe('a list over the fleet', () => {
  it('has each object on one page, in the order of all', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(place, object), { maxLength: 80 }),
        sortBy,
        fc.constantFrom(SortDir.asc, SortDir.desc),
        fc.integer({ min: 1, max: 9 }),
        fc.subarray(['i', 'i-a', 'j', 'k']),
        fc.constantFrom<AcrossMood>('well', 'knows no such list', 'has more', 'had more once', 'breaks'),
        async (all, by, dir, pageSize, withoutIndex, across) => {
          const fleet = new FakeFleet()
          for (const name of withoutIndex) fleet.moods.set(`${name}/`, 'has no index')
          fleet.across = across
          const seen = new Map<string, readonly string[]>()
          for (const [[instance, cluster], metadata] of all) {
            const key = [instance, cluster ?? '', metadata.namespace, metadata.name]
            if (seen.has(key.join('/'))) continue
            seen.set(key.join('/'), [...key, metadata.creationTimestamp])
            const at = `${instance}/${cluster ?? ''}`
            const one: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata }
            fleet.objects.set(at, [...(fleet.objects.get(at) ?? []), one])
            const members = fleet.members.get(instance) ?? []
            if (cluster && !members.includes(cluster)) fleet.members.set(instance, [...members, cluster])
          }
          // An independent order: a list of keys, of which the first may be turned around.
          const keys = (one: readonly string[]): readonly string[] => {
            const [instance = '', cluster = '', namespace = '', name = '', created = ''] = one
            const first = {
              [SortBy.namespace]: [namespace],
              [SortBy.created_at]: [created],
              [SortBy.cluster]: [instance, cluster],
            }[by as SortBy.namespace]
            return [...(first ?? [name]), '|', instance, cluster, namespace, name]
          }
          const sign = by !== 0 && dir === SortDir.desc ? -1 : 1
          const sorted = [...seen.values()].sort((a, b) => {
            const [left, right] = [keys(a), keys(b)]
            for (const [index, text] of left.entries()) {
              const other = right[index] ?? ''
              const isFirst = index < left.indexOf('|')
              if (text !== other) return (text < other ? -1 : 1) * (isFirst ? sign : 1)
            }
            return 0
          })
          const request = { scope: FleetScope.EVERYWHERE, sortBy: by as SortBy, sortDir: dir, pageSize }
          const found: string[] = []
          for (let page = 1; page <= Math.ceil(sorted.length / pageSize) + 1; page += 1) {
            const answer = await fleet.list({ ...request, page })
            expect(answer.places?.filter(({ error }) => error)).toEqual([])
            const { nextPageToken, ...pagination } = answer.pagination ?? {}
            expect(!!nextPageToken).toBe(page * pageSize < sorted.length)
            expect(pagination).toEqual({
              ...{ total: sorted.length, page, pageSize },
              pages: Math.ceil(sorted.length / pageSize),
            })
            for (const { instance, cluster, metadata } of answer.items ?? [])
              found.push([instance, cluster, metadata?.namespace, metadata?.name].join('/'))
          }
          expect(found).toEqual(sorted.map(one => one.slice(0, 4).join('/')))
        },
      ),
      { numRuns: 300 },
    )
  })

  it('walked by page tokens has each object that stays exactly once, whatever comes and goes in any place', async () => {
    const located = fc.tuple(place, object)
    const change = fc.record({
      come: fc.array(located, { maxLength: 20, size: 'max' }),
      go: fc.nat({ max: 20 }),
      withoutIndex: fc.subarray(['i', 'i-a', 'j', 'k']),
      across: fc.constantFrom<AcrossMood>(
        'well',
        'knows no such list',
        'has more',
        'had more once',
        'breaks',
      ),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(located, { maxLength: 60, size: 'max' }),
        sortBy,
        fc.constantFrom(SortDir.asc, SortDir.desc),
        fc.integer({ min: 1, max: 9 }),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        async (all, by, dir, pageSize, changes) => {
          const fleet = new FakeFleet()
          const keyOf = (at: string, one: { namespace?: string; name?: string } = {}) =>
            `${at}:${one.namespace}/${one.name}`
          const used = new Set<string>()
          const put = ([[instance, cluster], metadata]: (typeof all)[number]): string[] => {
            const at = `${instance}/${cluster ?? ''}`
            const key = keyOf(at, metadata)
            if (used.has(key)) return []
            used.add(key)
            const one: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata }
            fleet.objects.set(at, [...(fleet.objects.get(at) ?? []), one])
            const members = fleet.members.get(instance) ?? []
            if (cluster && !members.includes(cluster)) fleet.members.set(instance, [...members, cluster])
            return [key]
          }
          const first = all.flatMap(put)
          const staying = first.filter((_, index) => index % 2 === 0)
          const passing = first.filter((_, index) => index % 2 === 1)
          const remove = (key: string) => {
            const [at = ''] = key.split(':')
            const left = fleet.objects.get(at)!.filter(({ metadata }) => keyOf(at, metadata) !== key)
            fleet.objects.set(at, left)
          }
          const request = { scope: FleetScope.EVERYWHERE, sortBy: by as SortBy, sortDir: dir, pageSize }
          const seen: string[] = []
          let pageToken = ''
          for (let page = 0; page < 200; page += 1) {
            const { come, go, withoutIndex, across } = changes[page % changes.length]!
            for (const name of ['i', 'i-a', 'j', 'k'])
              fleet.moods.set(`${name}/`, withoutIndex.includes(name) ? 'has no index' : 'well')
            fleet.across = across
            const answer = await fleet.list({ ...request, pageToken })
            expect(answer.places?.filter(({ error }) => error)).toEqual([])
            for (const { instance, cluster, metadata } of answer.items ?? [])
              seen.push(keyOf(`${instance}/${cluster}`, metadata))
            pageToken = answer.pagination?.nextPageToken ?? ''
            if (pageToken === '') break
            for (const key of passing.splice(0, go)) remove(key)
            passing.push(...come.flatMap(put))
          }
          expect(pageToken).toBe('')
          expect(seen.filter(key => staying.includes(key)).sort()).toEqual([...staying].sort())
          expect(new Set(seen).size).toBe(seen.length)
        },
      ),
      { numRuns: 150 },
    )
  })

  it.each([true, false])('shows no values of Secrets in Works, with data: %s', async withData => {
    const fleet = new FakeFleet()
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { key: 'YzRuNHJ5' } }
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(secret) }
    const work = {
      ...{ apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work', metadata: { name: 'w', annotations } },
      spec: { workload: { manifests: [secret] } },
    }
    const later = {
      ...work,
      apiVersion: 'work.karmada.io/v1beta9',
      metadata: { ...work.metadata, name: 'x' },
    }
    fleet.objects.set('i/', [work, later])
    const answer = await fleet.list({ withData })
    expect(names(answer)).toEqual(['i/w', 'i/x'])
    expect(inspect(answer, { depth: 9 })).not.toContain('YzRuNHJ5')
  })

  it('shows nothing of instances that the caller may not use, not even when they are named', async () => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'mine' }, 'a')
    fleet.put({ instance: 'theirs' }, 'b')
    fleet.usable = name => name === 'mine'
    const all = await fleet.list({})
    expect([names(all), places(all), all.pagination?.total]).toEqual([['mine/a'], [['mine', 1]], 1])
    const asked = fleet.asked.length
    const [hidden, absent] = [
      await fleet.list({ instances: ['theirs'] }),
      await fleet.list({ instances: ['nobody'] }),
    ]
    expect(places(hidden)).toEqual([['theirs', '5 InstanceNotFound']])
    expect(inspect(hidden, { depth: 9 })).toBe(inspect(absent, { depth: 9 }).replaceAll('nobody', 'theirs'))
    expect(fleet.asked).toHaveLength(asked)
  })

  it('is of members where those are asked for, and names an instance whose members cannot be listed', async () => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'i' }, 'a')
    fleet.put({ instance: 'i', cluster: 'm' }, 'b')
    fleet.put({ instance: 'i', cluster: 'n' }, 'c')
    fleet.put({ instance: 'j' }, 'd')
    fleet.members.set('i', ['m', 'n'])
    fleet.moods.set('j/*', 'refuses')
    expect(places(await fleet.list({}))).toEqual([
      ['i', 1],
      ['j', 1],
    ])
    expect(places(await fleet.list({ scope: FleetScope.MEMBERS }))).toEqual([
      ['i.m', 1],
      ['i.n', 1],
      ['j.*', '7 Forbidden'],
    ])
    const some = await fleet.list({ scope: FleetScope.EVERYWHERE, clusters: ['n'], instances: ['i'] })
    expect(names(some)).toEqual(['i/a', 'i.n/c'])
  })

  it('ends among the first ten thousand objects, no further', async () => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'i' }, 'a')
    const last = await fleet.list({ page: 10, pageSize: 1_000 })
    expect(last.pagination).toMatchObject({ page: 10, total: 1 })
    for (const beyond of [{ page: 11, pageSize: 1_000 }, { page: 10_001, pageSize: 1 }, { page: 201 }])
      await expect(fleet.list(beyond)).rejects.toMatchObject({ details: { reason: 'ListTooLarge' } })
  })

  it('filters by name and namespace, and each item says where it is from', async () => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'i' }, 'shop/web-1', 'web-2', 'shop/job')
    const { items } = await fleet.list({ name: 'web', namespace: 'shop' })
    expect(items).toMatchObject([
      {
        ...{ instance: 'i', cluster: '', apiVersion: 'v1', kind: 'ConfigMap', data: '' },
        metadata: { name: 'web-1', namespace: 'shop' },
        source: { source: 'index', reason: 'Fresh', lagMs: 12n },
      },
    ])
  })

  it.each([
    ['secrets', { resource: 'secrets' }, 'resource: is secrets'],
    ['a subresource', { resource: 'pods/log' }, 'resource: is "pods/log"'],
    ['a group that is a path', { group: '../api' }, 'group: is "../api"'],
    ['no version', { version: '' }, 'version: is ""'],
    ['a page of 1001', { pageSize: 1_001 }, 'pageSize: is 1001'],
    ['a page before the first', { page: -1 }, 'page: is -1'],
    ['a page beyond 10,000 objects', { page: 201 }, 'page 201 of 50 ends after the first 10000 objects'],
    ['a namespace of namespaces', { resource: 'namespaces', namespace: 'x' }, 'namespace: must be empty'],
  ])('refuses %s', async (_, request, message) => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'i' }, 'a')
    await expect(fleet.list(request)).rejects.toThrow(message)
  })
})

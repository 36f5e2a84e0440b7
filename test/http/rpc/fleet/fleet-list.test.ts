import { inspect } from 'node:util'
import { create, toBinary, toJson } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { cancelled } from '../../../../http/failure.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { FleetScope, ListFleetObjectsResponseSchema } from '../../../../proto/gen/kairship/fleet_pb.js'
import { SortBy, SortDir } from '../../../../proto/gen/kairship/types_pb.js'
import { type AcrossMood, FakeFleet, type Mood } from './fake-fleet.js'

type Answer = Awaited<ReturnType<FakeFleet['list']>>

const names = ({ items = [] }: Answer) =>
  items.map(
    ({ instance, cluster, metadata }) => `${instance}${cluster ? `.${cluster}` : ''}/${metadata?.name}`,
  )
const places = (answer: Answer) =>
  (answer.places ?? []).map(({ instance, cluster, total, error }) => [
    `${instance}${cluster ? `.${cluster}` : ''}`,
    error ? `${error.code} ${error.reason}`.trim() : total,
  ])

afterEach(() => void vi.useRealTimers())

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
            expect(answer.pagination).toEqual({
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

  it('asks each place for no more than the pages up to this one have, and few places at once', async () => {
    const fleet = new FakeFleet()
    for (let n = 0; n < 20; n += 1) {
      fleet.put({ instance: `i${n}` }, ...Array.from({ length: 99 }, (_, m) => `o${m}`))
      fleet.moods.set(`i${n}/`, 'has no index')
    }
    const answer = await fleet.list({ page: 2, pageSize: 10 })
    expect(answer.pagination).toEqual({ total: 1_980, page: 2, pageSize: 10, pages: 198 })
    expect(answer.items).toHaveLength(10)
    expect(fleet.asked.map(([, size]) => size)).toEqual(Array(20).fill(20))
    expect(fleet.most).toBe(8)
  })

  it('reads from an index only the page, and in each instance together as much, however deep it is', async () => {
    const fleet = new FakeFleet()
    for (let n = 0; n < 20; n += 1)
      fleet.put({ instance: `i${n}` }, ...Array.from({ length: 99 }, (_, m) => `o${m}`))
    const answer = await fleet.list({ page: 9, pageSize: 100 })
    expect(answer.pagination).toEqual({ total: 1_980, page: 9, pageSize: 100, pages: 20 })
    expect(answer.items).toHaveLength(100)
    expect(fleet.asked.map(([, size]) => size)).toEqual(Array(20).fill(5))
    expect(fleet.windows).toEqual([[800, 100]])
    // Those before the page that are not in the index may come before any of those that are.
    fleet.put({ instance: 'other' }, ...Array.from({ length: 30 }, (_, m) => `p${m}`))
    fleet.moods.set('other/', 'has no index')
    await fleet.list({ page: 9, pageSize: 100 })
    expect(fleet.windows.at(-1)).toEqual([770, 130])
  })

  it('reads no list over instances where their own have all that there is', async () => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'i' }, 'a', 'c')
    fleet.put({ instance: 'j' }, 'b')
    expect(names(await fleet.list({}))).toEqual(['i/a', 'j/b', 'i/c'])
    expect([fleet.asked, fleet.windows]).toEqual([
      [
        ['i/', 25],
        ['j/', 25],
      ],
      [],
    ])
  })

  it('counts again when the index has more objects than it counted, once, and then asks each instance', async () => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'i' }, 'a', 'c')
    fleet.put({ instance: 'j' }, 'b')
    const [request, sizes] = [{ pageSize: 2 }, () => fleet.asked.splice(0).map(([, size]) => size)]
    fleet.across = 'had more once'
    expect(names(await fleet.list(request))).toEqual(['i/a', 'j/b'])
    expect(sizes()).toEqual([1, 1, 1])
    fleet.across = 'has more'
    expect(names(await fleet.list(request))).toEqual(['i/a', 'j/b'])
    expect(sizes()).toEqual([1, 1, 1, 2])
  })

  it.each<AcrossMood>(['knows no such list', 'breaks', 'has what is no object', 'sorts as a language'])(
    'asks each instance at once where the index %s',
    async mood => {
      const fleet = new FakeFleet()
      fleet.put({ instance: 'i' }, 'a-c', 'ab', 'a-z', 'b')
      fleet.put({ instance: 'j' }, 'a-d', 'ac')
      fleet.across = mood
      const answer = await fleet.list({ pageSize: 4 })
      expect(names(answer)).toEqual(['i/a-c', 'j/a-d', 'i/a-z', 'i/ab'])
      expect([places(answer), answer.pagination?.total]).toEqual([
        [
          ['i', 4],
          ['j', 2],
        ],
        6,
      ])
      expect(fleet.windows).toHaveLength(1)
    },
  )

  it('asks each instance after seconds where the index does not answer with the list over them', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const fleet = new FakeFleet()
    fleet.put({ instance: 'i' }, 'a', 'c')
    fleet.put({ instance: 'j' }, 'b', 'd')
    fleet.across = 'hangs'
    const list = fleet.list({ pageSize: 2 })
    await vi.advanceTimersByTimeAsync(5_000)
    expect(names(await list)).toEqual(['i/a', 'j/b'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each<[Mood, string]>([
    ['refuses', '7 Forbidden'],
    ['breaks', '13 InternalError'],
    ['answers fewer', '14 Incomplete'],
  ])('names the instance that %s, and has the others', async (mood, error) => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'good' }, 'a', 'c')
    fleet.put({ instance: 'bad' }, 'b', 'd')
    fleet.moods.set('bad/', mood)
    const answer = await fleet.list({})
    expect(names(answer)).toEqual(['good/a', 'good/c'])
    expect(places(answer)).toEqual([
      ['bad', error],
      ['good', 2],
    ])
    expect(answer.pagination?.total).toBe(2)
    expect(inspect(answer.places, { depth: 9 })).not.toContain('a bug')
  })

  it.each<[string, object, [string, unknown]]>([
    ['a fraction for a generation', { metadata: { name: 'b', generation: 1.5 } }, ['bad', 1]],
    ['null for its owners', { metadata: { name: 'b', ownerReferences: null } }, ['bad', 1]],
    ['numbers for labels', { metadata: { name: 'b', labels: { n: 1, deep: {} } } }, ['bad', 1]],
    [
      'no texts at all',
      { kind: {}, metadata: { name: 'b', namespace: 7, uid: [], finalizers: 'x' } },
      ['bad', 1],
    ],
    ['an object for a time', { metadata: { name: 'b', creationTimestamp: { toString: 1 } } }, ['bad', 1]],
    ['no metadata', { metadata: null }, ['bad', '13 InternalError']],
    [
      'a Work without a list of manifests',
      { ...{ apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work' }, spec: { workload: { manifests: 7 } } },
      ['bad', '13 InternalError'],
    ],
  ])('has what others have when one has %s', async (_, wrong, expected) => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'good' }, 'a', 'c')
    fleet.put({ instance: 'bad' }, 'b')
    fleet.objects.set('bad/', [{ ...fleet.objects.get('bad/')![0]!, ...wrong }])
    const answer = await fleet.list({ withData: true })
    expect(places(answer)).toEqual([expected, ['good', 2]])
    expect(names(answer)).toEqual(expect.arrayContaining(['good/a', 'good/c']))
    const message = create(ListFleetObjectsResponseSchema, answer)
    expect(() => [
      toBinary(ListFleetObjectsResponseSchema, message),
      toJson(ListFleetObjectsResponseSchema, message),
    ]).not.toThrow()
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

  it('asks again when a place counts more than it read, once', async () => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'i' }, 'a', 'b')
    fleet.moods.set('i/', 'fewer once')
    expect(names(await fleet.list({}))).toEqual(['i/a', 'i/b'])
    expect(fleet.asked).toHaveLength(2)
  })

  it('sorts the objects of an index that sorts as a language does', async () => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'i' }, 'a-c', 'ab', 'a-z', 'b')
    fleet.put({ instance: 'j' }, 'a-d', 'ac')
    fleet.moods.set('i/', 'sorts as a language')
    expect(names(await fleet.list({ pageSize: 4 }))).toEqual(['i/a-c', 'j/a-d', 'i/a-z', 'i/ab'])
  })

  it('names instances that hang after seconds, all in the same seconds, and does not ask the rest after 20', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const fleet = new FakeFleet()
    fleet.put({ instance: 'good' }, 'a')
    fleet.moods.set('hangs/', 'hangs')
    const one = fleet.list({})
    await vi.advanceTimersByTimeAsync(5_000)
    expect(places(await one)).toEqual([
      ['good', 1],
      ['hangs', '4 PlaceTimeout'],
    ])
    for (let n = 0; n < 50; n += 1) fleet.moods.set(`h${n}/`, 'hangs')
    const before = fleet.asked.length
    const many = fleet.list({})
    await vi.advanceTimersByTimeAsync(20_000)
    const answer = await many
    expect(answer.places).toHaveLength(52)
    expect(answer.places?.filter(({ error }) => error?.reason === 'PlaceTimeout')).not.toHaveLength(0)
    // Eight at once, four times.
    const asked = fleet.asked.slice(before).map(([place]) => place.slice(0, -1))
    const notAsked =
      answer.places?.filter(({ error }) => error?.message?.startsWith('not asked within')) ?? []
    expect(notAsked.length).toBeGreaterThanOrEqual(19)
    expect(asked.filter(name => notAsked.some(({ instance }) => instance === name))).toEqual([])
    expect(asked.length + notAsked.length).toBe(52)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('asks every other instance while many members of one hang, and skips the rest of those', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const fleet = new FakeFleet()
    const members = Array.from({ length: 32 }, (_, index) => `m${index}`)
    fleet.put({ instance: 'bad' }, 'own')
    fleet.members.set('bad', members)
    for (const name of members) fleet.moods.set(`bad/${name}`, 'hangs')
    for (let n = 0; n < 20; n += 1) {
      fleet.put({ instance: `good${n}`, cluster: 'm' }, 'a')
      fleet.members.set(`good${n}`, ['m'])
    }
    const list = fleet.list({ scope: FleetScope.EVERYWHERE })
    await vi.advanceTimersByTimeAsync(4_000)
    // Two members of the bad one are under way, and all others have been asked.
    const ofBad = () => fleet.asked.filter(([place]) => place.startsWith('bad/m')).length
    expect([ofBad(), fleet.asked.length]).toEqual([2, 2 + 1 + 40])
    await vi.advanceTimersByTimeAsync(6_000)
    const answer = await list
    expect(answer.items).toHaveLength(21)
    expect(ofBad()).toBe(4)
    const errors = (answer.places ?? []).flatMap(({ error }) => error?.reason ?? [])
    expect(errors.filter(reason => reason === 'PlaceTimeout')).toHaveLength(4)
    expect(errors.filter(reason => reason === 'InstanceTimeouts')).toHaveLength(28)
  })

  it('ends with its caller', async () => {
    const fleet = new FakeFleet()
    fleet.moods.set('hangs/', 'hangs')
    const gone = new AbortController()
    const list = fleet.list({}, gone.signal)
    await new Promise(setImmediate)
    gone.abort(cancelled('hung up'))
    await expect(list).rejects.toThrow('hung up')
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

  it('has what others have where only some find the request wrong', async () => {
    const fleet = new FakeFleet()
    fleet.put({ instance: 'a' }, 'a')
    fleet.put({ instance: 'b' }, 'b')
    fleet.moods.set('a/', 'finds it wrong')
    const answer = await fleet.list({})
    expect(names(answer)).toEqual(['b/b'])
    expect(places(answer)).toEqual([
      ['a', expect.stringMatching(/^3 /)],
      ['b', 1],
    ])
    fleet.moods.set('b/', 'finds it wrong')
    await expect(fleet.list({})).rejects.toMatchObject({ code: 3 })
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

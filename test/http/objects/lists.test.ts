import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AnsweredFrom } from '../../../http/call/answered-from.js'
import type { ListQuery } from '../../../http/objects/list-query.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { StatusError } from '../../../manifests/status-error.js'
import { eventually } from '../../scenarios/support/eventually.js'
import { type PlaygroundProxy, startPlaygroundProxy } from '../proxy/playground-proxy.js'
import { CONFIG_MAPS, callOf, createConfigMaps, NAMESPACES, objectsIn } from './listed-world.js'

const apps = ['web', 'api', 'job']
const owners = ['owner-1', 'owner-2']

let world: PlaygroundProxy
let all: readonly KubeObject[]
let answers: AnsweredFrom[]

const place = () => ({ instance: world.instance })
const call = (user?: string) => callOf(user, from => void answers.push(from))
const objects = (options?: { readonly index: boolean }) => objectsIn(world, options)

beforeAll(async () => {
  world = await startPlaygroundProxy()
  answers = []
  const maps = Array.from({ length: 90 }, (_, n) => {
    const [app, uid] = [apps[n % 3] ?? '', owners[n % 5]]
    const reference = { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: uid ?? '', controller: n % 2 === 0 }
    return {
      namespace: NAMESPACES[(n * 7) % 3] ?? '',
      // Some names are in several namespaces.
      name: `${app}-${n % 40}.x`,
      labels: { app, even: String(n % 2 === 0) },
      annotations: { rank: String((n * 37) % 11) },
      ...(uid && { ownerReferences: [reference] }),
    }
  })
  await createConfigMaps(world, world.instance, maps)
  const listed = await objects({ index: false }).list(call(), place(), CONFIG_MAPS, {
    ...{ page: 1, pageSize: 0, labelSelector: 'app' },
  })
  all = listed.items
  await eventually('the index shows them', async () => {
    const page = await objects().list(call(), place(), CONFIG_MAPS, {
      ...{ page: 1, pageSize: 1, labelSelector: 'app' },
    })
    return page.answered.source === 'index' && page.pagination.total === all.length
  })
})
afterAll(() => world.close())

const rank = ({ metadata }: KubeObject) => metadata.annotations?.rank ?? ''

/** Queries of every kind; some match nothing, and some pages are past the end. */
const queries: fc.Arbitrary<ListQuery> = fc.record(
  {
    page: fc.integer({ min: 0, max: 6 }),
    pageSize: fc.constantFrom(-1, 0, 1, 7, 20, 200),
    namespace: fc.constantFrom('', ...NAMESPACES),
    // Only objects of this test: others change between two reads.
    labelSelector: fc.constantFrom('app', 'app=web', 'app in (web,api),even=true', 'app,!even', 'even'),
    nameContains: fc.array(fc.constantFrom('', 'web', '-1', '.x', 'none', '_', '%'), { maxLength: 2 }),
    names: fc.constantFrom([], ['web-0.x', 'api-1.x', 'absent'], ['a,b']),
    ownerUid: fc.constantFrom('', ...owners, 'nobody'),
    where: fc.constantFrom((object: KubeObject) => rank(object) > '4'),
    sort: fc.record({
      key: fc.constantFrom('name' as const, 'namespace' as const, 'createdAt' as const, rank),
      descending: fc.boolean(),
    }),
  },
  { requiredKeys: ['page', 'pageSize', 'labelSelector'] },
)

describe('a list of the management API', () => {
  it('is the same page from the index and from Karmada, for any query', async () => {
    const [indexed, direct] = [objects(), objects({ index: false })]
    await fc.assert(
      fc.asyncProperty(queries, async query => {
        const fromIndex = await indexed.list(call(), place(), CONFIG_MAPS, query)
        const fromKarmada = await direct.list(call(), place(), CONFIG_MAPS, query)
        expect(fromIndex.answered).toMatchObject({ source: 'index' })
        expect(fromKarmada.answered).toMatchObject({ source: 'karmada', reason: 'NoIndex' })
        expect(fromIndex.pagination).toEqual(fromKarmada.pagination)
        expect(fromIndex.items).toEqual(fromKarmada.items)
      }),
      { numRuns: 150 },
    )
  })

  it.each([true, false])(
    'read page by page has each object once, while objects change and others come and go (index: %s)',
    async index => {
      const lists = objects({ index })
      const { local } = world.playground.karmadas.get(world.instance)!.server
      const sort = { key: 'name', descending: false } as const
      const seen: string[] = []
      for (let page = 1; page <= 10; page += 1) {
        const query = { page, pageSize: 10, sort, labelSelector: 'app' }
        const { items } = await lists.list(call(), place(), CONFIG_MAPS, query)
        seen.push(...items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`))
        for (const { metadata } of all.slice(page * 5, page * 5 + 5))
          await local.request({
            method: 'PATCH',
            path: `/api/v1/namespaces/${metadata.namespace}/configmaps/${metadata.name}`,
            contentType: 'application/merge-patch+json',
            body: { data: { page: String(page), index: String(index) } },
          })
        const passing = { metadata: { name: `zz-${page}`, labels: { app: 'zz' } } }
        const path = '/api/v1/namespaces/c/configmaps'
        await local.request({ method: 'POST', path, body: passing })
        await local.request({ method: 'DELETE', path: `${path}/zz-${page}` })
      }
      const unchanged = all.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
      expect(seen.filter(one => !one.includes('/zz-')).sort()).toEqual([...unchanged].sort())
    },
  )

  describe('walked by cursors while objects before, at and after the position come and go', () => {
    const path = '/api/v1/namespaces/a-b/configmaps'
    const local = () => world.playground.karmadas.get(world.instance)!.server.local
    const put = (name: string) =>
      local().request({ method: 'POST', path, body: { metadata: { name, labels: { walk: 'x' } } } })
    const remove = (name: string) => local().request({ method: 'DELETE', path: `${path}/${name}` })
    const staying = Array.from({ length: 30 }, (_, n) => `m${String((n * 7) % 30).padStart(2, '0')}`)
    let made = 0

    beforeAll(async () => {
      for (const name of staying) await put(name)
      await eventually('the index shows them', async () => {
        const query = { page: 1, pageSize: 1, labelSelector: 'walk' }
        const { answered, pagination } = await objects().list(call(), place(), CONFIG_MAPS, query)
        return answered.source === 'index' && pagination.total === staying.length
      })
    })

    it.each([
      ['the index', [true]],
      ['Karmada', [false]],
      ['both in turns', [true, false]],
    ])('has each object that stays exactly once, from %s', async (_, sources) => {
      const passing: string[] = []
      const key = fc.constantFrom('name' as const, 'namespace' as const, 'createdAt' as const, rank)
      // Before all others, between two of them, and after all.
      const comes = fc.constantFrom('a', 'm05', 'm15', 'm25', 'z')
      const round = fc.record({
        comes: fc.array(comes, { maxLength: 12, size: 'max' }),
        go: fc.nat({ max: 12 }),
      })
      await fc.assert(
        fc.asyncProperty(
          key,
          fc.boolean(),
          fc.integer({ min: 1, max: 12 }),
          fc.array(round, { minLength: 1, maxLength: 3 }),
          async (key, descending, pageSize, rounds) => {
            const seen: string[] = []
            let after: ListQuery['after']
            for (let page = 0; ; page += 1) {
              const lists = objects({ index: sources[page % sources.length]! })
              const query = { page: 0, pageSize, labelSelector: 'walk', sort: { key, descending } }
              const found = await lists.list(call(), place(), CONFIG_MAPS, {
                ...query,
                ...(after && { after }),
              })
              expect(found.answered.source).toBe(sources[page % sources.length] ? 'index' : 'karmada')
              seen.push(...found.items.map(({ metadata }) => metadata.name))
              expect(found.start).toBeGreaterThanOrEqual(0)
              after = found.next
              if (!after) break
              const { comes, go } = rounds[page % rounds.length]!
              for (const name of passing.splice(0, go)) await remove(name)
              for (const before of page < 8 ? comes : []) {
                made += 1
                const name = `${before}-${String(made).padStart(4, '0')}`
                await put(name)
                passing.push(name)
              }
            }
            expect(seen.filter(name => staying.includes(name)).sort()).toEqual([...staying].sort())
            expect(new Set(seen).size).toBe(seen.length)
          },
        ),
        { numRuns: 12 },
      )
      for (const name of passing) await remove(name)
    })
  })

  it('includes what the caller has just written, however far the index is behind, and another caller reads the index', async () => {
    const lists = objects()
    const [metadata, maps] = [
      { name: 'aaa', namespace: 'a' },
      { page: 1, pageSize: 1, namespace: 'a' },
    ]
    const first = async (user?: string) => {
      answers = []
      const { items } = await lists.list<KubeObject & { data?: object }>(
        call(user),
        place(),
        CONFIG_MAPS,
        maps,
      )
      return [items[0]?.metadata.name, items[0]?.data, answers[0]?.source]
    }
    const [before] = await first()
    const undo = world.playground.containerManagement.interrupt({ kind: 'stall' })
    try {
      await lists.create(call(), place(), CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata })
      expect(await first()).toEqual(['aaa', undefined, 'karmada'])
      const patch = { type: 'application/merge-patch+json', body: { data: { v: '1' } } } as const
      await lists.patch(call(), place(), CONFIG_MAPS, metadata, patch)
      expect(await first()).toEqual(['aaa', { v: '1' }, 'karmada'])
      const stored = await lists.get(call(), place(), CONFIG_MAPS, metadata)
      await lists.update(call(), place(), CONFIG_MAPS, { ...stored, data: { v: '2' } } as KubeObject)
      expect(await first()).toEqual(['aaa', { v: '2' }, 'karmada'])
      expect(await lists.get(call(), place(), CONFIG_MAPS, metadata)).toMatchObject({ data: { v: '2' } })
      expect(await first('viewer@playground')).toEqual([before, expect.anything(), 'index'])
      await lists.remove(call(), place(), CONFIG_MAPS, metadata)
      expect(await first()).toEqual([before, expect.anything(), 'karmada'])
      await expect(lists.get(call(), place(), CONFIG_MAPS, metadata)).rejects.toMatchObject({ code: 404 })
    } finally {
      undo()
    }
    await eventually('the index is asked again', async () => (await first())[2] === 'index')
  })

  it('names its source and its age', async () => {
    // How old is known once the first canary has been seen in the index.
    await eventually('the lag is known', async () => {
      answers = []
      await objects().list(call(), place(), CONFIG_MAPS, { page: 1, pageSize: 1 })
      return answers[0]?.lagMs !== undefined
    })
    const measuredAt = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(answers).toEqual([{ source: 'index', reason: 'Index', lagMs: expect.any(Number), measuredAt }])
    await world.playground.containerManagement.setReadApiAvailable(false)
    try {
      answers = []
      await objects().list(call(), place(), CONFIG_MAPS, { page: 1, pageSize: 1 })
      expect(answers).toEqual([
        { source: 'karmada', reason: 'IndexFailed', warning: expect.stringContaining('index') },
      ])
    } finally {
      await world.playground.containerManagement.setReadApiAvailable(true)
    }
  })

  it('is refused without the right to read, in the instance’s words', async () => {
    const refused = await objects()
      .list(call('stranger'), place(), CONFIG_MAPS, { page: 1, pageSize: 1 })
      .catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(StatusError)
    expect((refused as StatusError).code).toBe(403)
  })
})

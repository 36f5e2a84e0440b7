import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listAcross } from '../../../http/objects/list/list-across.js'
import type { AcrossOrder, IndexedList, ListQuery } from '../../../http/objects/list-query.js'
import type { ObjectRequests } from '../../../http/objects/requests/object-requests.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { eventually } from '../../scenarios/support/eventually.js'
import { letIn, type PlaygroundProxy, startPlaygroundProxy } from '../proxy/playground-proxy.js'
import { CONFIG_MAPS, callOf, createConfigMaps, NAMESPACES, objectsIn } from './listed-world.js'

describe('a list over several instances', () => {
  let world: PlaygroundProxy
  let instances: readonly string[]
  /** All objects of the test, as their instances have them. */
  let all: readonly { readonly instance: string; readonly object: KubeObject }[]

  const objects = (options?: { readonly index: boolean }) => objectsIn(world, options)
  const list = (instance: string, query: Partial<ListQuery>, from = objects()) =>
    from.list<KubeObject>(callOf(), { instance }, CONFIG_MAPS, { page: 1, pageSize: 1, ...query })

  beforeAll(async () => {
    world = await startPlaygroundProxy({ instances: 2 })
    await letIn(world)
    instances = [...world.playground.karmadas.keys()].sort()
    for (const [at, instance] of instances.entries()) {
      // Names that both instances have, some of them in several namespaces, and a few with annotations of their own.
      const maps = Array.from({ length: 30 }, (_, n) => ({
        namespace: NAMESPACES[n % 3] ?? '',
        name: `m-${(n * 7) % 20}`,
        labels: { app: ['web', 'job'][n % 2] ?? '' },
        ...(n % 5 === at && { annotations: { n: '1' } }),
      }))
      await createConfigMaps(world, instance, maps)
    }
    const direct = objects({ index: false })
    const lists = await Promise.all(
      instances.map(async instance => {
        // Refused until the caller's role is in effect in the instance.
        const { items } = await eventually('the caller may list', () =>
          list(instance, { pageSize: 0, labelSelector: 'app' }, direct),
        )
        return items.map(object => ({ instance, object }))
      }),
    )
    all = lists.flat()
    for (const instance of instances)
      await eventually('the index shows them', async () => {
        const { pagination, answered } = await list(instance, { labelSelector: 'app' })
        return answered.source === 'index' && pagination.total === 30
      })
  })
  afterAll(() => world?.close())

  it('is a part of all their objects in one order, each as its instance has it', async () => {
    const keys = fc.constantFrom<AcrossOrder['key']>('name', 'namespace', 'createdAt', 'cluster')
    const order = fc.record({ key: keys, descending: fc.boolean() })
    const selectors = { app: ['web', 'job'], 'app=web': ['web'], 'app,app!=web': ['job'] } as const
    const selector = fc.constantFrom(...(Object.keys(selectors) as (keyof typeof selectors)[]))
    await fc.assert(
      fc.asyncProperty(
        order,
        selector,
        fc.constantFrom('', ...NAMESPACES),
        fc.nat({ max: 70 }),
        fc.integer({ min: 1, max: 70 }),
        async ({ key, descending }, labelSelector, namespace, offset, limit) => {
          const found = await Promise.all(instances.map(one => list(one, { labelSelector, namespace })))
          const lists = found.map(({ indexed }) => indexed!)
          const request = { lists, order: { key, descending }, offset, limit }
          const part = await objects().listAcross(callOf(), request)
          const keysOf = ({ instance, object: { metadata } }: (typeof all)[number]) => {
            const { namespace = '', name, creationTimestamp = '' } = metadata
            const first = { name, namespace, createdAt: creationTimestamp, cluster: instance }[key]
            return [first, instance, namespace, name]
          }
          const sorted = all
            .filter(({ object: { metadata } }) => {
              const apps: readonly string[] = selectors[labelSelector]
              return (
                apps.includes(metadata.labels?.app ?? '') && (!namespace || metadata.namespace === namespace)
              )
            })
            .sort((a, b) => {
              const [left, right] = [keysOf(a), keysOf(b)]
              const at = left.findIndex((text, index) => text !== right[index])
              return ((left[at] ?? '') < (right[at] ?? '') ? -1 : 1) * (at === 0 && descending ? -1 : 1)
            })
          expect(part).toEqual({ items: sorted.slice(offset, offset + limit), total: sorted.length })
        },
      ),
      { numRuns: 100 },
    )
  })

  it('has no instance whose own list the index has not answered to the caller', async () => {
    const [instance = ''] = instances
    const query = { labelSelector: 'app' }
    expect((await list(instance, query)).indexed).toMatchObject({ instance })
    expect((await list(instance, query, objects({ index: false }))).indexed).toBeUndefined()
    const where = () => true
    expect((await list(instance, { ...query, where })).indexed).toBeUndefined()
    const page = { page: 1, pageSize: 1, ...query }
    await expect(objects().list(callOf('stranger'), { instance }, CONFIG_MAPS, page)).rejects.toThrow(
      'forbidden',
    )
  })
})

describe('an answer to a list over several instances', () => {
  const upstream = { send: () => undefined as never }
  const annotation = 'index/cluster'
  const listOf = (instance: string, more: Partial<IndexedList> = {}): IndexedList => ({
    index: { cluster: `k-${instance}`, annotation, upstream },
    ...{ instance, type: CONFIG_MAPS, selection: {} },
    ...more,
  })
  const item = (name: unknown, cluster: string) => ({
    metadata: { name, annotations: { [annotation]: cluster } },
  })
  const good = {
    metadata: { remainingItemCount: 3 },
    items: [item('a', 'k-i'), item('a', 'k-j')] as unknown,
  }
  const asked: string[] = []
  const answered = (
    body: unknown,
    { status = 200, headers = [] as string[], lists = [listOf('i'), listOf('j')], limit = 2 } = {},
  ) => {
    const readIndex = async (_: unknown, __: string, { path }: { path: string }) => {
      asked.push(path)
      return { status, headers, body: Buffer.from(JSON.stringify(body)) }
    }
    const requests = { readIndex } as unknown as ObjectRequests
    return listAcross(requests, callOf(), {
      lists,
      order: { key: 'name', descending: true },
      offset: 4,
      limit,
    })
  }

  it('is counted with what comes before and after', async () => {
    const head = { apiVersion: 'v1', kind: 'ConfigMap' }
    expect(await answered(good)).toEqual({
      items: ['i', 'j'].map(instance => ({ instance, object: { ...head, metadata: { name: 'a' } } })),
      total: 9,
    })
    const query = new URL(asked.at(-1) ?? '', 'http://x')
    expect([query.pathname, Object.fromEntries(query.searchParams)]).toEqual([
      '/api/v1/configmaps',
      {
        ...{ clusters: 'k-i,k-j', orderby: 'name desc,cluster,namespace' },
        ...{ withRemainingCount: 'true', limit: '2', continue: '4' },
      },
    ])
    // Of a page past the end the index counts backwards.
    const past = { metadata: { remainingItemCount: -2 }, items: [] }
    expect(await answered(past)).toEqual({ items: [], total: 2 })
  })

  it.each<[string, unknown, Parameters<typeof answered>[1]?]>([
    ['an error', good, { status: 500 }],
    ['a warning', good, { headers: ['Warning', '299 - "old"'] }],
    ['no count', { ...good, metadata: {} }],
    ['a count that is none', { ...good, metadata: { remainingItemCount: 'x' } }],
    ['no items', { ...good, items: null }],
    ['fewer items than it counts', good, { limit: 3 }],
    ['an object of another cluster', { ...good, items: [item('a', 'k-i'), item('a', 'k-other')] }],
    ['an object of nobody knows which', { ...good, items: [item('a', 'k-i'), { metadata: { name: 'a' } }] }],
    ['an object without a name', { ...good, items: [item('a', 'k-i'), item(1, 'k-j')] }],
    ['null for an object', { ...good, items: [null, null] }],
    ['no object at all', null],
  ])('is none with %s', async (_, body, options) => {
    expect(await answered(body, options)).toBeUndefined()
  })

  it.each<[string, readonly IndexedList[]]>([
    ['no instance', []],
    [
      'instances of two indexes',
      [listOf('i'), listOf('j', { index: { ...listOf('j').index, upstream: { ...upstream } } })],
    ],
    ['lists of two namespaces', [listOf('i', { namespace: 'a' }), listOf('j')]],
    ['lists that select differently', [listOf('i', { selection: { labelSelector: 'a' } }), listOf('j')]],
    ['lists of two types', [listOf('i', { type: { ...CONFIG_MAPS, resource: 'secrets' } }), listOf('j')]],
    ['more names than fit in an address', Array.from({ length: 1_000 }, (_, at) => listOf(`instance-${at}`))],
  ])('is not asked for of %s', async (_, lists) => {
    const before = asked.length
    expect(await answered(good, { lists: [...lists] })).toBeUndefined()
    expect(asked).toHaveLength(before)
  })
})

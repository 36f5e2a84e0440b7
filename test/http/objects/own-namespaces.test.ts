import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ListQuery } from '../../../http/objects/list-query.js'
import { INSTANCE_ROLE_BINDINGS } from '../../../manifests/instance-role-binding.js'
import { type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { StatusError } from '../../../manifests/status-error.js'
import { eventually } from '../../scenarios/support/eventually.js'
import { type PlaygroundProxy, startPlaygroundProxy } from '../proxy/playground-proxy.js'
import { CONFIG_MAPS, callOf, createConfigMaps, NAMESPACES, objectsIn } from './listed-world.js'

const WHOLE = { page: 1, pageSize: 0 }
const OWN = ['a', 'c']
const ALL_NAMESPACES = {
  ...{ group: '', version: 'v1', resource: 'namespaces' },
  ...{ kind: 'Namespace', namespaced: false },
}
const WORKS = {
  ...{ group: 'work.karmada.io', version: 'v1alpha1', resource: 'works' },
  ...{ kind: 'Work', namespaced: true },
}

let world: PlaygroundProxy
const place = () => ({ instance: world.instance })
const inside = () => world.playground.karmadas.get(world.instance)!.server.local

async function give(name: string, namespaces: readonly string[]): Promise<void> {
  const path = resourcePath(INSTANCE_ROLE_BINDINGS)
  const spec = { instance: world.instance, role: 'Viewer', subjects: [{ kind: 'User', name }], namespaces }
  const body = { apiVersion: 'kairship.io/v1alpha1', kind: 'InstanceRoleBinding', metadata: { name }, spec }
  await world.playground.host.local.request({ method: 'POST', path, body })
}

beforeAll(async () => {
  world = await startPlaygroundProxy()
  const maps = Array.from({ length: 40 }, (_, n) => ({
    namespace: NAMESPACES[n % 3] ?? '',
    name: `${['web', 'api'][n % 2]}-${n}`,
    labels: { app: 'shop', even: String(n % 2 === 0) },
  }))
  await createConfigMaps(world, world.instance, maps)
  await give('ned', OWN)
  await give('nora', ['c', 'not-made-yet'])
  const total = async (user: string) => {
    const query = { ...WHOLE, pageSize: 1, labelSelector: 'app' }
    const page = await objectsIn(world).list(callOf(user), place(), CONFIG_MAPS, query)
    return page.answered.source === 'index' && page.pagination.total
  }
  await eventually('the index shows them', async () => (await total('admin@playground')) === maps.length)
  await eventually('the roles are in effect', async () => (await total('ned')) === 27)
})
afterAll(() => world.close())

const queries: fc.Arbitrary<ListQuery> = fc.record(
  {
    page: fc.integer({ min: 0, max: 4 }),
    pageSize: fc.constantFrom(-1, 0, 1, 7, 20),
    labelSelector: fc.constantFrom('app', 'app=shop,even=true', '!even,app'),
    nameContains: fc.array(fc.constantFrom('web', '-1', 'none'), { maxLength: 2 }),
    sort: fc.record({
      key: fc.constantFrom('name' as const, 'namespace' as const, 'createdAt' as const),
      descending: fc.boolean(),
    }),
    mostOfIndex: fc.constantFrom(1, 5),
  },
  { requiredKeys: ['page', 'pageSize', 'labelSelector'] },
)

describe('a list over all namespaces of a caller with a role on some', () => {
  it.each([true, false])(
    'is the page that those namespaces have, counted after that, with an index: %s',
    async index => {
      const objects = objectsIn(world, { index })
      await fc.assert(
        fc.asyncProperty(queries, async query => {
          const isOwn = ({ metadata }: KubeObject) => OWN.includes(metadata.namespace ?? '')
          const page = await objects.list(callOf('ned'), place(), CONFIG_MAPS, query)
          const { mostOfIndex: _, ...same } = query
          const wanted = await objects.list(callOf(), place(), CONFIG_MAPS, { ...same, where: isOwn })
          expect(page.items).toEqual(wanted.items)
          expect(page.pagination).toEqual(wanted.pagination)
          expect(page.answered).toMatchObject(
            index ? { source: 'index', reason: 'Index' } : { source: 'karmada', reason: 'Namespaces' },
          )
          expect(page.indexed).toBeUndefined()
        }),
        { numRuns: 40 },
      )
    },
  )

  it.each([true, false])('is read on from a page to the next one, with an index: %s', async index => {
    const objects = objectsIn(world, { index })
    const names: string[] = []
    let after: ListQuery['after']
    do {
      const query = { page: 1, pageSize: 5, labelSelector: 'app', ...(after && { after }) }
      const page = await objects.list(callOf('ned'), place(), CONFIG_MAPS, query)
      names.push(...page.items.map(({ metadata }) => `${metadata.name} ${metadata.namespace}`))
      after = page.next
    } while (after)
    expect(names).toHaveLength(27)
    expect(new Set(names).size).toBe(27)
    expect(names).toEqual([...names].sort())
  })

  it('shows the namespaces themselves, and none that is not there', async () => {
    const list = async (user: string) =>
      (await objectsIn(world).list(callOf(user), place(), ALL_NAMESPACES, WHOLE)).items.map(
        ({ metadata }) => metadata.name,
      )
    expect(await list('ned')).toEqual(OWN)
    expect(await list('nora')).toEqual(['c'])
  })

  it('is refused where the role includes no such type, as in a namespace of its own', async () => {
    const refused = await objectsIn(world)
      .list(callOf('ned'), place(), WORKS, WHOLE)
      .catch(error => error)
    expect(refused).toBeInstanceOf(StatusError)
    expect(refused).toMatchObject({ code: 403 })
  })

  it('shows all where the instance’s own RBAC lets its caller list all', async () => {
    const query = { ...WHOLE, labelSelector: 'app' }
    await give('olga', ['a'])
    const rbac = '/apis/rbac.authorization.k8s.io/v1'
    const path = `${rbac}/clusterrolebindings`
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' }
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'olga' }]
    await inside().request({ method: 'POST', path, body: { metadata: { name: 'olga' }, roleRef, subjects } })
    const page = await objectsIn(world).list(callOf('olga'), place(), CONFIG_MAPS, query)
    expect(page.pagination.total).toBe(40)
  })

  it('asks the instance about its rights once, and not for each list or object', async () => {
    const objects = objectsIn(world)
    const caller = callOf('ned')
    let reviews = 0
    const api = world.manager.fleet.connection(world.instance)!
    const request = api.request.bind(api)
    Object.defineProperty(api, 'request', {
      configurable: true,
      value: (one: { path: string }) => {
        if (one.path.includes('subjectaccessreviews')) reviews += 1
        return request(one as never)
      },
    })
    try {
      for (let page = 1; page <= 5; page += 1)
        await objects.list(caller, place(), CONFIG_MAPS, { page, pageSize: 5 })
    } finally {
      Reflect.deleteProperty(api, 'request')
    }
    // One for all namespaces, and one for each of two.
    expect(reviews).toBe(3)
  })
})

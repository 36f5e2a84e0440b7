import { describe, expect, it } from 'vitest'
import { AppsService } from '../../../proto/gen/kairship/apps_pb.js'
import { eventually } from '../support/eventually.js'
import { ManagedWorld, TYPES } from '../support/managed-world.js'

const world = new ManagedWorld(AppsService)
const at = (namespace = 'default') => ({ instance: world.instance, namespace })
const named = (name: string, namespace = 'default') => ({ ...at(namespace), name })
const template = (name: string, image = 'nginx:1.27') => ({
  metadata: { labels: { app: name } },
  spec: { containers: [{ name: 'main', image }] },
})
const deployment = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels: { app: name }, ...metadata },
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: name } },
    template: template(name),
    ...spec,
  },
})
/** Creates a Deployment over REST. */
const create = async (name: string, spec?: object, metadata?: object) => {
  const { data } = await world.calls.rest('createDeployment', {
    ...at(),
    data: JSON.stringify(deployment(name, spec, metadata)),
  })
  return JSON.parse(data)
}
/** Creates one that a policy divides over both members, and waits until it runs. */
async function run(name: string, spec?: object) {
  await world.place('Deployment', name, { apiVersion: 'apps/v1', divided: true })
  await create(name, spec)
  return state(name, 'WORKLOAD_STATE_RUNNING')
}
/** Waits for a state, and returns the Deployment that is in it. */
const state = (name: string, wanted: string) =>
  eventually(`${name} is ${wanted}`, async () => {
    const shown = await world.calls.rest('getDeployment', named(name))
    return shown.status.state === wanted && shown
  })
const names = ({ items }: { items: { metadata: { name: string } }[] }) =>
  items.map(({ metadata }) => metadata.name)

describe('a Deployment of an instance', () => {
  it('is created from YAML in the namespace of the path, and read alike over both wires', async () => {
    const data = `apiVersion: apps/v1
kind: Deployment
metadata: {name: yaml, namespace: elsewhere, labels: {size: "08"}}
spec:
  selector: {matchLabels: {app: yaml}}
  template:
    metadata: {labels: {app: yaml}}
    spec: {containers: [{name: main, image: "nginx:1.27"}]}
`
    const stored = JSON.parse((await world.calls.rest('createDeployment', { ...at(), data })).data)
    expect(stored.metadata).toMatchObject({ name: 'yaml', namespace: 'default', labels: { size: '08' } })
    const shown = await world.calls.read('getDeployment', named('yaml'))
    expect(shown).toMatchObject({
      metadata: { name: 'yaml', cluster: '', uid: stored.metadata.uid },
      spec: { replicas: 1, template: { spec: { containers: [{ image: 'nginx:1.27' }] } } },
      status: { state: 'WORKLOAD_STATE_WAITING', clusters: [] },
    })
    const { data: json } = await world.calls.read('getDeploymentJSON', named('yaml'))
    expect(JSON.parse(json)).toMatchObject({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      spec: { replicas: 1 },
    })
  })

  it('shows where it went, with replicas and health, in itself and in lists', async () => {
    const shown = await run('spread')
    expect(shown.status).toMatchObject({ desiredReplicas: 4, readyReplicas: 4, availableReplicas: 4 })
    expect(shown.status.clusters).toMatchObject(
      world.members.map(name => ({
        name,
        applied: true,
        replicas: 2,
        readyReplicas: 2,
        health: 'Healthy',
        reachable: true,
      })),
    )
    const listed = await world.calls.read('listDeployments', { ...at(), name: 'spread' })
    expect(listed.items).toMatchObject([{ status: { clusters: shown.status.clusters } }])
    const everywhere = await world.calls.read('listInstanceDeployments', {
      instance: world.instance,
      name: 'spread',
    })
    expect(everywhere.items).toEqual(listed.items)
  })

  it('is updated only as it was read, and keeps what the API has no fields for', async () => {
    await create('kept', { minReadySeconds: 7, revisionHistoryLimit: 3 }, { annotations: { note: 'mine' } })
    const { data } = await world.calls.read('getDeploymentJSON', named('kept'))
    const read = JSON.parse(data)
    const change = (replicas: number) =>
      world.calls.overRest('updateDeployment', {
        ...named('kept'),
        data: JSON.stringify({ ...read, spec: { ...read.spec, replicas } }),
      })
    const first = await change(2)
    expect(first.ok, first.text).toBe(true)
    expect(JSON.parse(first.json.data)).toMatchObject({
      metadata: { annotations: { note: 'mine' } },
      spec: { replicas: 2, minReadySeconds: 7, revisionHistoryLimit: 3 },
    })
    const second = await change(5)
    expect(second).toMatchObject({ ok: false, json: { code: 10 } })
    expect((await world.calls.read('getDeployment', named('kept'))).spec.replicas).toBe(2)
  })

  it('is patched: what the patch names changes, null takes away, a list is replaced', async () => {
    await create('patched', {}, { annotations: { a: '1', b: '2' } })
    const data = JSON.stringify({
      metadata: { annotations: { a: null, c: '3' } },
      spec: { replicas: 1, template: { spec: { containers: [{ name: 'other', image: 'web:2' }] } } },
    })
    const patched = JSON.parse(
      (await world.calls.rest('patchDeployment', { ...named('patched'), data })).data,
    )
    expect(patched.metadata.annotations).toEqual({ b: '2', c: '3' })
    expect(patched.spec).toMatchObject({ replicas: 1, selector: { matchLabels: { app: 'patched' } } })
    expect(patched.spec.template.spec.containers).toHaveLength(1)
  })

  it('is paused, restarted only after it is resumed, and restarted in every member', async () => {
    await run('again')
    const paused = await world.calls.rest('pauseDeployment', named('again'))
    expect(paused.deployment).toMatchObject({ metadata: { name: 'again' }, spec: { paused: true } })
    expect(paused.deployment.status.clusters.length).toBe(2)
    const refused = await world.calls.both('restartDeployment', named('again'))
    expect(refused).toMatchObject({ ok: false, json: { code: 9 } })
    expect(refused.json.message).toContain('resume it first')
    const resumed = await world.calls.rest('resumeDeployment', named('again'))
    expect(resumed.deployment.spec.paused).toBe(false)

    const before = await Promise.all(world.members.map(member => podNames(member, 'again')))
    const restarted = await world.calls.rest('restartDeployment', named('again'))
    const { annotations } = restarted.deployment.spec.template.metadata
    expect(Date.parse(annotations['kubectl.kubernetes.io/restartedAt'])).toBeGreaterThan(0)
    await eventually('other pods in both members', async () => {
      const now = await Promise.all(world.members.map(member => podNames(member, 'again')))
      return now.every((pods, index) => pods.length === 2 && !pods.some(pod => before[index]!.includes(pod)))
    })
  })

  it('goes from the members when it is deleted, and is not found then', async () => {
    await run('gone')
    expect(await world.calls.rest('deleteDeployment', named('gone'))).toEqual({})
    for (const member of world.members)
      await world.gone(member, TYPES.deployments, { namespace: 'default', name: 'gone' })
    expect(await world.calls.both('getDeployment', named('gone'))).toMatchObject({
      ok: false,
      json: { code: 5 },
    })
    expect((await world.calls.both('deleteDeployment', named('gone'))).json.code).toBe(5)
  })
})

async function podNames(member: string, app: string): Promise<string[]> {
  const { items } = await world.member(member).local.request<{ items: { metadata: { name: string } }[] }>({
    method: 'GET',
    path: '/api/v1/namespaces/default/pods',
    query: { labelSelector: `app=${app}` },
  })
  return names({ items })
}

describe('a list of Deployments', () => {
  it('finds parts of names, pages, counts and sorts', async () => {
    for (const name of ['list-b', 'list-a', 'list-c']) await create(name, { replicas: 0 })
    const list = (more: object) => world.calls.read('listDeployments', { ...at(), name: 'list-', ...more })
    expect(names(await list({}))).toEqual(['list-a', 'list-b', 'list-c'])
    expect(names(await list({ sortBy: 'field_name', sortDir: 'desc' }))).toEqual([
      'list-c',
      'list-b',
      'list-a',
    ])
    const page = await list({ page: 2, pageSize: 2 })
    expect(names(page)).toEqual(['list-c'])
    expect(page.pagination).toEqual({ total: 3, page: 2, pageSize: 2, pages: 2 })
  })

  it('keeps one state, counts it, and sorts by it', async () => {
    await run('state-running', { replicas: 2 })
    await create('state-waiting')
    await create('state-stopped', { replicas: 0 })
    const list = (more: object) =>
      world.calls.read('listInstanceDeployments', { instance: world.instance, name: 'state-', ...more })
    expect(names(await list({ phase: 'WORKLOAD_STATE_RUNNING' }))).toEqual(['state-running'])
    const stopped = await list({ phase: 'WORKLOAD_STATE_STOPPED', pageSize: 1 })
    expect([names(stopped), stopped.pagination.total]).toEqual([['state-stopped'], 1])
    const sorted = await list({ sortBy: 'state', sortDir: 'asc' })
    expect(names(sorted)).toEqual(['state-running', 'state-stopped', 'state-waiting'])
    expect(names(await list({ sortBy: 'state', sortDir: 'desc' }))).toEqual(names(sorted).reverse())
  })

  it('does not show a workload as ready whose only cluster is down, and shows it again when that is back', async () => {
    const [, down = ''] = world.members
    await world.place('Deployment', 'island', {
      apiVersion: 'apps/v1',
      more: { placement: { clusterAffinity: { clusterNames: [down] } } },
    })
    await create('island', { replicas: 2 })
    await state('island', 'WORKLOAD_STATE_RUNNING')
    const restore = world.member(down).interrupt({ kind: 'refuseConnections' })
    try {
      const shown = await state('island', 'WORKLOAD_STATE_NOT_READY')
      expect(shown.status).toMatchObject({
        readyReplicas: 0,
        desiredReplicas: 2,
        clusters: [{ name: down, reachable: false, readyReplicas: 0, health: 'Unknown' }],
      })
    } finally {
      restore()
    }
    await state('island', 'WORKLOAD_STATE_RUNNING')
  })
})

describe('promotion', () => {
  const [shop, pods] = ['shop', { app: 'promoted' }]
  const there = () => ({ instance: world.instance, cluster: world.members[0]! })
  const promote = (name: string, services: string[] = []) =>
    world.calls.overRest('promoteMemberClusterDeployment', { ...there(), namespace: shop, name, services })

  it('makes templates of a Deployment, its configuration and the named Services, and changes nothing that is there', async () => {
    const [member = ''] = world.members
    const api = world.member(member).local
    await world.create(world.control, TYPES.namespaces, {
      metadata: { name: shop, labels: { team: 'blue' }, annotations: { note: 'kept' } },
    })
    await world.in(member, TYPES.namespaces, { name: shop })
    await world.create(
      api,
      TYPES.configMaps,
      { metadata: { name: 'settings' }, data: { color: 'red' } },
      shop,
    )
    await world.create(
      api,
      TYPES.configMaps,
      { metadata: { name: 'shared' }, data: { from: 'member' } },
      shop,
    )
    await world.create(
      world.control,
      TYPES.configMaps,
      { metadata: { name: 'shared' }, data: { from: 'control plane' } },
      shop,
    )
    await world.create(
      api,
      TYPES.secrets,
      { metadata: { name: 'login' }, stringData: { password: 'x' } },
      shop,
    )
    const main = {
      name: 'main',
      image: 'nginx:1.27',
      envFrom: [
        { configMapRef: { name: 'settings' } },
        { configMapRef: { name: 'shared' } },
        { secretRef: { name: 'login' } },
        { secretRef: { name: 'not-there', optional: true } },
      ],
    }
    await world.create(
      api,
      TYPES.deployments,
      deployment('promoted', {
        replicas: 2,
        template: { metadata: { labels: pods }, spec: { containers: [main] } },
      }),
      shop,
    )
    for (const name of ['front', 'back'])
      await world.create(
        api,
        TYPES.services,
        { metadata: { name }, spec: { selector: pods, ports: [{ port: 80 }] } },
        shop,
      )
    const key = { namespace: shop, name: 'promoted' }
    const before = await world.in(member, TYPES.deployments, key, ({ status }) => status.readyReplicas === 2)

    const promoted = await promote('promoted', ['front', 'front'])
    expect(promoted, promoted.text).toMatchObject({ ok: true, json: {} })
    const shown = await eventually('it runs as a template', async () => {
      const found = await world.calls.rest('getDeployment', { instance: world.instance, ...key })
      return found.status.state === 'WORKLOAD_STATE_RUNNING' && found
    })
    expect(shown.status.clusters).toMatchObject([{ name: member, applied: true, replicas: 2 }])
    for (const [type, name] of [
      [TYPES.configMaps, 'settings'],
      [TYPES.secrets, 'login'],
      [TYPES.services, 'front'],
    ] as const)
      await world.in(world.instance, type, { namespace: shop, name })
    expect(await world.find(world.control, TYPES.services, { namespace: shop, name: 'back' })).toBeUndefined()
    const shared = await world.find(world.control, TYPES.configMaps, { namespace: shop, name: 'shared' })
    expect(shared.data).toEqual({ from: 'control plane' })
    const namespace = await world.find(world.control, TYPES.namespaces, { name: shop })
    expect(namespace.metadata).toMatchObject({ labels: { team: 'blue' }, annotations: { note: 'kept' } })
    const after = await world.in(member, TYPES.deployments, key)
    expect(after.metadata.uid).toBe(before.metadata.uid)
    expect(after.spec.template).toEqual(before.spec.template)
  })

  it('is refused for what is a template already, and for what is not there', async () => {
    const again = await promote('promoted')
    expect(again.ok).toBe(false)
    expect([6, 9]).toContain(again.json.code)
    expect((await promote('nobody')).json.code).toBe(5)
  })

  it('takes everything back when one of its objects cannot be promoted', async () => {
    const [member = ''] = world.members
    await world.create(world.member(member).local, TYPES.deployments, deployment('half'), shop)
    expect((await promote('half', ['nobody'])).json.code).toBe(5)
    expect(
      await world.find(world.control, TYPES.deployments, { namespace: shop, name: 'half' }),
    ).toBeUndefined()
  })

  it('chooses from the Deployments of a member, in all namespaces or one', async () => {
    const list = await world.calls.read('listMemberClusterDeployments', { ...there(), namespace: shop })
    expect(names(list)).toEqual(['half', 'promoted'])
    expect(list.items[0]).toMatchObject({ metadata: { cluster: there().cluster }, status: { clusters: [] } })
    const all = await world.calls.read('listMemberClusterAllDeployments', { ...there(), name: 'hal' })
    expect(names(all)).toEqual(['half'])
    const none = await world.calls.read('listMemberClusterAllDeployments', {
      ...there(),
      namespace: 'default',
      name: 'hal',
    })
    expect(names(none)).toEqual([])
    const nowhere = await world.calls.both('listMemberClusterAllDeployments', {
      ...there(),
      cluster: 'nowhere',
    })
    expect(nowhere).toMatchObject({ ok: false, json: { code: 5 } })
  })
})

describe('a request that is wrong', () => {
  const data = (object: object) => JSON.stringify(object)
  const bad: [string, string, number, RegExp][] = [
    ['malformed YAML', 'a: b: c', 3, /neither JSON nor YAML/],
    ['nothing', '', 3, /data/],
    ['text', '"deployment"', 3, /is not an object/],
    ['several documents', `${data(deployment('a'))}\n---\n${data(deployment('b'))}`, 3, /exactly one/],
    ['another kind', data({ ...deployment('a'), kind: 'StatefulSet' }), 3, /must be "Deployment"/],
    ['another version', data({ ...deployment('a'), apiVersion: 'apps/v1beta1' }), 3, /must be "apps\/v1"/],
    ['no name', data({ ...deployment('a'), metadata: {} }), 3, /metadata\.name/],
    ['a name that is none', data(deployment('Not_A_Name')), 3, /metadata\.name/],
    ['what its type does not have', data(deployment('a', { replica: 1 })), 3, /replica/],
    ['a spec that is refused', data(deployment('a', { replicas: -1 })), 3, /data\.spec\.replicas/],
  ]
  it.each(bad)('is refused on create: %s', async (_, manifest, code, message) => {
    const refused = await world.calls.both('createDeployment', { ...at(), data: manifest })
    expect(refused).toMatchObject({ ok: false, json: { code } })
    expect(refused.text).toMatch(message)
  })

  it('is refused on update where the manifest is about another object', async () => {
    const refused = await world.calls.both('updateDeployment', {
      ...named('web'),
      data: data(deployment('other')),
    })
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
    expect(refused.json.message).toContain('metadata.name')
  })

  it('is refused where it is larger than any object', async () => {
    const big = deployment('big', {}, { annotations: { big: 'x'.repeat(3 << 20) } })
    const refused = await world.calls.overRest('createDeployment', { ...at(), data: data(big) })
    expect(refused.ok).toBe(false)
    expect([3, 8, 11]).toContain(refused.json.code)
  })

  it.each([
    ['a phase that there is not', { phase: 'running' }, /WORKLOAD_STATE_RUNNING/],
    ['a page before the first', { page: -1 }, /pages count from 1/],
    ['a size that is none', { pageSize: -2 }, /pageSize/],
  ])('is refused on list: %s', async (_, more, message) => {
    const refused = await world.calls.both('listDeployments', { ...at(), ...more })
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
    expect(refused.json.message).toMatch(message)
  })

  it.each(['../secrets', '..', '%2e%2e', 'a/b', 'web?x=1', 'ü'])(
    'reaches no other path by the name %s',
    async name => {
      const refused = await world.calls.overRest('getDeployment', named(name))
      expect(refused.ok).toBe(false)
      expect([3, 5]).toContain(refused.json.code)
    },
  )

  it('finds nothing by a hostile name, and does not break', async () => {
    for (const name of ["'; DROP TABLE resources; --", '%', '\\', '*', 'metadata.name=web'])
      expect(names(await world.calls.read('listDeployments', { ...at(), name }))).toEqual([])
  })
})

describe('somebody who may only read', () => {
  it('reads and changes nothing', async () => {
    expect(names(await world.viewer.read('listDeployments', { ...at(), name: 'kept' }))).toEqual(['kept'])
    for (const [rpc, more] of [
      ['createDeployment', { data: JSON.stringify(deployment('refused')) }],
      ['updateDeployment', { name: 'kept', data: JSON.stringify(deployment('kept')) }],
      ['patchDeployment', { name: 'kept', data: '{"spec":{"replicas":9}}' }],
      ['pauseDeployment', { name: 'kept' }],
      ['restartDeployment', { name: 'kept' }],
      ['deleteDeployment', { name: 'kept' }],
    ] as const)
      expect(await world.viewer.both(rpc, { ...at(), ...more }), rpc).toMatchObject({
        ok: false,
        json: { code: 7 },
      })
    expect((await world.calls.read('getDeployment', named('kept'))).spec).toMatchObject({
      replicas: 2,
      paused: false,
    })
  })
})

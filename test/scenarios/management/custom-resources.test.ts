import { beforeAll, describe, expect, it } from 'vitest'
import { ApiextensionsService } from '../../../proto/gen/kairship/apiextensions_pb.js'
import { BOATS, definitionOf } from '../support/boats.js'
import { eventually } from '../support/eventually.js'
import { ManagedWorld, TYPES } from '../support/managed-world.js'

const world = new ManagedWorld(ApiextensionsService)
const boats = (namespace = 'default') => ({ instance: world.instance, ...BOATS, namespace })
const boat = (name: string) => ({ ...boats(), name })
const harbors = () => ({ instance: world.instance, ...BOATS, resource: 'harbors' })
const harbor = (name: string) => ({ ...harbors(), name })
const manifest = (name: string, labels = {}, kind = 'Boat') => ({
  apiVersion: 'example.io/v1',
  kind,
  metadata: { name, labels },
  spec: { crew: 2, names: ['a'], more: { kept: true } },
})
const create = async (name: string, labels = {}, more: object = {}) =>
  JSON.parse(
    (
      await world.calls.rest('createCustomResource', {
        ...boats(),
        ...more,
        data: JSON.stringify(manifest(name, labels)),
      })
    ).data,
  )
const readJson = async (name: string) =>
  JSON.parse((await world.calls.read('getCustomResourceJSON', boat(name))).data)
const names = ({ items }: { items: { name: string }[] }) => items.map(({ name }) => name)

beforeAll(async () => {
  const control = world.control
  const [member = ''] = world.members
  await world.create(control, TYPES.definitions, definitionOf('boats', 'Boat', 'Namespaced'))
  await world.create(control, TYPES.definitions, definitionOf('harbors', 'Harbor', 'Cluster'))
  await world.create(
    world.member(member).local,
    TYPES.definitions,
    definitionOf('boats', 'Boat', 'Namespaced'),
  )
  await eventually('boats are served', () => world.calls.rest('listCustomResources', boats()))
  await eventually('harbors are served', () => world.calls.rest('listClusterCustomResources', harbors()))
  await eventually('boats are served in the member', () =>
    world.calls.rest('listCustomResources', { ...boats(), cluster: member }),
  )
})

describe('a custom resource with a namespace', () => {
  it('is created from YAML, the same over REST and gRPC, replaced at the version that was read, and deleted', async () => {
    const data =
      'apiVersion: example.io/v1\nkind: Boat\nmetadata: {name: jolly, namespace: elsewhere}\nspec: {crew: 3}\n'
    const made = JSON.parse((await world.calls.rest('createCustomResource', { ...boats(), data })).data)
    expect(made.metadata).toMatchObject({ name: 'jolly', namespace: 'default' })
    expect(await world.calls.read('getCustomResource', boat('jolly'))).toMatchObject({
      ...{ kind: 'Boat', apiVersion: 'example.io/v1', name: 'jolly', namespace: 'default' },
      ...{ uid: made.metadata.uid, cluster: '', clusters: [], propagationpolicies: [], overridepolicies: [] },
    })
    const read = await readJson('jolly')
    const put = (object: object) =>
      world.calls.overRest('updateCustomResource', { ...boat('jolly'), data: JSON.stringify(object) })
    const replaced = await put({ ...read, spec: { ...read.spec, crew: 4, unknown: ['kept'] } })
    expect(replaced.ok, replaced.text).toBe(true)
    expect((await readJson('jolly')).spec).toEqual({ crew: 4, unknown: ['kept'] })
    expect((await put(read)).json.code).toBe(10)
    expect(await world.calls.overGrpc('deleteCustomResource', boat(''))).toMatchObject({
      ok: false,
      json: { code: 3 },
    })
    expect(await world.calls.rest('deleteCustomResource', boat('jolly'))).toEqual({})
    expect((await world.calls.both('getCustomResource', boat('jolly'))).json.code).toBe(5)
  })

  it('is patched with each type of patch, also its status alone', async () => {
    await create('patched')
    const patch = async (patchType: string, data: string, more = {}) =>
      JSON.parse(
        (await world.calls.rest('patchCustomResource', { ...boat('patched'), patchType, data, ...more }))
          .data,
      )
    expect((await patch('PATCH_TYPE_MERGE', 'spec: {crew: null, names: [b]}')).spec).toEqual({
      names: ['b'],
      more: { kept: true },
    })
    const operations = JSON.stringify([{ op: 'add', path: '/spec/names/-', value: 'c' }])
    expect((await patch('PATCH_TYPE_JSON', operations)).spec.names).toEqual(['b', 'c'])
    expect((await patch('PATCH_TYPE_APPLY', 'spec: {crew: 9}')).spec).toMatchObject({
      crew: 9,
      names: ['b', 'c'],
    })
    const status = await patch('PATCH_TYPE_UNSPECIFIED', 'status: {afloat: true}\nspec: {crew: 1}', {
      subResources: ['status'],
    })
    expect([status.status, status.spec.crew]).toEqual([{ afloat: true }, 9])
  })

  it.each([
    [{ patchType: 'PATCH_TYPE_STRATEGIC_MERGE' }, /^patchType: .*use PATCH_TYPE_MERGE/],
    [{ subResources: ['status', 'scale'] }, /^subResources: names several/],
    [{ subResources: ['../../secrets'] }, /^subResources: is "\.\.\/\.\.\/secrets"/],
    [{ patchType: 'PATCH_TYPE_JSON' }, /^data: is no list of operations/],
  ])('is not patched with %j', async (more, message) => {
    const refused = await world.calls.both('patchCustomResource', { ...boat('any'), data: '{}', ...more })
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
    expect(refused.json.message).toMatch(message)
  })

  it('is listed in pages, sorted, by parts of its name, labels and fields, in a namespace or in all', async () => {
    for (const name of ['c-paged', 'a-paged', 'b-paged']) await create(name, { tier: name[0] })
    const list = async (more: object) => {
      const found = await world.calls.read('listCustomResources', { ...boats(), name: 'paged', ...more })
      return [names(found), found.pagination.total]
    }
    const sorted = { sortBy: 'field_name', sortDir: 'desc', pageSize: 2 }
    expect(await list({ ...sorted, page: 1 })).toEqual([['c-paged', 'b-paged'], 3])
    expect(await list({ ...sorted, page: 2 })).toEqual([['a-paged'], 3])
    expect(await list({ labelSelector: 'tier in (a,c)', fuzzyName: 'c-' })).toEqual([['c-paged'], 1])
    expect(await list({ fieldSelector: 'metadata.name=b-paged', kind: 'Boat' })).toEqual([['b-paged'], 1])
    const { namespace: _, ...everywhere } = boats()
    const all = await world.calls.read('listClusterCustomResources', { ...everywhere, fuzzyName: 'paged' })
    expect(names(all)).toEqual(['a-paged', 'b-paged', 'c-paged'])
    expect(await world.calls.both('listCustomResources', { ...boats(), kind: 'Ship' })).toMatchObject({
      ok: false,
      json: { code: 3, message: 'kind: is "Ship", but boats are Boat' },
    })
    for (const more of [{ labelSelector: 'a in (' }, { fieldSelector: 'spec.x=y' }, { page: -1 }])
      expect((await world.calls.both('listCustomResources', { ...boats(), ...more })).json.code).toBe(3)
  })

  it('has its clusters and its policies, and is found in the member', async () => {
    const [member = ''] = world.members
    const selector = { apiVersion: 'example.io/v1', kind: 'Boat', name: 'placed' }
    await world.create(world.control, TYPES.policies, {
      metadata: { name: 'boats' },
      spec: { resourceSelectors: [selector], placement: { clusterAffinity: { clusterNames: [member] } } },
    })
    const overriders = { labelsOverrider: [{ operator: 'add', value: { painted: 'red' } }] }
    await world.create(world.control, TYPES.overridePolicies, {
      metadata: { name: 'paint' },
      spec: { resourceSelectors: [selector], overrideRules: [{ overriders }] },
    })
    // The scheduler passes over clusters that are not known to serve the type.
    await world.in(world.instance, TYPES.clusters, { name: member }, ({ status }) =>
      status.apiEnablements.some(
        ({ groupVersion }: { groupVersion: string }) => groupVersion === 'example.io/v1',
      ),
    )
    await create('placed')
    const shown = await eventually('it is applied', async () => {
      const found = await world.calls.rest('getCustomResource', boat('placed'))
      return found.clusters[0]?.applied && found
    })
    expect(shown).toMatchObject({
      clusters: [{ name: member, applied: true }],
      propagationpolicies: ['boats'],
      overridepolicies: ['paint'],
    })
    expect((await world.calls.read('listCustomResources', { ...boats(), name: 'placed' })).items).toEqual([
      shown,
    ])
    const there = await world.calls.read('getCustomResource', { ...boat('placed'), cluster: member })
    expect(there).toMatchObject({ cluster: member, labels: { painted: 'red' }, clusters: [] })
  })

  it('of a member is written there and not in the instance', async () => {
    const [cluster = ''] = world.members
    await create('local', {}, { cluster })
    expect((await world.calls.read('getCustomResource', { ...boat('local'), cluster })).cluster).toBe(cluster)
    expect((await world.calls.both('getCustomResource', boat('local'))).json.code).toBe(5)
    expect(
      names(await world.calls.read('listCustomResources', { ...boats(), cluster, name: 'local' })),
    ).toEqual(['local'])
    await world.calls.rest('deleteCustomResource', { ...boat('local'), cluster })
    expect((await world.calls.both('getCustomResource', { ...boat('local'), cluster })).json.code).toBe(5)
    const records = world.world.log.audits().map(({ target }) => target)
    expect(records).toContainEqual({
      ...{ instance: world.instance, cluster, verb: 'delete', ...BOATS },
      ...{ namespace: 'default', name: 'local' },
    })
    expect((await world.calls.both('getCustomResource', { ...boat('x'), cluster: '' })).json).toMatchObject({
      code: 3,
      message: 'cluster: is required',
    })
  })

  it('is not followed as another kind than its own', async () => {
    const refused = await world.calls.overRest('watchCustomResources', { ...boats(), kind: 'Harbor' })
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
    expect(refused.json.message).toBe('kind: is "Harbor", but boats are Boat')
  })

  it('is followed in its namespace and in all', async () => {
    const { namespace: _, ...everywhere } = boats()
    const { rest, grpc } = world.calls.follow('watchCustomResources', {
      ...everywhere,
      kind: 'Boat',
      name: 'followed',
    })
    const told = ({ steps }: typeof rest) =>
      steps.map(({ type, total, resource }) => [
        type,
        total,
        (resource as { name: string } | undefined)?.name,
      ])
    const has = (count: number) =>
      eventually('both wires tell', () => Math.min(rest.steps.length, grpc.steps.length) >= count, {
        story: () => rest.text() + grpc.text(),
      })
    try {
      await has(2)
      await create('followed')
      await has(3)
      await world.calls.rest('deleteCustomResource', boat('followed'))
      await has(4)
      expect(told(rest)).toEqual([
        ['RESET', 0, undefined],
        ['BOOKMARK', 0, undefined],
        ['ADDED', 1, 'followed'],
        ['DELETED', 0, 'followed'],
      ])
      expect(told(grpc)).toEqual(told(rest))
    } finally {
      rest.close()
      grpc.close()
    }
  })

  it.each([
    ['malformed YAML', 'a: b: c', /neither JSON nor YAML/],
    ['several documents', 'a: 1\n---\nb: 2', /exactly one/],
    [
      'another kind',
      JSON.stringify(manifest('x', {}, 'Harbor')),
      /data\.kind: is "Harbor", but must be "Boat"/,
    ],
    ['no name', JSON.stringify({ ...manifest('x'), metadata: {} }), /data\.metadata\.name: is required/],
    [
      'what its schema refuses',
      JSON.stringify({ ...manifest('x'), spec: { crew: 'many' } }),
      /data\.spec\.crew/,
    ],
  ])('is refused on create: %s', async (_, data, message) => {
    const refused = await world.calls.both('createCustomResource', { ...boats(), data })
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
    expect(refused.text).toMatch(message)
  })
})

describe('a Work as a custom resource', () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login' },
    data: { password: 'YzRuNHJ5' },
  }
  const works = () => ({
    ...{ instance: world.instance, group: 'work.karmada.io', version: 'v1alpha1', resource: 'works' },
    namespace: `karmada-es-${world.members[0]}`,
  })
  const work = () => ({ ...works(), name: 'applied' })
  const applied = {
    ...{ apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work' },
    metadata: {
      name: 'applied',
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(secret) },
    },
    spec: { workload: { manifests: [secret] } },
  }
  beforeAll(async () => {
    const type = { group: 'work.karmada.io', version: 'v1alpha1', resource: 'works' }
    await world.create(world.control, type, applied, works().namespace)
  })

  it('is read without the values of its Secrets', async () => {
    const { data } = await world.calls.read('getCustomResourceJSON', work())
    expect(JSON.parse(data).spec.workload.manifests).toMatchObject([{ data: { password: '' } }])
    const shown = await world.calls.read('getCustomResource', work())
    const list = await world.calls.read('listCustomResources', works())
    expect([shown.name, names(list)]).toEqual(['applied', expect.arrayContaining(['applied'])])
    expect(JSON.stringify([data, shown, list])).not.toContain('YzRuNHJ5')
  })

  it('is not written, as what was read would empty the Secrets, and is deleted', async () => {
    const data = JSON.stringify(applied)
    for (const [rpc, request] of [
      ['createCustomResource', { ...works(), data }],
      ['updateCustomResource', { ...work(), data }],
      ['patchCustomResource', { ...work(), data: '{"metadata":{"labels":{"a":"b"}}}' }],
    ] as const) {
      const refused = await world.calls.both(rpc, request)
      expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
      expect(refused.text).toContain('which Karmada alone writes')
    }
    expect(await world.calls.rest('deleteCustomResource', work())).toEqual({})
  })
})

describe('a custom resource without a namespace', () => {
  it('is created, read, listed, replaced, patched and deleted', async () => {
    const data = JSON.stringify(manifest('east', {}, 'Harbor'))
    await world.calls.rest('createClusterCustomResource', { ...harbors(), data })
    expect(await world.calls.read('getClusterCustomResource', harbor('east'))).toMatchObject({
      ...{ kind: 'Harbor', name: 'east', namespace: '' },
    })
    expect(
      names(await world.calls.read('listClusterCustomResources', { ...harbors(), fuzzyName: 'eas' })),
    ).toEqual(['east'])
    const read = JSON.parse((await world.calls.read('getClusterCustomResourceJSON', harbor('east'))).data)
    const put = () =>
      world.calls.overRest('updateClusterCustomResource', {
        ...harbor('east'),
        data: JSON.stringify({ ...read, spec: { crew: 7 } }),
      })
    expect((await put()).ok).toBe(true)
    expect((await put()).json.code).toBe(10)
    const patched = await world.calls.rest('patchClusterCustomResource', {
      ...harbor('east'),
      data: '{"spec":{"more":1}}',
    })
    expect(JSON.parse(patched.data).spec).toEqual({ crew: 7, more: 1 })
    expect(await world.calls.rest('deleteClusterCustomResource', harbor('east'))).toEqual({})
    expect((await world.calls.both('getClusterCustomResource', harbor('east'))).json.code).toBe(5)
  })
})

describe('the type of a request', () => {
  it.each([
    [
      { resource: 'ships' },
      3,
      /^resource: is "ships", but instance .* has no CustomResourceDefinition ships\.example\.io$/,
    ],
    [
      { version: 'v2' },
      3,
      /^version: is "v2", but CustomResourceDefinition boats\.example\.io .* serves v1$/,
    ],
    [{ version: 'v1beta1' }, 3, /^version: is "v1beta1"/],
    [{ group: 'apps', resource: 'deployments' }, 3, /^group: is "apps", which is Kubernetes’ own/],
    [{ group: 'rbac.authorization.k8s.io', resource: 'roles' }, 3, /^group: /],
    [{ resource: 'harbors' }, 3, /^namespace: must be absent: harbors have none/],
    [{ resource: 'boats/status' }, 3, /^resource: is "boats\/status", which is no resource of an API/],
  ])('is refused when it is not a custom resource that fits: %j', async (more, code, message) => {
    for (const rpc of ['listCustomResources', 'getCustomResource'] as const) {
      const request = { ...boats(), ...more, ...(rpc === 'getCustomResource' && { name: 'x' }) }
      const refused = await world.calls.both(rpc, request)
      expect(refused).toMatchObject({ ok: false, json: { code } })
      expect(refused.json.message).toMatch(message)
    }
  })

  it('is never Secret, whether by the empty group or by a path in its parts', async () => {
    await world.create(world.control, TYPES.secrets, {
      metadata: { name: 'hidden' },
      stringData: { key: 'canary-1' },
    })
    for (const more of [
      { group: '', resource: 'secrets' },
      { group: '..', version: '..', resource: 'secrets' },
      { group: 'example.io', version: '../../api/v1', resource: 'secrets' },
      { group: 'v1', version: 'v1', resource: 'secrets' },
    ]) {
      const { ok, json, text } = await world.calls.overGrpc('getCustomResource', {
        ...boat('hidden'),
        ...more,
      })
      expect([ok, json.code], JSON.stringify(more)).toEqual([false, 3])
      expect(text).not.toContain('canary-1')
    }
  })

  it('that is cluster-scoped is refused with a namespace', async () => {
    const { namespace: _, ...request } = boat('x')
    const refused = await world.calls.both('getClusterCustomResource', request)
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
    expect(refused.json.message).toMatch(/^namespace: is required: boats have one/)
  })

  it('needs rights of its own, also for callers who may not read CRDs', async () => {
    const policies = { group: 'policy.karmada.io', version: 'v1alpha1', resource: 'propagationpolicies' }
    const found = await world.viewer.read('listCustomResources', { ...boats(), ...policies, name: 'boats' })
    expect(names(found)).toEqual(['boats'])
    expect((await world.viewer.both('listCustomResources', boats())).json.code).toBe(7)
    expect((await world.viewer.both('deleteCustomResource', boat('x'))).json.code).toBe(7)
  })
})

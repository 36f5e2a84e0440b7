import { describe, expect, it } from 'vitest'
import { ApiextensionsService } from '../../../proto/gen/kairship/apiextensions_pb.js'
import { definitionOf } from '../support/boats.js'
import { eventually } from '../support/eventually.js'
import { ManagedWorld, TYPES } from '../support/managed-world.js'
import { EMPTY, told, whileFollowing } from '../support/while-following.js'

const world = new ManagedWorld(ApiextensionsService)
const at = () => ({ instance: world.instance })
const named = (name: string) => ({ ...at(), name })
const create = (
  plural: string,
  kind: string,
  scope: 'Namespaced' | 'Cluster' = 'Namespaced',
  group?: string,
) =>
  world.calls.rest('createCustomResourceDefinition', {
    ...at(),
    data: JSON.stringify(definitionOf(plural, kind, scope, group)),
  })
const list = async (more: object) => {
  const { items, pagination } = await world.calls.read('listCustomResourceDefinitions', { ...at(), ...more })
  return [items.map(({ metadata }: { metadata: { name: string } }) => metadata.name), pagination.total]
}
const established = (name: string) =>
  eventually(`${name} is established`, async () => {
    const shown = await world.calls.rest('getCustomResourceDefinition', named(name))
    return shown.status.conditions.some(
      ({ type, status }: { type: string; status: string }) => type === 'Established' && status === 'True',
    )
  })

describe('a CustomResourceDefinition', () => {
  it('is created, the same over REST and gRPC, replaced at the version that was read, patched and deleted', async () => {
    const made = JSON.parse((await create('boats', 'Boat')).data)
    await established('boats.example.io')
    expect(await world.calls.read('getCustomResourceDefinition', named('boats.example.io'))).toMatchObject({
      metadata: { name: 'boats.example.io', uid: made.metadata.uid },
      spec: {
        group: 'example.io',
        scope: 'NAMESPACED',
        names: { plural: 'boats', kind: 'Boat', shortNames: ['bo'] },
        versions: [
          { name: 'v1', served: true, storage: true },
          { name: 'v1beta1', served: false },
        ],
      },
      status: { storedVersions: ['v1'] },
    })
    const read = JSON.parse(
      (await world.calls.read('getCustomResourceDefinitionJSON', named('boats.example.io'))).data,
    )
    expect(read.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.crew).toEqual({
      type: 'integer',
    })
    read.spec.names.categories = ['all']
    const put = (object: object) =>
      world.calls.overRest('updateCustomResourceDefinition', {
        ...named('boats.example.io'),
        data: JSON.stringify(object),
      })
    const replaced = await put(read)
    expect(replaced.ok, replaced.text).toBe(true)
    expect((await put(read)).json.code).toBe(10)
    const patched = JSON.parse(
      (
        await world.calls.rest('patchCustomResourceDefinition', {
          ...named('boats.example.io'),
          data: 'metadata: {labels: {made: null, note: kept}}',
        })
      ).data,
    )
    expect([patched.metadata.labels, patched.spec.names.categories]).toEqual([{ note: 'kept' }, ['all']])
    expect(await world.calls.overGrpc('deleteCustomResourceDefinition', named(''))).toMatchObject({
      ok: false,
      json: { code: 3 },
    })
    expect(await world.calls.rest('deleteCustomResourceDefinition', named('boats.example.io'))).toEqual({})
    await eventually(
      'it is gone',
      async () => !(await world.calls.overRest('getCustomResourceDefinition', named('boats.example.io'))).ok,
    )
  })

  it('is listed by group, name, part of a name, labels and conditions; groups are listed once each', async () => {
    await create('cats', 'Cat', 'Namespaced', 'zoo.example.io')
    await create('dogs', 'Dog', 'Cluster', 'zoo.example.io')
    await established('cats.zoo.example.io')
    await established('dogs.zoo.example.io')
    const zoo = { group: 'zoo.example.io' }
    expect(await list({ ...zoo, sortBy: 'field_name', sortDir: 'desc', pageSize: 1, page: 2 })).toEqual([
      ['cats.zoo.example.io'],
      2,
    ])
    expect(await list({ name: 'dogs.zoo.example.io' })).toEqual([['dogs.zoo.example.io'], 1])
    expect(await list({ name: 'dogs' })).toEqual([[], 0])
    expect(await list({ fuzzyName: 'gs.zoo' })).toEqual([['dogs.zoo.example.io'], 1])
    expect((await list({ labelSelector: 'made=by-test' }))[1]).toBe(2)
    expect(await list({ ...zoo, status: ['Established', 'Terminating'] })).toEqual([
      ['cats.zoo.example.io', 'dogs.zoo.example.io'],
      2,
    ])
    expect(await list({ ...zoo, status: ['Terminating'] })).toEqual([[], 0])
    const { items } = await world.calls.read('listCustomResourceDefinitionGroups', at())
    expect(items).toEqual([...new Set(items)].sort())
    expect(items).toEqual(expect.arrayContaining(['policy.karmada.io', 'zoo.example.io']))
  })

  it('of a member is read there', async () => {
    const [cluster = ''] = world.members
    await world.create(
      world.member(cluster).local,
      TYPES.definitions,
      definitionOf('birds', 'Bird', 'Cluster'),
    )
    expect(await list({ cluster, fuzzyName: 'birds' })).toEqual([['birds.example.io'], 1])
    const request = { ...named('birds.example.io'), cluster }
    expect((await world.calls.read('getCustomResourceDefinition', request)).metadata.cluster).toBe(cluster)
    expect(JSON.parse((await world.calls.read('getCustomResourceDefinitionJSON', request)).data).kind).toBe(
      'CustomResourceDefinition',
    )
    expect(
      (await world.calls.read('listCustomResourceDefinitionGroups', { ...at(), cluster })).items,
    ).toEqual(['example.io'])
    expect((await world.calls.both('getCustomResourceDefinition', named('birds.example.io'))).json.code).toBe(
      5,
    )
  })

  it('is followed', async () => {
    const { rest, grpc } = world.calls.follow('watchCustomResourceDefinitions', {
      ...at(),
      fuzzyName: 'fish',
    })
    const shown = ({ steps }: typeof rest) =>
      steps
        .map(step => [
          step.type,
          (step.definition as { metadata?: { name: string } } | undefined)?.metadata?.name,
        ])
        .filter(([type]) => type !== 'MODIFIED')
    const has = (count: number) =>
      eventually('both wires tell', () => Math.min(shown(rest).length, shown(grpc).length) >= count, {
        story: () => rest.text() + grpc.text(),
      })
    try {
      await has(2)
      await create('fish', 'Fish')
      await has(3)
      await world.calls.rest('deleteCustomResourceDefinition', named('fish.example.io'))
      await has(4)
      expect(shown(rest)).toEqual([
        ['RESET', undefined],
        ['BOOKMARK', undefined],
        ['ADDED', 'fish.example.io'],
        ['DELETED', 'fish.example.io'],
      ])
      expect(shown(grpc)).toEqual(shown(rest))
    } finally {
      rest.close()
      grpc.close()
    }
  })

  it('is followed by its whole name', async () => {
    const request = named('owls.example.io')
    await whileFollowing(world.calls, 'watchCustomResourceDefinitions', request, 'definition', async told => {
      expect(await told(2)).toEqual(EMPTY)
      await create('barnowls', 'BarnOwl', 'Cluster')
      await create('owls', 'Owl', 'Cluster')
      expect((await told(3))[2]).toEqual(['ADDED', 1, 'owls.example.io'])
    })
  })

  it('is followed by its group, from when it has a condition', async () => {
    const request = { ...at(), group: 'aviary.example.io', status: ['Established'] }
    const { rest, grpc } = world.calls.follow('watchCustomResourceDefinitions', request)
    try {
      for (const one of [rest, grpc]) expect(await told(one, 2, 'definition')).toEqual(EMPTY)
      await create('eagles', 'Eagle', 'Cluster', 'other.example.io')
      await create('hawks', 'Hawk', 'Cluster', 'aviary.example.io')
      for (const one of [rest, grpc]) {
        const added = ['ADDED', 1, 'hawks.aviary.example.io']
        expect((await told(one, 3, 'definition'))[2]).toEqual(added)
        const shown = one.steps[2] as { definition: { status: { conditions: object[] } } } | undefined
        expect(shown?.definition.status.conditions).toContainEqual(
          expect.objectContaining({ type: 'Established', status: 'True' }),
        )
      }
    } finally {
      rest.close()
      grpc.close()
    }
  })

  it('of a member is followed there', async () => {
    const cluster = world.members[1] ?? ''
    const request = { ...at(), cluster, group: 'example.io' }
    await whileFollowing(world.calls, 'watchCustomResourceDefinitions', request, 'definition', async told => {
      expect(await told(2)).toEqual(EMPTY)
      const definition = definitionOf('geese', 'Goose', 'Cluster')
      await world.create(world.member(cluster).local, TYPES.definitions, definition)
      expect((await told(3))[2]).toEqual(['ADDED', 1, 'geese.example.io'])
    })
  })

  it.each([
    ['malformed YAML', 'a: b: c', /neither JSON nor YAML/],
    ['several documents', 'a: 1\n---\nb: 2', /exactly one/],
    ['another kind', JSON.stringify({ ...definitionOf('x', 'X', 'Cluster'), kind: 'Secret' }), /data\.kind/],
    [
      'a name that is not its own',
      JSON.stringify({ ...definitionOf('x', 'X', 'Cluster'), metadata: { name: 'y.example.io' } }),
      /metadata\.name/,
    ],
    [
      'a group without a dot, as Kubernetes’ own are',
      JSON.stringify(definitionOf('x', 'X', 'Cluster', 'apps')),
      /spec\.group/,
    ],
  ])('is refused on create: %s', async (_, data, message) => {
    const refused = await world.calls.both('createCustomResourceDefinition', { ...at(), data })
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
    expect(refused.text).toMatch(message)
  })

  it('is refused for callers who may read only workloads', async () => {
    expect((await world.viewer.both('listCustomResourceDefinitions', at())).json.code).toBe(7)
  })
})

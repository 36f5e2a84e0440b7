import { isDeepStrictEqual } from 'node:util'
import type { DescService, JsonObject } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { eventually } from './eventually.js'
import type { Following } from './following.js'
import type { ManagedWorld, TYPES } from './managed-world.js'

type Shown = { readonly metadata: { readonly name: string } }
type Rpc<S extends DescService> = keyof S['method'] & string

/** A kind with the usual operations, for the claims that hold for each such kind. */
export interface UsualKind<S extends DescService> {
  readonly world: ManagedWorld<S>
  readonly type: (typeof TYPES)[keyof typeof TYPES]
  readonly kind: string
  readonly namespaced: boolean
  readonly rpcs: Readonly<
    Record<'list' | 'get' | 'json' | 'create' | 'update' | 'remove' | 'watch', Rpc<S>> & { listAll?: Rpc<S> }
  >
  /** The field of the object in the answers of get and watch. */
  readonly field: string
  /** A spec that is stored, with a field that the control plane keeps as it is. */
  readonly spec: JsonObject
  /** A change of it. */
  readonly changed: JsonObject
  /** A spec that the control plane refuses, and what it says. */
  readonly refused: readonly [object, RegExp]
}

/** Claims about a kind that all kinds of the management API share. */
export function kindSuite<S extends DescService>(suite: UsualKind<S>): void {
  const { world, type, kind, namespaced, rpcs, field, spec, changed } = suite
  const apiVersion = `${type.group}/${type.version}`
  const at = () => ({ instance: world.instance, ...(namespaced && { namespace: 'default' }) })
  const named = (name: string) => ({ ...at(), name })
  const manifest = (name: string, more: JsonObject = {}): JsonObject => ({
    apiVersion,
    kind,
    metadata: { name, ...more },
    spec,
  })
  const create = async (name: string, metadata?: JsonObject) => {
    const request = { ...at(), data: JSON.stringify(manifest(name, metadata)) }
    return JSON.parse((await world.calls.rest(rpcs.create, request)).data)
  }
  const put = (name: string, object: object) =>
    world.calls.overRest(rpcs.update, { ...named(name), data: JSON.stringify(object) })
  const readJson = async (name: string) => JSON.parse((await world.calls.read(rpcs.json, named(name))).data)
  const namesOf = ({ items }: { items: { metadata: { name: string } }[] }) =>
    items.map(({ metadata }) => metadata.name)

  describe(`a ${kind}`, () => {
    it('is created from YAML in the namespace of the path, and the same over REST and gRPC', async () => {
      const data = `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: from-yaml\n  labels: {size: "08"}\n${
        namespaced ? '  namespace: elsewhere\n' : ''
      }spec: ${JSON.stringify(spec)}\n`
      const stored = JSON.parse((await world.calls.rest(rpcs.create, { ...at(), data })).data)
      expect(stored.metadata).toMatchObject({ name: 'from-yaml', labels: { size: '08' } })
      expect(stored.metadata.namespace).toBe(namespaced ? 'default' : undefined)
      const shown = (await world.calls.read(rpcs.get, named('from-yaml')))[field]
      expect(shown.metadata).toMatchObject({ uid: stored.metadata.uid, cluster: '', labels: { size: '08' } })
      expect(await readJson('from-yaml')).toMatchObject({ apiVersion, kind, spec })
    })

    it('is replaced only at the version that was read, and keeps fields that the API lacks', async () => {
      await create('replaced', { annotations: { note: 'mine' }, finalizers: ['test.io/kept'] })
      const read = await readJson('replaced')
      const first = await put('replaced', { ...read, spec: { ...read.spec, ...changed } })
      expect(first.ok, first.text).toBe(true)
      expect(JSON.parse(first.json.data)).toMatchObject({
        metadata: { annotations: { note: 'mine' }, finalizers: expect.arrayContaining(['test.io/kept']) },
        spec: { ...spec, ...changed },
      })
      expect(await put('replaced', read)).toMatchObject({ ok: false, json: { code: 10 } })
      const { resourceVersion: _, ...metadata } = read.metadata
      const anyhow = await put('replaced', { ...read, metadata })
      expect(anyhow.ok, anyhow.text).toBe(true)
      expect((await readJson('replaced')).spec).toEqual(read.spec)
      const key = { name: 'replaced', ...(namespaced && { namespace: 'default' }) }
      await world.patch(world.control, type, key, { metadata: { finalizers: null } })
      expect((await put('absent', manifest('absent'))).json.code).toBe(5)
    })

    it('is listed in pages, sorted, by parts of its name, labels and fields, with the total', async () => {
      for (const name of ['c-paged', 'a-paged', 'b-paged']) await create(name, { labels: { tier: name[0]! } })
      const list = async (more: JsonObject) => {
        const found = await world.calls.read(rpcs.list, { ...at(), name: 'paged', ...more })
        return [namesOf(found), found.pagination.total]
      }
      await eventually('all are listed', async () => (await list({}))[1] === 3)
      const sorted = { sortBy: 'field_name', sortDir: 'desc', pageSize: 2 }
      expect(await list({ ...sorted, page: 1 })).toEqual([['c-paged', 'b-paged'], 3])
      expect(await list({ ...sorted, page: 2 })).toEqual([['a-paged'], 3])
      const walked: unknown[] = []
      for (let pageToken: unknown = ''; pageToken !== undefined; ) {
        const found = await world.calls.read(rpcs.list, {
          ...at(),
          name: 'paged',
          ...sorted,
          pageToken,
        } as JsonObject)
        walked.push([namesOf(found), found.pagination.page])
        pageToken = found.pagination.nextPageToken
        if (pageToken === undefined) break
        const stranger = { ...at(), name: 'page', ...sorted, pageToken } as JsonObject
        expect(await world.calls.both(rpcs.list, stranger)).toMatchObject({ ok: false, json: { code: 3 } })
      }
      expect(walked).toEqual([
        [['c-paged', 'b-paged'], 1],
        [['a-paged'], 2],
      ])
      expect(await list({ fuzzyName: 'b-' })).toEqual([['b-paged'], 1])
      expect(await list({ labelSelector: 'tier in (a,c)' })).toEqual([['a-paged', 'c-paged'], 2])
      expect(await list({ fieldSelector: 'metadata.name=c-paged' })).toEqual([['c-paged'], 1])
      expect(await list({ name: 'nothing' })).toEqual([[], 0])
      if (rpcs.listAll) {
        const request = { instance: world.instance, name: 'paged' }
        expect(namesOf(await world.calls.read(rpcs.listAll, request))).toHaveLength(3)
        const elsewhere = { ...request, namespace: 'kube-system' }
        expect(namesOf(await world.calls.read(rpcs.listAll, elsewhere))).toEqual([])
        expect(
          namesOf(await world.calls.read(rpcs.listAll, { ...request, labelSelector: 'tier=b' })),
        ).toEqual(['b-paged'])
      }
    })

    it('is deleted alone, and never without its name', async () => {
      await create('deleted')
      await create('stays')
      expect(await world.calls.overGrpc(rpcs.remove, named(''))).toMatchObject({
        ok: false,
        json: { code: 3 },
      })
      expect((await world.calls.overRest(rpcs.remove, named(''))).ok).toBe(false)
      expect(await world.calls.rest(rpcs.remove, named('deleted'))).toEqual({})
      expect((await world.calls.both(rpcs.get, named('deleted'))).json.code).toBe(5)
      expect((await world.calls.both(rpcs.json, named('deleted'))).json.code).toBe(5)
      expect((await world.calls.both(rpcs.remove, named('deleted'))).json.code).toBe(5)
      expect((await readJson('stays')).kind).toBe(kind)
    })

    it('is followed with the filter of its list, over REST and gRPC', async () => {
      await create('followed-a', { labels: { follow: 'x' } })
      const request = { ...at(), labelSelector: 'follow=x', name: 'followed' }
      const { rest, grpc } = world.calls.follow(rpcs.watch, request)
      try {
        // Karmada and finalizers may modify an object at any time.
        const told = ({ steps }: Following) =>
          steps
            .map(step => [step.type, step.total, (step[field] as Shown | undefined)?.metadata.name])
            .filter(([type]) => type !== 'MODIFIED')
        const has = (steps: number) =>
          eventually('both wires tell', () => Math.min(told(rest).length, told(grpc).length) >= steps, {
            story: () => `${rest.text()}\n${grpc.text()}`,
          })
        await has(3)
        await create('followed-b', { labels: { follow: 'x' } })
        await has(4)
        const key = { name: 'followed-b', ...(namespaced && { namespace: 'default' }) }
        await world.patch(world.control, type, key, { metadata: { labels: { follow: 'y' } } })
        await has(5)
        await world.calls.rest(rpcs.remove, named('followed-a'))
        await has(6)
        expect(told(rest)).toEqual([
          ['RESET', 0, undefined],
          ['ADDED', 1, 'followed-a'],
          ['BOOKMARK', 1, undefined],
          ['ADDED', 2, 'followed-b'],
          ['LEFT', 1, 'followed-b'],
          ['DELETED', 0, 'followed-a'],
        ])
        expect(told(grpc)).toEqual(told(rest))
      } finally {
        rest.close()
        grpc.close()
      }
    })

    it('may be read by readers and written by writers only; refusals leave audit records', async () => {
      await create('guarded')
      expect((await world.viewer.read(rpcs.get, named('guarded')))[field].metadata.name).toBe('guarded')
      const refused = await world.viewer.overRest(rpcs.remove, named('guarded'))
      expect(refused).toMatchObject({ ok: false, json: { code: 7 } })
      expect((await readJson('guarded')).metadata.deletionTimestamp).toBeUndefined()
      await world.calls.rest(rpcs.remove, named('guarded'))
      const target = {
        ...{ instance: world.instance, verb: 'delete', name: 'guarded' },
        ...{ group: type.group, version: type.version, resource: type.resource },
        ...(namespaced && { namespace: 'default' }),
      }
      const records = world.world.log.audits().filter(({ target: one }) => isDeepStrictEqual(one, target))
      expect(records.map(({ outcome }) => outcome)).toEqual(['denied', 'succeeded'])
    })
  })

  describe(`an invalid request about a ${kind}`, () => {
    it.each([
      ['malformed YAML', 'a: b: c', /neither JSON nor YAML/],
      [
        'several documents',
        `${JSON.stringify(manifest('x'))}\n---\n${JSON.stringify(manifest('y'))}`,
        /exactly one/,
      ],
      ['a list', '[]', /is not an object/],
      ['another kind', JSON.stringify({ ...manifest('x'), kind: 'ConfigMap' }), /data\.kind: .*must be/],
      [
        'another version',
        JSON.stringify({ ...manifest('x'), apiVersion: 'v1' }),
        /data\.apiVersion: .*must be/,
      ],
      ['no name', JSON.stringify({ ...manifest('x'), metadata: {} }), /data\.metadata\.name: is required/],
      ['a name that is none', JSON.stringify(manifest('Not_A_Name')), /metadata\.name/],
      [
        'what the type does not have',
        JSON.stringify({ ...manifest('x'), spec: { ...spec, typo: 1 } }),
        /typo/,
      ],
      [
        'a spec that is refused',
        JSON.stringify({ ...manifest('x'), spec: suite.refused[0] }),
        suite.refused[1],
      ],
    ])('is refused on create: %s', async (_, data, message) => {
      const refused = await world.calls.both(rpcs.create, { ...at(), data })
      expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
      expect(refused.text).toMatch(message)
    })

    it('is refused on update with the name of another object', async () => {
      const data = JSON.stringify(manifest('other'))
      const refused = await world.calls.both(rpcs.update, { ...named('one'), data })
      expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
      expect(refused.text).toMatch(/data\.metadata\.name: is "other", but must be "one"/)
    })

    it.each([
      [{ labelSelector: 'a in (' }],
      [{ labelSelector: '=;DROP TABLE' }],
      [{ fieldSelector: 'spec.secret=x' }],
      [{ fieldSelector: 'metadata.name' }],
      [{ page: -1 }],
      [{ pageSize: -2 }],
      [{ pageToken: 'x' }],
    ])('is refused on list: %j', async more => {
      const refused = await world.calls.both(rpcs.list, { ...at(), ...more })
      expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
    })

    it('cannot leave its path: a name is one segment', async () => {
      for (const name of ['../secrets', 'a/b', '..', '%2e%2e']) {
        const { ok, json } = await world.calls.overGrpc(rpcs.get, named(name))
        expect([ok, json.code], name).toEqual([false, 3])
      }
    })
  })
}

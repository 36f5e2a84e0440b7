import { expect } from 'vitest'
import { PATIENCE_MS, waitFor } from '../../../patience.js'
import { behaviour, type Group, type Json } from '../behaviour.js'
import { api, boat, boats, crds, definition, servesBoats } from './boats.js'

/** Custom resources: definitions, subresources, columns and what all objects can do. */
export const custom: Group = {
  name: 'custom',
  prepare: servesBoats,
  behaviours: [
    behaviour('a definition becomes Established and its names accepted', async k => {
      const { body } = await k.admin.get(`${crds}/boats.suite.example.test`)
      const status = (type: string): string =>
        body.status.conditions.find((condition: Json) => condition.type === type)?.status
      expect([status('NamesAccepted'), status('Established')]).toEqual(['True', 'True'])
      expect(body.status.acceptedNames).toMatchObject({ plural: 'boats', kind: 'Boat', listKind: 'BoatList' })
      expect(body.status.storedVersions).toEqual(['v1'])
    }),
    behaviour('a definition’s list kind and conversion are defaulted', async k => {
      const { body } = await k.admin.get(`${crds}/boats.suite.example.test`)
      expect(body.spec.names.listKind).toBe('BoatList')
      expect(body.spec.conversion).toEqual({ strategy: 'None' })
    }),
    behaviour('a definition whose name is not plural.group is Invalid', async k => {
      const { status, body } = await k.admin.post(crds, {
        ...definition('suite.example.test'),
        metadata: { name: 'wrong.suite.example.test' },
      })
      expect(status).toBe(422)
      expect(body.message).toContain(
        'metadata.name: Invalid value: "wrong.suite.example.test": must be spec.names.plural+"."+spec.group',
      )
    }),
    behaviour('a definition without a schema is Invalid', async k => {
      const bare = definition('bare.example.test')
      delete bare.spec.versions[0].schema
      const { status, body } = await k.admin.post(crds, bare)
      expect(status).toBe(422)
      expect(body.message).toContain('spec.versions[0].schema.openAPIV3Schema: Required value')
    }),
    behaviour('a definition with two storage versions is Invalid', async k => {
      const twice = definition('twice.example.test')
      twice.spec.versions.push({ ...twice.spec.versions[0], name: 'v2' })
      const { status, body } = await k.admin.post(crds, twice)
      expect(status).toBe(422)
      expect(body.message).toContain('must have exactly one version marked as storage version')
    }),
    behaviour('the new type is discovered', async k => {
      // What is served and what is told of are two controllers' work.
      const { body } = await waitFor(async () => {
        const answer = await k.admin.get(`/apis/${api}`)
        expect(answer.body.resources).toEqual(expect.any(Array))
        return answer
      })
      const named = (name: string): Json => body.resources.find((resource: Json) => resource.name === name)
      expect(named('boats')).toMatchObject({
        kind: 'Boat',
        singularName: 'boat',
        namespaced: true,
        shortNames: ['bt'],
        categories: ['vessels'],
        verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
      })
      expect(named('boats/status')).toMatchObject({ verbs: ['get', 'patch', 'update'] })
      expect(named('boats/scale')).toMatchObject({ kind: 'Scale', group: 'autoscaling', version: 'v1' })
    }),
    behaviour('the new type is in OpenAPI', async k => {
      let body: Json
      for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
        const answer = await k.admin.get(`/openapi/v3/apis/${api}`)
        body = answer.body
        if (answer.status === 200 && body.components?.schemas !== undefined) break
        await new Promise(resolve => setTimeout(resolve, 200))
      }
      const schema = body.components.schemas['test.example.suite.v1.Boat']
      expect(schema['x-kubernetes-group-version-kind']).toEqual([
        { group: 'suite.example.test', version: 'v1', kind: 'Boat' },
      ])
      expect(schema.properties.spec.properties.length).toMatchObject({
        type: 'integer',
        minimum: 1,
        maximum: 400,
      })
    }),
    behaviour('a custom object is created with apiVersion, kind and generation 1', async k => {
      const body = await k.made(boats(k), boat(k.name()))
      expect(body).toMatchObject({
        apiVersion: api,
        kind: 'Boat',
        metadata: { generation: 1, namespace: k.namespace },
      })
    }),
    behaviour('items of a custom list carry apiVersion and kind', async k => {
      await k.made(boats(k), boat(k.name()))
      const { body } = await k.admin.get(boats(k))
      expect(body).toMatchObject({ apiVersion: api, kind: 'BoatList' })
      expect(body.items[0]).toMatchObject({ apiVersion: api, kind: 'Boat' })
    }),
    behaviour('the status sent with a creation is dropped', async k => {
      const body = await k.made(boats(k), { ...boat(k.name()), status: { phase: 'Afloat' } })
      expect(body.status).toBeUndefined()
    }),
    behaviour('the status subresource changes status only, not generation', async k => {
      const name = k.name()
      await k.made(boats(k), boat(name))
      const body = k.ok(
        await k.admin.patch(`${boats(k, name)}/status`, 'merge', {
          spec: { length: 9 },
          status: { phase: 'Afloat' },
        }),
      )
      expect(body).toMatchObject({
        spec: { length: 5 },
        status: { phase: 'Afloat' },
        metadata: { generation: 1 },
      })
    }),
    behaviour('a change of spec raises the generation, a change of metadata does not', async k => {
      const name = k.name()
      await k.made(boats(k), boat(name))
      const relabelled = k.ok(
        await k.admin.patch(boats(k, name), 'merge', { metadata: { labels: { a: 'b' } } }),
      )
      expect(relabelled.metadata.generation).toBe(1)
      const longer = k.ok(await k.admin.patch(boats(k, name), 'merge', { spec: { length: 6 } }))
      expect(longer.metadata.generation).toBe(2)
    }),
    behaviour('replacing without a resourceVersion is Invalid for custom objects', async k => {
      const name = k.name()
      await k.made(boats(k), boat(name))
      const { status, body } = await k.admin.put(boats(k, name), boat(name, { length: 6 }))
      expect(status).toBe(422)
      expect(body.message).toContain(
        'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      )
    }),
    behaviour('strategic merge is not for custom objects', async k => {
      const name = k.name()
      await k.made(boats(k), boat(name))
      const { status, body } = await k.admin.patch(boats(k, name), 'strategic-merge', { spec: { length: 6 } })
      expect(status).toBe(415)
      expect(body.reason).toBe('UnsupportedMediaType')
    }),
    behaviour('scale reads and writes the fields the definition names', async k => {
      const name = k.name()
      await k.made(boats(k), boat(name))
      const { body } = await k.admin.get(`${boats(k, name)}/scale`)
      expect(body).toMatchObject({ kind: 'Scale', spec: { replicas: 2 }, status: { replicas: 0 } })
      k.ok(await k.admin.patch(`${boats(k, name)}/scale`, 'merge', { spec: { replicas: 4 } }))
      expect(k.ok(await k.admin.get(boats(k, name))).spec.oars).toBe(4)
    }),
    behaviour('printer columns make the Table', async k => {
      const name = k.name()
      await k.made(boats(k), boat(name))
      const { body } = await k.admin.get(
        boats(k, name),
        {},
        {
          accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
        },
      )
      expect(body.columnDefinitions.map(({ name, priority }: Json) => [name, priority])).toEqual([
        ['Name', 0],
        ['Length', 0],
        ['Phase', 0],
        ['Secret', 1],
        ['Age', 0],
      ])
      expect(body.rows[0].cells.slice(0, 4)).toEqual([name, 5, null, 'wood'])
    }),
    behaviour('selectable fields select', async k => {
      const home = 'kiel'
      const { metadata } = await k.made(boats(k), boat(k.name(), { home }))
      await k.made(boats(k), boat(k.name(), { home: 'bergen' }))
      const { body } = await k.admin.get(boats(k), { fieldSelector: `spec.home=${home}` })
      expect(body.items.map(({ metadata }: Json) => metadata.name)).toEqual([metadata.name])
    }),
    behaviour('a field that is not selectable is a bad request', async k => {
      const { status, body } = await k.admin.get(boats(k), { fieldSelector: 'spec.rig=sloop' })
      expect(status).toBe(400)
      expect(body.message).toBe('field label not supported: spec.rig')
    }),
    behaviour('custom objects are watched like any other', async k => {
      const { body: before } = await k.admin.get(boats(k))
      const name = k.name()
      await k.made(boats(k), boat(name))
      const watch = await k.admin.watch(boats(k), { resourceVersion: before.metadata.resourceVersion })
      const [event] = await watch.take(1)
      watch.close()
      expect(event).toMatchObject({
        type: 'ADDED',
        object: { apiVersion: api, kind: 'Boat', metadata: { name } },
      })
    }),
    behaviour('custom objects are applied with ownership by list key', async k => {
      const name = k.name()
      k.ok(await k.admin.apply(boats(k, name), 'one', boat(name, { crew: [{ name: 'ann' }] })))
      const body = k.ok(
        await k.admin.apply(boats(k, name), 'two', {
          apiVersion: api,
          kind: 'Boat',
          metadata: { name },
          spec: { length: 5, crew: [{ name: 'bob' }] },
        }),
      )
      expect(body.spec.crew.map(({ name }: Json) => name).sort()).toEqual(['ann', 'bob'])
      const entry = body.metadata.managedFields.find(({ manager }: Json) => manager === 'two')
      expect(entry.fieldsV1['f:spec']['f:crew']).toEqual({ 'k:{"name":"bob"}': { '.': {}, 'f:name': {} } })
    }),
    behaviour('an unknown short name or kind of the group is NotFound', async k => {
      const { status, body } = await k.admin.get(`/apis/${api}/namespaces/${k.namespace}/rafts`)
      expect(status).toBe(404)
      expect(body).toBe('404 page not found\n')
    }),
    behaviour('deleting a definition deletes its objects and stops serving', async k => {
      const short = definition('short.example.test')
      await k.made(crds, short)
      const path = `/apis/short.example.test/v1/namespaces/${k.namespace}/boats`
      await k.until(path, 200)
      const hold = {
        ...boat('held', {}, { finalizers: ['example.test/hold'] }),
        apiVersion: 'short.example.test/v1',
      }
      await k.made(path, hold)
      await k.admin.delete(`${crds}/boats.short.example.test`)
      const { body } = await k.admin.get(`${crds}/boats.short.example.test`)
      expect(body.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io'])
      expect(body.metadata.deletionTimestamp).toBeDefined()
      const { status } = await k.admin.patch(`${path}/held`, 'merge', { metadata: { finalizers: null } })
      expect(status).toBe(200)
      await k.until(`${crds}/boats.short.example.test`, 404)
      await k.until(path, 404)
    }),
    behaviour('a second served version shows the same object', async k => {
      const two = definition('two.example.test')
      two.spec.versions.push({ ...two.spec.versions[0], name: 'v2', storage: false })
      await k.made(crds, two)
      const path = (version: string): string =>
        `/apis/two.example.test/${version}/namespaces/${k.namespace}/boats`
      await k.until(path('v2'), 200)
      const made = await k.made(path('v1'), { ...boat('both'), apiVersion: 'two.example.test/v1' })
      const body = k.ok(await k.admin.get(`${path('v2')}/both`))
      expect(body).toMatchObject({ apiVersion: 'two.example.test/v2', metadata: { uid: made.metadata.uid } })
      await k.admin.delete(`${crds}/boats.two.example.test`)
    }),
  ],
}

import { expect } from 'vitest'
import { type Bench, behaviour, configMap, deployment, type Group, type Json } from '../behaviour.js'

/** A ConfigMap as an applier sends it: only what it has an opinion on. */
function opinion(name: string, data: Json, metadata: Json = {}): Json {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data }
}

/** Who owns which fields, as `manager → [operation, fields]`. */
function owners(body: Json): Record<string, Json> {
  return Object.fromEntries(
    body.metadata.managedFields.map(({ manager, operation, fieldsV1 }: Json) => [
      manager,
      { operation, fieldsV1 },
    ]),
  )
}

async function applied(k: Bench, manager: string, body: Json, query = {}): Promise<Json> {
  return k.ok(await k.admin.apply(k.core('configmaps', body.metadata.name), manager, body, query))
}

/** Server-side apply: ownership, conflicts, giving up and taking over. */
export const apply: Group = {
  name: 'apply',
  behaviours: [
    behaviour('applying what is absent creates it', async k => {
      const name = k.name()
      const { status, body } = await k.admin.apply(
        k.core('configmaps', name),
        'one',
        opinion(name, { a: '1' }),
      )
      expect(status).toBe(201)
      expect(body.data).toEqual({ a: '1' })
    }),
    behaviour('the applier owns exactly what it sent', async k => {
      const name = k.name()
      const body = await applied(k, 'one', opinion(name, { a: '1' }, { labels: { l: 'x' } }))
      expect(body.metadata.managedFields).toEqual([
        {
          manager: 'one',
          operation: 'Apply',
          apiVersion: 'v1',
          time: expect.stringMatching(/Z$/),
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { 'f:a': {} }, 'f:metadata': { 'f:labels': { 'f:l': {} } } },
        },
      ])
    }),
    behaviour('applying the same again changes nothing, not even resourceVersion', async k => {
      const name = k.name()
      const first = await applied(k, 'one', opinion(name, { a: '1' }))
      const again = await k.admin.apply(k.core('configmaps', name), 'one', opinion(name, { a: '1' }))
      expect(again.status).toBe(200)
      expect(again.body.metadata.resourceVersion).toBe(first.metadata.resourceVersion)
    }),
    behaviour('a second applier adds its fields beside', async k => {
      const name = k.name()
      await applied(k, 'one', opinion(name, { a: '1' }))
      const body = await applied(k, 'two', opinion(name, { b: '2' }))
      expect(body.data).toEqual({ a: '1', b: '2' })
      expect(owners(body)).toEqual({
        one: { operation: 'Apply', fieldsV1: { 'f:data': { 'f:a': {} } } },
        two: { operation: 'Apply', fieldsV1: { 'f:data': { 'f:b': {} } } },
      })
    }),
    behaviour('another value for an owned field is a Conflict naming owner and field', async k => {
      const name = k.name()
      await applied(k, 'one', opinion(name, { a: '1' }))
      const { status, body } = await k.admin.apply(
        k.core('configmaps', name),
        'two',
        opinion(name, { a: '2' }),
      )
      expect(status).toBe(409)
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
        reason: 'Conflict',
        details: {
          causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' }],
        },
        code: 409,
      })
    }),
    behaviour('several conflicts are told one by one', async k => {
      const name = k.name()
      await applied(k, 'one', opinion(name, { a: '1', b: '1' }))
      const { body } = await k.admin.apply(
        k.core('configmaps', name),
        'two',
        opinion(name, { a: '2', b: '2' }),
      )
      expect(body.message).toBe('Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b')
      expect(body.details.causes).toHaveLength(2)
    }),
    behaviour('an empty map is an opinion on the whole map', async k => {
      const name = k.name()
      await applied(k, 'one', opinion(name, {}))
      const { status, body } = await k.admin.apply(k.core('configmaps', name), 'two', opinion(name, {}))
      expect(status).toBe(409)
      expect(body.message).toBe('Apply failed with 1 conflict: conflict with "one": .data')
    }),
    behaviour('the same value for an owned field is shared', async k => {
      const name = k.name()
      await applied(k, 'one', opinion(name, { a: '1' }))
      const body = await applied(k, 'two', opinion(name, { a: '1' }))
      expect(Object.keys(owners(body)).sort()).toEqual(['one', 'two'])
    }),
    behaviour('force takes the field over', async k => {
      const name = k.name()
      await applied(k, 'one', opinion(name, { a: '1', b: '1' }))
      const body = await applied(k, 'two', opinion(name, { a: '2' }), { force: true })
      expect(body.data).toEqual({ a: '2', b: '1' })
      expect(owners(body)).toEqual({
        one: { operation: 'Apply', fieldsV1: { 'f:data': { 'f:b': {} } } },
        two: { operation: 'Apply', fieldsV1: { 'f:data': { 'f:a': {} } } },
      })
    }),
    behaviour('a field no longer sent by its only owner is removed', async k => {
      const name = k.name()
      await applied(k, 'one', opinion(name, { a: '1', b: '1' }))
      const body = await applied(k, 'one', opinion(name, { a: '1' }))
      expect(body.data).toEqual({ a: '1' })
    }),
    behaviour('a field no longer sent stays while another owns it', async k => {
      const name = k.name()
      await applied(k, 'one', opinion(name, { a: '1', b: '1' }))
      await applied(k, 'two', opinion(name, { b: '1' }))
      const body = await applied(k, 'one', opinion(name, { a: '1' }))
      expect(body.data).toEqual({ a: '1', b: '1' })
      expect(owners(body).one.fieldsV1).toEqual({ 'f:data': { 'f:a': {} } })
    }),
    behaviour('an update owns what it changed, as Update', async k => {
      const name = k.name()
      await applied(k, 'one', opinion(name, { a: '1' }))
      const body = k.ok(
        await k.admin.patch(
          k.core('configmaps', name),
          'merge',
          { data: { b: '2' } },
          { fieldManager: 'editor' },
        ),
      )
      expect(owners(body).editor).toEqual({ operation: 'Update', fieldsV1: { 'f:data': { 'f:b': {} } } })
    }),
    behaviour('an update takes a field away from its applier', async k => {
      const name = k.name()
      await applied(k, 'one', opinion(name, { a: '1' }))
      const body = k.ok(
        await k.admin.patch(
          k.core('configmaps', name),
          'merge',
          { data: { a: '2' } },
          { fieldManager: 'editor' },
        ),
      )
      expect(owners(body).editor.fieldsV1).toEqual({ 'f:data': { 'f:a': {} } })
      expect(owners(body).one?.fieldsV1?.['f:data']?.['f:a']).toBeUndefined()
    }),
    behaviour('applying over an update of another is a Conflict that names its kind of write', async k => {
      const name = k.name()
      await k.made(k.core('configmaps'), configMap(name), { fieldManager: 'editor' })
      const { status, body } = await k.admin.apply(
        k.core('configmaps', name),
        'one',
        opinion(name, { a: '2' }),
      )
      expect(status).toBe(409)
      expect(body.details.causes[0].message).toMatch(/^conflict with "editor" using v1( at [\d:TZ-]+)?$/)
    }),
    behaviour('the manager of a plain write is the head of its User-Agent', async k => {
      const name = k.name()
      const { body } = await k.admin.send('POST', k.core('configmaps'), {
        body: configMap(name),
        headers: { 'user-agent': 'mytool/1.2 (linux)' },
      })
      expect(body.metadata.managedFields[0]).toMatchObject({ manager: 'mytool', operation: 'Update' })
    }),
    behaviour('apply needs a field manager', async k => {
      const name = k.name()
      const { status, body } = await k.admin.send('PATCH', k.core('configmaps', name), {
        body: opinion(name, {}),
        type: 'application/apply-patch+yaml',
      })
      expect(status).toBe(422)
      expect(body.message).toBe(
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      )
    }),
    behaviour('force belongs to apply alone', async k => {
      const { metadata } = await k.configMap()
      const { status, body } = await k.admin.patch(
        k.core('configmaps', metadata.name),
        'merge',
        {},
        { force: true },
      )
      expect(status).toBe(422)
      expect(body.message).toBe(
        'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
      )
    }),
    behaviour('managedFields must not be applied', async k => {
      const name = k.name()
      const { status, body } = await k.admin.apply(
        k.core('configmaps', name),
        'one',
        opinion(name, {}, { managedFields: [{ manager: 'x', operation: 'Apply', apiVersion: 'v1' }] }),
      )
      expect(status).toBe(400)
      expect(body.message).toContain('metadata.managedFields must be nil')
    }),
    behaviour('apply needs apiVersion and kind', async k => {
      const name = k.name()
      const { status } = await k.admin.apply(k.core('configmaps', name), 'one', { metadata: { name } })
      expect(status).toBe(400)
    }),
    behaviour('applying an object of another name is a bad request', async k => {
      const { status, body } = await k.admin.apply(
        k.core('configmaps', k.name()),
        'one',
        opinion('other', {}),
      )
      expect(status).toBe(400)
      expect(body.message).toContain('the name of the object (other) does not match the name on the URL')
    }),
    behaviour('a list keyed by name is owned item by item', async k => {
      const name = k.name()
      const path = k.apps('deployments', name)
      const one = k.ok(await k.admin.apply(path, 'one', deployment(name)))
      expect(owners(one).one.fieldsV1['f:spec']['f:template']['f:spec']).toEqual({
        'f:containers': { 'k:{"name":"main"}': { '.': {}, 'f:image': {}, 'f:name': {} } },
      })
      const side = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name },
        spec: { template: { spec: { containers: [{ name: 'side', image: 'side:1' }] } } },
      }
      const both = k.ok(await k.admin.apply(path, 'two', side))
      expect(both.spec.template.spec.containers.map(({ name }: Json) => name).sort()).toEqual([
        'main',
        'side',
      ])
    }),
    behaviour('a keyed item no longer sent by its only owner is removed', async k => {
      const name = k.name()
      const path = k.apps('deployments', name)
      const containers = (names: string[]): Json => names.map(name => ({ name, image: 'i:1' }))
      const withContainers = (names: string[]): Json => {
        const body = deployment(name)
        body.spec.template.spec.containers = containers(names)
        return body
      }
      k.ok(await k.admin.apply(path, 'one', withContainers(['a', 'b'])))
      const body = k.ok(await k.admin.apply(path, 'one', withContainers(['a'])))
      expect(body.spec.template.spec.containers.map(({ name }: Json) => name)).toEqual(['a'])
    }),
    behaviour('a replicas field given to an autoscaler by applying without it stays', async k => {
      const name = k.name()
      const path = k.apps('deployments', name)
      k.ok(await k.admin.apply(path, 'one', deployment(name, { replicas: 3 })))
      k.ok(
        await k.admin.patch(
          `${path}/scale`,
          'merge',
          { spec: { replicas: 5 } },
          { fieldManager: 'autoscaler' },
        ),
      )
      const without = deployment(name)
      delete without.spec.replicas
      const body = k.ok(await k.admin.apply(path, 'one', without))
      expect(body.spec.replicas).toBe(5)
    }),
    behaviour('two appliers of a finalizer set share the set', async k => {
      const name = k.name()
      await applied(k, 'one', opinion(name, { a: '1' }, { finalizers: ['example.test/a'] }))
      const body = await applied(k, 'two', opinion(name, { b: '1' }, { finalizers: ['example.test/b'] }))
      expect([...body.metadata.finalizers].sort()).toEqual(['example.test/a', 'example.test/b'])
      await k.admin.patch(k.core('configmaps', name), 'merge', { metadata: { finalizers: null } })
    }),
    behaviour('status is applied through its subresource and owned under it', async k => {
      const name = k.name()
      const path = k.apps('deployments', name)
      await k.made(k.apps('deployments'), deployment(name))
      const body = k.ok(
        await k.admin.apply(`${path}/status`, 'status-writer', {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name },
          status: { replicas: 2 },
        }),
      )
      expect(body.status.replicas).toBe(2)
      const entry = body.metadata.managedFields.find(({ manager }: Json) => manager === 'status-writer')
      expect(entry).toMatchObject({ subresource: 'status', fieldsV1: { 'f:status': { 'f:replicas': {} } } })
    }),
    behaviour('managedFields can be reset by an empty list', async k => {
      const name = k.name()
      await applied(k, 'one', opinion(name, { a: '1' }))
      const body = k.ok(
        await k.admin.patch(k.core('configmaps', name), 'merge', { metadata: { managedFields: [{}] } }),
      )
      expect(body.metadata.managedFields ?? []).toEqual([])
    }),
    behaviour('YAML is applied as well as JSON', async k => {
      const name = k.name()
      const { status, body } = await k.admin.apply(
        k.core('configmaps', name),
        'one',
        `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  a: "1"\n`,
      )
      expect(status).toBe(201)
      expect(body.data).toEqual({ a: '1' })
    }),
  ],
}

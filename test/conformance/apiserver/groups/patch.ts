import { expect } from 'vitest'
import { type Bench, behaviour, deployment, failure, type Group, type Json } from '../behaviour.js'

/** JSON Patches and what becomes of `{ a: '1', list… }` in a ConfigMap's data. */
async function patched(k: Bench, type: 'json' | 'merge' | 'strategic-merge', body: Json): Promise<Json> {
  const { metadata } = await k.configMap({ data: { a: '1', b: '2' } })
  return k.ok(await k.admin.patch(k.core('configmaps', metadata.name), type, body)).data
}

async function container(k: Bench, patch: Json): Promise<Json> {
  const name = k.name()
  await k.made(
    k.apps('deployments'),
    deployment(name, {
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [
            {
              name: 'main',
              image: 'main:1',
              env: [{ name: 'A', value: '1' }],
              ports: [{ containerPort: 80 }],
              args: ['one', 'two'],
            },
            { name: 'side', image: 'side:1' },
          ],
        },
      },
    }),
  )
  return k.ok(
    await k.admin.patch(k.apps('deployments', name), 'strategic-merge', {
      spec: { template: { spec: patch } },
    }),
  ).spec.template.spec
}

const byName = (items: Json[], name: string): Json => items.find(item => item.name === name)

/** The three patch formats; server-side apply has a group of its own. */
export const patch: Group = {
  name: 'patch',
  behaviours: [
    behaviour('merge: a given key replaces, null removes, others stay', async k => {
      expect(await patched(k, 'merge', { data: { a: '9', b: null, c: '3' } })).toEqual({ a: '9', c: '3' })
    }),
    behaviour('merge: null removes a whole map', async k => {
      expect(await patched(k, 'merge', { data: null })).toBeUndefined()
    }),
    behaviour('merge: an empty patch changes nothing, not even resourceVersion', async k => {
      const made = await k.configMap()
      const body = k.ok(await k.admin.patch(k.core('configmaps', made.metadata.name), 'merge', {}))
      expect(body.metadata.resourceVersion).toBe(made.metadata.resourceVersion)
    }),
    behaviour('merge: lists are replaced whole', async k => {
      const { metadata } = await k.configMap({
        metadata: { finalizers: ['example.test/a', 'example.test/b'] },
      })
      const path = k.core('configmaps', metadata.name)
      const body = k.ok(await k.admin.patch(path, 'merge', { metadata: { finalizers: ['example.test/c'] } }))
      expect(body.metadata.finalizers).toEqual(['example.test/c'])
      await k.admin.patch(path, 'merge', { metadata: { finalizers: null } })
    }),
    behaviour('merge: a stale resourceVersion in the patch is a Conflict', async k => {
      const made = await k.configMap()
      const path = k.core('configmaps', made.metadata.name)
      k.ok(await k.admin.patch(path, 'merge', { data: { a: '2' } }))
      const { status, body } = await k.admin.patch(path, 'merge', {
        metadata: { resourceVersion: made.metadata.resourceVersion },
        data: { a: '3' },
      })
      expect(status).toBe(409)
      expect(body.reason).toBe('Conflict')
    }),
    behaviour('merge: the right resourceVersion in the patch passes', async k => {
      const made = await k.configMap()
      const { status } = await k.admin.patch(k.core('configmaps', made.metadata.name), 'merge', {
        metadata: { resourceVersion: made.metadata.resourceVersion },
        data: { a: '3' },
      })
      expect(status).toBe(200)
    }),
    behaviour('json: add, replace and remove', async k => {
      const data = await patched(k, 'json', [
        { op: 'add', path: '/data/c', value: '3' },
        { op: 'replace', path: '/data/a', value: '9' },
        { op: 'remove', path: '/data/b' },
      ])
      expect(data).toEqual({ a: '9', c: '3' })
    }),
    behaviour('json: move and copy', async k => {
      const data = await patched(k, 'json', [
        { op: 'move', from: '/data/a', path: '/data/moved' },
        { op: 'copy', from: '/data/b', path: '/data/copied' },
      ])
      expect(data).toEqual({ moved: '1', b: '2', copied: '2' })
    }),
    behaviour('json: a slash in a key is written ~1', async k => {
      const { metadata } = await k.configMap({ metadata: { annotations: { 'example.test/a': '1' } } })
      const body = k.ok(
        await k.admin.patch(k.core('configmaps', metadata.name), 'json', [
          { op: 'replace', path: '/metadata/annotations/example.test~1a', value: '2' },
        ]),
      )
      expect(body.metadata.annotations).toEqual({ 'example.test/a': '2' })
    }),
    behaviour('json: - appends to a list', async k => {
      const { metadata } = await k.configMap({ metadata: { finalizers: ['example.test/a'] } })
      const path = k.core('configmaps', metadata.name)
      const body = k.ok(
        await k.admin.patch(path, 'json', [
          { op: 'add', path: '/metadata/finalizers/-', value: 'example.test/b' },
        ]),
      )
      expect(body.metadata.finalizers).toEqual(['example.test/a', 'example.test/b'])
      await k.admin.patch(path, 'merge', { metadata: { finalizers: null } })
    }),
    behaviour('json: a test that holds lets the rest pass', async k => {
      const data = await patched(k, 'json', [
        { op: 'test', path: '/data/a', value: '1' },
        { op: 'replace', path: '/data/a', value: '9' },
      ])
      expect(data.a).toBe('9')
    }),
    behaviour('json: a test that fails makes the patch Invalid and changes nothing', async k => {
      const { metadata } = await k.configMap()
      const path = k.core('configmaps', metadata.name)
      const { status, body } = await k.admin.patch(path, 'json', [
        { op: 'replace', path: '/data/a', value: '9' },
        { op: 'test', path: '/data/a', value: 'other' },
      ])
      expect(status).toBe(422)
      expect(body).toMatchObject({ reason: 'Invalid', code: 422 })
      expect(k.ok(await k.admin.get(path)).data.a).toBe('1')
    }),
    behaviour('json: removing what is absent is Invalid', async k => {
      const { metadata } = await k.configMap()
      const { status, body } = await k.admin.patch(k.core('configmaps', metadata.name), 'json', [
        { op: 'remove', path: '/data/absent' },
      ])
      expect(status).toBe(422)
      expect(body.reason).toBe('Invalid')
    }),
    behaviour('json: a patch that is no list is a bad request', async k => {
      const { metadata } = await k.configMap()
      const { status } = await k.admin.patch(k.core('configmaps', metadata.name), 'json', { op: 'remove' })
      expect(status).toBe(400)
    }),
    behaviour('strategic: containers are merged by name', async k => {
      const { containers } = await container(k, { containers: [{ name: 'main', image: 'main:2' }] })
      expect(containers).toHaveLength(2)
      expect(byName(containers, 'main')).toMatchObject({ image: 'main:2', env: [{ name: 'A', value: '1' }] })
      expect(byName(containers, 'side').image).toBe('side:1')
    }),
    behaviour('strategic: a new container is added', async k => {
      const { containers } = await container(k, { containers: [{ name: 'new', image: 'new:1' }] })
      expect(containers.map(({ name }: Json) => name).sort()).toEqual(['main', 'new', 'side'])
    }),
    behaviour('strategic: $patch: delete removes one container', async k => {
      const { containers } = await container(k, { containers: [{ name: 'side', $patch: 'delete' }] })
      expect(containers.map(({ name }: Json) => name)).toEqual(['main'])
    }),
    behaviour('strategic: $patch: replace replaces the list', async k => {
      const { containers } = await container(k, {
        containers: [{ name: 'only', image: 'only:1' }, { $patch: 'replace' }],
      })
      expect(containers.map(({ name }: Json) => name)).toEqual(['only'])
    }),
    behaviour('strategic: environment is merged by name, arguments are replaced', async k => {
      const { containers } = await container(k, {
        containers: [{ name: 'main', env: [{ name: 'B', value: '2' }], args: ['three'] }],
      })
      const main = byName(containers, 'main')
      expect(main.env.map(({ name }: Json) => name).sort()).toEqual(['A', 'B'])
      expect(main.args).toEqual(['three'])
    }),
    behaviour('strategic: ports are merged by containerPort', async k => {
      const { containers } = await container(k, {
        containers: [{ name: 'main', ports: [{ containerPort: 81 }, { containerPort: 80, name: 'web' }] }],
      })
      expect(
        byName(containers, 'main')
          .ports.map(({ containerPort, name = '-' }: Json) => `${containerPort} ${name}`)
          .sort(),
      ).toEqual(['80 web', '81 -'])
    }),
    behaviour('strategic: $retainKeys drops the other keys of a union', async k => {
      const name = k.name()
      await k.made(k.apps('deployments'), deployment(name))
      const body = k.ok(
        await k.admin.patch(k.apps('deployments', name), 'strategic-merge', {
          spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
        }),
      )
      expect(body.spec.strategy).toEqual({ type: 'Recreate' })
    }),
    behaviour('strategic: null removes a field', async k => {
      expect(await patched(k, 'strategic-merge', { data: { b: null } })).toEqual({ a: '1' })
    }),
    behaviour('strategic: finalizers are merged as a set', async k => {
      const { metadata } = await k.configMap({ metadata: { finalizers: ['example.test/a'] } })
      const path = k.core('configmaps', metadata.name)
      const body = k.ok(
        await k.admin.patch(path, 'strategic-merge', { metadata: { finalizers: ['example.test/b'] } }),
      )
      expect([...body.metadata.finalizers].sort()).toEqual(['example.test/a', 'example.test/b'])
      await k.admin.patch(path, 'merge', { metadata: { finalizers: null } })
    }),
    behaviour('strategic: $deleteFromPrimitiveList takes out of a set', async k => {
      const { metadata } = await k.configMap({
        metadata: { finalizers: ['example.test/a', 'example.test/b'] },
      })
      const path = k.core('configmaps', metadata.name)
      const body = k.ok(
        await k.admin.patch(path, 'strategic-merge', {
          metadata: { '$deleteFromPrimitiveList/finalizers': ['example.test/a'] },
        }),
      )
      expect(body.metadata.finalizers).toEqual(['example.test/b'])
      await k.admin.patch(path, 'merge', { metadata: { finalizers: null } })
    }),
    behaviour('patching what is absent is NotFound', async k => {
      const { status, body } = await k.admin.patch(k.core('configmaps', 'absent'), 'merge', { data: {} })
      expect(status).toBe(404)
      expect(body).toEqual(
        failure(404, 'NotFound', 'configmaps "absent" not found', { name: 'absent', kind: 'configmaps' }),
      )
    }),
    behaviour('a patch that makes the object invalid is Invalid', async k => {
      const name = k.name()
      await k.made(k.apps('deployments'), deployment(name))
      const { status, body } = await k.admin.patch(k.apps('deployments', name), 'merge', {
        spec: { replicas: -1 },
      })
      expect(status).toBe(422)
      expect(body.message).toBe(
        `Deployment.apps "${name}" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0`,
      )
    }),
    behaviour('a patch of the wrong type of value is refused', async k => {
      const { metadata } = await k.configMap()
      const { status, body } = await k.admin.patch(k.core('configmaps', metadata.name), 'merge', { data: 7 })
      expect(status).toBe(422)
      expect(body.message).toContain('json: cannot unmarshal number into Go struct field ConfigMap.data')
    }),
    behaviour('an unknown patch format is refused', async k => {
      const { metadata } = await k.configMap()
      const { status, body } = await k.admin.send('PATCH', k.core('configmaps', metadata.name), {
        body: {},
        type: 'application/json',
      })
      expect(status).toBe(415)
      expect(body).toEqual(failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {}))
    }),
    behaviour('the name cannot be patched', async k => {
      const { metadata } = await k.configMap()
      const { status, body } = await k.admin.patch(k.core('configmaps', metadata.name), 'merge', {
        metadata: { name: 'other' },
      })
      expect(status).toBe(400)
      expect(body.message).toContain('the name of the object (other) does not match the name on the URL')
    }),
    behaviour('concurrent patches without a resourceVersion all succeed', async k => {
      const { metadata } = await k.configMap()
      const path = k.core('configmaps', metadata.name)
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          k.admin.patch(path, 'merge', { data: { [`w${index}`]: 'x' } }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
      expect(Object.keys(k.ok(await k.admin.get(path)).data)).toHaveLength(9)
    }),
  ],
}

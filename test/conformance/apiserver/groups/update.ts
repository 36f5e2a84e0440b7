import { expect } from 'vitest'
import { behaviour, configMap, deployment, failure, type Group } from '../behaviour.js'

const conflict = 'the object has been modified; please apply your changes to the latest version and try again'

/** Replacing objects: resourceVersion, generation and the status subresource. */
export const update: Group = {
  name: 'update',
  behaviours: [
    behaviour('a replacement gets a new, higher resourceVersion and keeps the identity', async k => {
      const made = await k.configMap()
      const { status, body } = await k.admin.put(k.core('configmaps', made.metadata.name), {
        ...made,
        data: { a: '2' },
      })
      expect(status).toBe(200)
      expect(BigInt(body.metadata.resourceVersion)).toBeGreaterThan(BigInt(made.metadata.resourceVersion))
      expect(body.metadata).toMatchObject({
        uid: made.metadata.uid,
        creationTimestamp: made.metadata.creationTimestamp,
      })
      expect(body.data).toEqual({ a: '2' })
    }),
    behaviour('a replacement that changes nothing keeps the resourceVersion', async k => {
      const made = await k.configMap()
      const { body } = await k.admin.put(k.core('configmaps', made.metadata.name), made)
      expect(body.metadata.resourceVersion).toBe(made.metadata.resourceVersion)
    }),
    behaviour('a stale resourceVersion is a Conflict', async k => {
      const made = await k.configMap()
      const path = k.core('configmaps', made.metadata.name)
      k.ok(await k.admin.put(path, { ...made, data: { a: '2' } }))
      const { status, body } = await k.admin.put(path, { ...made, data: { a: '3' } })
      expect(status).toBe(409)
      expect(body).toEqual(
        failure(
          409,
          'Conflict',
          `Operation cannot be fulfilled on configmaps "${made.metadata.name}": ${conflict}`,
          {
            name: made.metadata.name,
            kind: 'configmaps',
          },
        ),
      )
    }),
    behaviour('a resourceVersion that is no number is an error of the server', async k => {
      const made = await k.configMap()
      const { status, body } = await k.admin.put(k.core('configmaps', made.metadata.name), {
        ...made,
        metadata: { ...made.metadata, resourceVersion: 'nonsense' },
      })
      expect(status).toBe(500)
      expect(body.message).toBe('strconv.ParseUint: parsing "nonsense": invalid syntax')
    }),
    behaviour('without a resourceVersion a ConfigMap is replaced unconditionally', async k => {
      const { metadata } = await k.configMap()
      const { status, body } = await k.admin.put(
        k.core('configmaps', metadata.name),
        configMap(metadata.name, { data: { b: '2' } }),
      )
      expect(status).toBe(200)
      expect(body.data).toEqual({ b: '2' })
    }),
    behaviour('replacing what is absent is NotFound, not a creation', async k => {
      const { status, body } = await k.admin.put(k.core('configmaps', 'absent'), configMap('absent'))
      expect(status).toBe(404)
      expect(body).toEqual(
        failure(404, 'NotFound', 'configmaps "absent" not found', { name: 'absent', kind: 'configmaps' }),
      )
    }),
    behaviour('a name other than the path’s is a bad request', async k => {
      const { metadata } = await k.configMap()
      const { status, body } = await k.admin.put(k.core('configmaps', metadata.name), configMap('other'))
      expect(status).toBe(400)
      expect(body).toEqual(
        failure(
          400,
          'BadRequest',
          `the name of the object (other) does not match the name on the URL (${metadata.name})`,
        ),
      )
    }),
    behaviour('another uid is a Conflict naming both', async k => {
      const made = await k.configMap()
      const uid = '00000000-0000-4000-8000-000000000000'
      const { status, body } = await k.admin.put(
        k.core('configmaps', made.metadata.name),
        configMap(made.metadata.name, { metadata: { uid } }),
      )
      expect(status).toBe(409)
      // Between the two stands the storage key, which is the server's own affair.
      expect(body).toMatchObject({
        reason: 'Conflict',
        details: { name: made.metadata.name, kind: 'configmaps' },
      })
      expect(body.message).toContain(
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${made.metadata.uid}`,
      )
    }),
    behaviour('creationTimestamp cannot be changed', async k => {
      const made = await k.configMap()
      const { body } = await k.admin.put(k.core('configmaps', made.metadata.name), {
        ...made,
        metadata: { ...made.metadata, creationTimestamp: '2001-01-01T00:00:00Z' },
      })
      expect(body.metadata?.creationTimestamp).toBe(made.metadata.creationTimestamp)
    }),
    behaviour('an immutable ConfigMap refuses new data', async k => {
      const made = await k.configMap({ immutable: true })
      const { status, body } = await k.admin.put(k.core('configmaps', made.metadata.name), {
        ...made,
        data: { a: '2' },
      })
      expect(status).toBe(422)
      expect(body.message).toBe(
        `ConfigMap "${made.metadata.name}" is invalid: data: Forbidden: field is immutable when \`immutable\` is set`,
      )
    }),
    behaviour('a change of spec raises generation, a change of labels does not', async k => {
      const name = k.name()
      const made = await k.made(k.apps('deployments'), deployment(name))
      const relabelled = k.ok(
        await k.admin.patch(k.apps('deployments', name), 'merge', { metadata: { labels: { a: 'b' } } }),
      )
      expect(relabelled.metadata.generation).toBe(made.metadata.generation)
      const scaled = k.ok(
        await k.admin.patch(k.apps('deployments', name), 'merge', { spec: { replicas: 2 } }),
      )
      expect(scaled.metadata.generation).toBe(made.metadata.generation + 1)
    }),
    behaviour('the main resource ignores a sent status', async k => {
      const name = k.name()
      await k.made(k.apps('deployments'), deployment(name))
      const body = k.ok(
        await k.admin.patch(k.apps('deployments', name), 'merge', {
          status: { replicas: 3, observedGeneration: 1 },
        }),
      )
      expect(body.status.replicas).toBeUndefined()
    }),
    behaviour('the status subresource changes status only', async k => {
      const name = k.name()
      await k.made(k.apps('deployments'), deployment(name))
      const { status, body } = await k.admin.patch(`${k.apps('deployments', name)}/status`, 'merge', {
        spec: { replicas: 9 },
        status: { replicas: 3 },
      })
      expect(status).toBe(200)
      expect(body.spec.replicas).toBe(1)
      expect(body.status.replicas).toBe(3)
      expect(body.metadata.generation).toBe(1)
    }),
    behaviour('status can be got and put through its subresource', async k => {
      const name = k.name()
      await k.made(k.apps('deployments'), deployment(name))
      const path = `${k.apps('deployments', name)}/status`
      const got = k.ok(await k.admin.get(path))
      const put = k.ok(await k.admin.put(path, { ...got, status: { ...got.status, observedGeneration: 1 } }))
      expect(put.status.observedGeneration).toBe(1)
    }),
    behaviour('scale reads the replicas of a Deployment', async k => {
      const name = k.name()
      await k.made(k.apps('deployments'), deployment(name))
      const { body } = await k.admin.get(`${k.apps('deployments', name)}/scale`)
      expect(body).toMatchObject({
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name, namespace: k.namespace },
        spec: { replicas: 1 },
        status: { replicas: 0, selector: `app=${name}` },
      })
    }),
    behaviour('scale writes the replicas of a Deployment', async k => {
      const name = k.name()
      await k.made(k.apps('deployments'), deployment(name))
      k.ok(await k.admin.patch(`${k.apps('deployments', name)}/scale`, 'merge', { spec: { replicas: 4 } }))
      const { body } = await k.admin.get(k.apps('deployments', name))
      expect(body.spec.replicas).toBe(4)
    }),
    behaviour('a Deployment’s selector cannot be changed', async k => {
      const name = k.name()
      await k.made(k.apps('deployments'), deployment(name))
      const { status, body } = await k.admin.patch(k.apps('deployments', name), 'merge', {
        spec: {
          selector: { matchLabels: { app: 'other' } },
          template: { metadata: { labels: { app: 'other' } } },
        },
      })
      expect(status).toBe(422)
      expect(body.message).toContain('field is immutable')
    }),
    behaviour('a claim gets a class and a volume once, and nothing else of its spec changes', async k => {
      const name = k.name()
      const path = k.core('persistentvolumeclaims', name)
      await k.made(k.core('persistentvolumeclaims'), {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      })
      const change = (spec: object) => k.admin.patch(path, 'merge', { spec })
      const { spec } = k.ok(await change({ storageClassName: `class-${name}`, volumeName: `volume-${name}` }))
      expect(spec).toMatchObject({ storageClassName: `class-${name}`, volumeName: `volume-${name}` })
      for (const refused of [
        { storageClassName: 'another' },
        { volumeName: 'another' },
        { accessModes: ['ReadOnlyMany'] },
        { resources: { requests: { storage: '2Gi' } } },
      ]) {
        const { status, body } = await change(refused)
        expect(status).toBe(422)
        expect(body.message).toContain('spec: Forbidden: spec is immutable after creation')
      }
    }),
    behaviour('of many writers with one resourceVersion exactly one wins', async k => {
      const made = await k.configMap()
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          k.admin.put(k.core('configmaps', made.metadata.name), { ...made, data: { writer: String(index) } }),
        ),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409])
    }),
  ],
}

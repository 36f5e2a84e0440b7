import { expect } from 'vitest'
import { PATIENCE_MS } from '../../../patience.js'
import { behaviour, deployment, failure, type Group, type Json } from '../behaviour.js'

/** Deleting objects: preconditions, finalizers, owners and namespaces. */
export const remove: Group = {
  name: 'remove',
  behaviours: [
    behaviour('delete answers Success with what was deleted', async k => {
      const { metadata } = await k.configMap()
      const { status, body } = await k.admin.delete(k.core('configmaps', metadata.name))
      expect(status).toBe(200)
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: metadata.name, kind: 'configmaps', uid: metadata.uid },
      })
      expect((await k.admin.get(k.core('configmaps', metadata.name))).status).toBe(404)
    }),
    behaviour('deleting what is absent is NotFound', async k => {
      const { status, body } = await k.admin.delete(k.core('configmaps', 'absent'))
      expect(status).toBe(404)
      expect(body).toEqual(
        failure(404, 'NotFound', 'configmaps "absent" not found', { name: 'absent', kind: 'configmaps' }),
      )
    }),
    behaviour('a uid precondition that does not hold is a Conflict', async k => {
      const { metadata } = await k.configMap()
      const { status, body } = await k.admin.delete(k.core('configmaps', metadata.name), {
        preconditions: { uid: 'other' },
      })
      expect(status).toBe(409)
      expect(body).toEqual(
        failure(
          409,
          'Conflict',
          `Operation cannot be fulfilled on ConfigMap "${metadata.name}": the UID in the precondition (other) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
          { name: metadata.name, kind: 'ConfigMap' },
        ),
      )
    }),
    behaviour('a resourceVersion precondition that does not hold is a Conflict', async k => {
      const { metadata } = await k.configMap()
      const { status, body } = await k.admin.delete(k.core('configmaps', metadata.name), {
        preconditions: { resourceVersion: '1' },
      })
      expect(status).toBe(409)
      expect(body).toEqual(
        failure(
          409,
          'Conflict',
          `Operation cannot be fulfilled on ConfigMap "${metadata.name}": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
          { name: metadata.name, kind: 'ConfigMap' },
        ),
      )
    }),
    behaviour('preconditions that hold let it go', async k => {
      const { metadata } = await k.configMap()
      const { status } = await k.admin.delete(k.core('configmaps', metadata.name), {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid: metadata.uid, resourceVersion: metadata.resourceVersion },
      })
      expect(status).toBe(200)
    }),
    behaviour('a collection is deleted by selector and returned as a list', async k => {
      const group = k.name('group')
      await k.configMap({ metadata: { labels: { group } } })
      await k.configMap({ metadata: { labels: { group } } })
      const kept = await k.configMap()
      const { status, body } = await k.admin.delete(k.core('configmaps'), undefined, {
        labelSelector: `group=${group}`,
      })
      expect(status).toBe(200)
      expect(body.kind).toBe('ConfigMapList')
      expect(body.items).toHaveLength(2)
      expect((await k.admin.get(k.core('configmaps', kept.metadata.name))).status).toBe(200)
    }),
    behaviour('a finalizer keeps a deleted object, marked', async k => {
      const { metadata } = await k.configMap({ metadata: { finalizers: ['example.test/hold'] } })
      const path = k.core('configmaps', metadata.name)
      const { status, body } = await k.admin.delete(path)
      expect(status).toBe(200)
      expect(body.kind).toBe('ConfigMap')
      expect(body.metadata.deletionTimestamp).toMatch(/Z$/)
      expect(body.metadata.deletionGracePeriodSeconds).toBe(0)
      expect(k.ok(await k.admin.get(path)).metadata.deletionTimestamp).toBe(body.metadata.deletionTimestamp)
      k.ok(await k.admin.patch(path, 'merge', { metadata: { finalizers: null } }))
    }),
    behaviour('removing the last finalizer of a deleted object removes it', async k => {
      const { metadata } = await k.configMap({
        metadata: { finalizers: ['example.test/a', 'example.test/b'] },
      })
      const path = k.core('configmaps', metadata.name)
      await k.admin.delete(path)
      k.ok(await k.admin.patch(path, 'merge', { metadata: { finalizers: ['example.test/b'] } }))
      expect((await k.admin.get(path)).status).toBe(200)
      const { status, body } = await k.admin.patch(path, 'merge', { metadata: { finalizers: [] } })
      expect(status).toBe(200)
      expect(body.metadata.name).toBe(metadata.name)
      expect((await k.admin.get(path)).status).toBe(404)
    }),
    behaviour('deleting a second time keeps the first deletionTimestamp', async k => {
      const { metadata } = await k.configMap({ metadata: { finalizers: ['example.test/hold'] } })
      const path = k.core('configmaps', metadata.name)
      const first = k.ok(await k.admin.delete(path))
      const second = k.ok(await k.admin.delete(path))
      expect(second.metadata.deletionTimestamp).toBe(first.metadata.deletionTimestamp)
      k.ok(await k.admin.patch(path, 'merge', { metadata: { finalizers: null } }))
    }),
    behaviour('a deleted object refuses new finalizers', async k => {
      const { metadata } = await k.configMap({ metadata: { finalizers: ['example.test/hold'] } })
      const path = k.core('configmaps', metadata.name)
      await k.admin.delete(path)
      const { status, body } = await k.admin.patch(path, 'merge', {
        metadata: { finalizers: ['example.test/hold', 'example.test/more'] },
      })
      expect(status).toBe(422)
      expect(body.message).toContain(
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.test/more"}',
      )
      k.ok(await k.admin.patch(path, 'merge', { metadata: { finalizers: null } }))
    }),
    behaviour('creating the name of an object that is being deleted is AlreadyExists', async k => {
      const { metadata } = await k.configMap({ metadata: { finalizers: ['example.test/hold'] } })
      const path = k.core('configmaps', metadata.name)
      await k.admin.delete(path)
      const { status, body } = await k.admin.post(k.core('configmaps'), {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: metadata.name },
      })
      expect(status).toBe(409)
      expect(body.message).toBe(`object is being deleted: configmaps "${metadata.name}" already exists`)
      k.ok(await k.admin.patch(path, 'merge', { metadata: { finalizers: null } }))
    }),
    behaviour('a malformed finalizer is Invalid', async k => {
      const { status, body } = await k.admin.post(k.core('configmaps'), {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: k.name(), finalizers: ['plain'] },
      })
      expect(status).toBe(422)
      expect(body.message).toContain('name is neither a standard finalizer name nor is it fully qualified')
    }),
    behaviour('a dependant goes when its owner went', async k => {
      const owner = await k.configMap()
      const dependant = await k.configMap({ metadata: { ownerReferences: [ownedBy(owner)] } })
      await k.admin.delete(k.core('configmaps', owner.metadata.name))
      await k.until(k.core('configmaps', dependant.metadata.name), 404)
    }),
    behaviour('a dependant with another living owner stays', async k => {
      const [owner, other] = [await k.configMap(), await k.configMap()]
      const dependant = await k.configMap({ metadata: { ownerReferences: [ownedBy(owner), ownedBy(other)] } })
      await k.admin.delete(k.core('configmaps', owner.metadata.name))
      const path = k.core('configmaps', dependant.metadata.name)
      await eventually(async () => k.ok(await k.admin.get(path)).metadata.ownerReferences.length === 1)
      expect(k.ok(await k.admin.get(path)).metadata.ownerReferences[0].name).toBe(other.metadata.name)
    }),
    behaviour('propagationPolicy=Orphan leaves dependants without the reference', async k => {
      const owner = await k.configMap()
      const dependant = await k.configMap({ metadata: { ownerReferences: [ownedBy(owner)] } })
      await k.admin.delete(k.core('configmaps', owner.metadata.name), { propagationPolicy: 'Orphan' })
      await k.until(k.core('configmaps', owner.metadata.name), 404)
      const body = k.ok(await k.admin.get(k.core('configmaps', dependant.metadata.name)))
      expect(body.metadata.ownerReferences).toBeUndefined()
    }),
    behaviour('a Job that is deleted without a propagationPolicy leaves its dependants', async k => {
      const jobs = `/apis/batch/v1/namespaces/${k.namespace}/jobs`
      const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'work:1' }] } }
      const owner = await k.made(jobs, {
        ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: k.name() } },
        spec: { suspend: true, template },
      })
      const dependant = await k.configMap({ metadata: { ownerReferences: [ownedBy(owner)] } })
      await k.admin.delete(`${jobs}/${owner.metadata.name}`)
      await k.until(`${jobs}/${owner.metadata.name}`, 404)
      const body = k.ok(await k.admin.get(k.core('configmaps', dependant.metadata.name)))
      expect(body.metadata.ownerReferences).toBeUndefined()
    }),
    behaviour('propagationPolicy=Foreground marks the owner and removes it after its dependants', async k => {
      const owner = await k.configMap()
      const dependant = await k.configMap({
        metadata: {
          ownerReferences: [{ ...ownedBy(owner), blockOwnerDeletion: true }],
          finalizers: ['example.test/hold'],
        },
      })
      const { body } = await k.admin.delete(k.core('configmaps', owner.metadata.name), {
        propagationPolicy: 'Foreground',
      })
      expect(body.metadata.finalizers).toEqual(['foregroundDeletion'])
      expect(body.metadata.deletionTimestamp).toBeDefined()
      const path = k.core('configmaps', dependant.metadata.name)
      await eventually(async () => k.ok(await k.admin.get(path)).metadata.deletionTimestamp !== undefined)
      expect((await k.admin.get(k.core('configmaps', owner.metadata.name))).status).toBe(200)
      k.ok(await k.admin.patch(path, 'merge', { metadata: { finalizers: null } }))
      await k.until(k.core('configmaps', owner.metadata.name), 404)
    }),
    behaviour('a dependant whose owner never existed is collected', async k => {
      const dependant = await k.configMap({
        metadata: {
          ownerReferences: [
            {
              apiVersion: 'v1',
              kind: 'ConfigMap',
              name: 'never',
              uid: '00000000-0000-4000-8000-000000000001',
            },
          ],
        },
      })
      await k.until(k.core('configmaps', dependant.metadata.name), 404)
    }),
    behaviour('an owner reference without a uid is Invalid', async k => {
      const { status, body } = await k.admin.post(k.core('configmaps'), {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: k.name(),
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '' }],
        },
      })
      expect(status).toBe(422)
      expect(body.details.causes[0]).toMatchObject({ field: 'metadata.ownerReferences.uid' })
    }),
    behaviour('an unknown propagationPolicy is Invalid', async k => {
      const { metadata } = await k.configMap()
      const { status, body } = await k.admin.delete(k.core('configmaps', metadata.name), {
        propagationPolicy: 'Sideways',
      })
      expect(status).toBe(422)
      expect(body.message).toContain('Sideways')
    }),
    behaviour('deleting a Deployment in the background answers Success at once', async k => {
      const name = k.name()
      await k.made(k.apps('deployments'), deployment(name))
      const { status, body } = await k.admin.delete(k.apps('deployments', name))
      expect(status).toBe(200)
      expect(body).toMatchObject({ status: 'Success', details: { name, group: 'apps', kind: 'deployments' } })
    }),
    behaviour('a deleted namespace is Terminating, takes its contents along and goes', async k => {
      const { name, path } = await newNamespace(k.name('doomed'), body => k.made('/api/v1/namespaces', body))
      await k.made(`${path}/configmaps`, held())
      const { status, body } = await k.admin.delete(path)
      expect(status).toBe(200)
      expect(body).toMatchObject({ kind: 'Namespace', metadata: { name }, status: { phase: 'Terminating' } })
      expect((await k.admin.get(path)).status).toBe(200)
      k.ok(await k.admin.patch(`${path}/configmaps/held`, 'merge', { metadata: { finalizers: null } }))
      await k.until(path, 404)
      expect((await k.admin.get(`${path}/configmaps/held`)).status).toBe(404)
    }),
    behaviour('a terminating namespace refuses new objects', async k => {
      const { name, path } = await newNamespace(k.name('doomed'), body => k.made('/api/v1/namespaces', body))
      await k.made(`${path}/configmaps`, held())
      await k.admin.delete(path)
      const { status, body } = await k.admin.post(`${path}/configmaps`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'late' },
      })
      expect(status).toBe(403)
      expect(body).toEqual(
        failure(
          403,
          'Forbidden',
          `configmaps "late" is forbidden: unable to create new content in namespace ${name} because it is being terminated`,
          {
            name: 'late',
            kind: 'configmaps',
            causes: [
              {
                reason: 'NamespaceTerminating',
                message: `namespace ${name} is being terminated`,
                field: 'metadata.namespace',
              },
            ],
          },
        ),
      )
      k.ok(await k.admin.patch(`${path}/configmaps/held`, 'merge', { metadata: { finalizers: null } }))
      await k.until(path, 404)
    }),
    behaviour('a namespace tells what keeps it from going', async k => {
      const { path } = await newNamespace(k.name('doomed'), body => k.made('/api/v1/namespaces', body))
      await k.made(`${path}/configmaps`, held())
      await k.admin.delete(path)
      const condition = async (): Promise<Json> =>
        k
          .ok(await k.admin.get(path))
          .status.conditions?.find(({ type }: Json) => type === 'NamespaceFinalizersRemaining')
      await eventually(async () => (await condition())?.status === 'True')
      expect(await condition()).toMatchObject({
        reason: 'SomeFinalizersRemain',
        message:
          'Some content in the namespace has finalizers remaining: example.test/hold in 1 resource instances',
      })
      k.ok(await k.admin.patch(`${path}/configmaps/held`, 'merge', { metadata: { finalizers: null } }))
      await k.until(path, 404)
    }),
    behaviour('the namespace default cannot be deleted', async k => {
      const { status, body } = await k.admin.delete('/api/v1/namespaces/default')
      expect(status).toBe(403)
      expect(body.message).toBe('namespaces "default" is forbidden: this namespace may not be deleted')
    }),
  ],
}

function ownedBy({ apiVersion, kind, metadata }: Json): Json {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid }
}

/** A ConfigMap that stays until its finalizer is removed. */
function held(): Json {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'held', finalizers: ['example.test/hold'] },
  }
}

async function newNamespace(
  name: string,
  make: (body: Json) => Promise<Json>,
): Promise<{ name: string; path: string }> {
  await make({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  return { name, path: `/api/v1/namespaces/${name}` }
}

/** Polls a condition that controllers of the server bring about. */
async function eventually(condition: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
    if (await condition()) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  throw new Error('waited in vain')
}

import { expect } from 'vitest'
import { type Bench, behaviour, configMap, deployment, failure, type Group, type Json } from '../behaviour.js'
import type { Answer } from '../wire.js'
import { boat, boats, servesBoats } from './boats.js'

const service = (name: string, spec: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
})

/** The Deployment that exists with this in its pod spec. */
async function deployed(k: Bench, podSpec: Json = {}): Promise<Json> {
  const whole = deployment(k.name())
  whole.spec.template.spec = { ...whole.spec.template.spec, ...podSpec }
  return k.made(k.apps('deployments'), whole)
}

/** Fields that a refusal names. */
const fields = ({ status, body }: Answer): string[] => {
  expect(status).toBe(422)
  return body.details.causes.map(({ field }: Json) => field).sort()
}

/** What two servers answered differently to the same random writes once (test/real/suites/apply-random.test.ts), each at its least. */
export const details: Group = {
  name: 'details',
  prepare: servesBoats,
  behaviours: [
    behaviour('apply tells everything that a configuration’s type cannot hold', async k => {
      const name = k.name()
      const twice = ['example.test/x', 'example.test/x']
      const { status, body } = await k.admin.apply(boats(k, name), 'one', {
        ...boat(name, { flags: ['a', 'a'] }, { finalizers: twice }),
      })
      expect(status).toBe(500)
      expect(body.message.split('\n  ').sort()).toEqual([
        '.metadata.finalizers: duplicate entries for key [="example.test/x"]',
        '.spec.flags: duplicate entries for key [="a"]',
        `failed to create typed patch object (/${name}; suite.example.test/v1, Kind=Boat): errors:`,
      ])
    }),
    behaviour('applying what is absent minds no resourceVersion', async k => {
      const name = k.name()
      const body = { ...configMap(name), metadata: { name, resourceVersion: '1' } }
      expect((await k.admin.apply(k.core('configmaps', name), 'one', body)).status).toBe(201)
    }),
    behaviour('creating minds a resourceVersion only once the object is valid', async k => {
      const name = k.name()
      const made = (data: Json): Promise<Answer> =>
        k.admin.post(k.core('configmaps'), configMap(name, { metadata: { resourceVersion: '1' }, data }))
      expect(fields(await made({ 'no/key': '1' }))).toEqual(['data[no/key]'])
      expect((await made({ a: '1' })).status).toBe(500)
    }),
    behaviour('an owner reference that is sent twice is kept once', async k => {
      const owner = { apiVersion: 'none.example.test/v1', kind: 'Nobody', name: 'p', uid: 'p' }
      const { metadata } = await k.configMap({ metadata: { ownerReferences: [owner, owner] } })
      expect(metadata.ownerReferences).toEqual([owner])
    }),
    behaviour('an update without the resourceVersion it needs names the resource as the kind', async k => {
      const name = k.name()
      await k.made(boats(k), boat(name))
      const { status, body } = await k.admin.put(boats(k, name), boat(name))
      expect(status).toBe(422)
      expect(body.message).toBe(
        `boats.suite.example.test "${name}" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
      )
      expect(body.details).toMatchObject({ group: 'suite.example.test', kind: 'boats' })
    }),
    behaviour('a patch that takes the metadata leaves the name undeterminable', async k => {
      const { metadata } = await k.configMap()
      const { status, body } = await k.admin.patch(k.core('configmaps', metadata.name), 'merge', {
        metadata: null,
      })
      const message = `the name of the object (${metadata.name} based on URL) was undeterminable: name must be provided`
      expect([status, body]).toEqual([400, failure(400, 'BadRequest', message)])
    }),
    behaviour('json: replacing a member that is absent adds it', async k => {
      const { metadata } = await k.configMap({ data: { a: '1' } })
      const patch = [{ op: 'replace', path: '/data/b', value: '2' }]
      const { body } = await k.admin.patch(k.core('configmaps', metadata.name), 'json', patch)
      expect(body.data).toEqual({ a: '1', b: '2' })
    }),
    behaviour('strategic: a directive for a map that is absent does nothing', async k => {
      const { metadata } = await deployed(k)
      for (const $patch of ['replace', 'delete', 'merge']) {
        const answer = await k.admin.patch(k.apps('deployments', metadata.name), 'strategic-merge', {
          spec: { template: { spec: { nodeSelector: { $patch, a: '1' } } } },
        })
        expect(k.ok(answer).spec.template.spec.nodeSelector).toBeUndefined()
      }
    }),
    behaviour('strategic: replacing a list that is absent keeps the directive out', async k => {
      const { metadata } = await deployed(k)
      const volume = { name: 'v', emptyDir: {} }
      const answer = await k.admin.patch(k.apps('deployments', metadata.name), 'strategic-merge', {
        spec: { template: { spec: { volumes: [{ $patch: 'replace' }, volume] } } },
      })
      expect(k.ok(answer).spec.template.spec.volumes).toEqual([volume])
    }),
    behaviour('a map in the place of a scalar is owned down to its last field', async k => {
      const name = k.name()
      await k.made(boats(k), boat(name, { cargo: { x: '1' } }), { fieldManager: 'one' })
      const change = async (x: Json, fieldManager: string): Promise<Json> => {
        const patch = { spec: { cargo: { x } } }
        const { body } = await k.admin.patch(boats(k, name), 'merge', patch, { fieldManager })
        const entry = body.metadata.managedFields.find(({ manager }: Json) => manager === fieldManager)
        return entry.fieldsV1['f:spec']['f:cargo']
      }
      expect(await change({ y: 1 }, 'two')).toEqual({ 'f:x': { '.': {}, 'f:y': {} } })
      expect(await change('1', 'three')).toEqual({ 'f:x': {} })
      const { body } = await k.admin.get(boats(k, name))
      expect(body.metadata.managedFields.map(({ manager }: Json) => manager)).not.toContain('two')
    }),
    behaviour('an unknown subresource of a built-in type is an unknown resource', async k => {
      const { metadata } = await k.configMap()
      const { status, body } = await k.admin.get(`${k.core('configmaps', metadata.name)}/status`)
      expect([status, body]).toEqual([
        404,
        failure(404, 'NotFound', 'the server could not find the requested resource', {}),
      ])
    }),
    behaviour('an unknown subresource of a custom type is an object not found', async k => {
      const name = k.name()
      await k.made(boats(k), boat(name))
      const { status, body } = await k.admin.get(`${boats(k, name)}/sails`)
      expect([status, body.message]).toEqual([404, `boats.suite.example.test "${name}" not found`])
    }),
    behaviour('annotations of a Deployment make a new generation', async k => {
      const { metadata } = await deployed(k)
      const { body } = await k.admin.patch(k.apps('deployments', metadata.name), 'merge', {
        metadata: { annotations: { a: '1' } },
      })
      expect(body.metadata.generation).toBe(2)
    }),
    behaviour('a Deployment reports no more ready replicas than replicas', async k => {
      const { metadata } = await deployed(k)
      const answer = await k.admin.patch(`${k.apps('deployments', metadata.name)}/status`, 'merge', {
        status: { replicas: 0, readyReplicas: 1 },
      })
      expect(fields(answer)).toEqual(['status.readyReplicas'])
    }),
    behaviour('two mounts of a container on one path are Invalid', async k => {
      const whole = deployment(k.name())
      whole.spec.template.spec.volumes = [{ name: 'v', emptyDir: {} }]
      const mount = { name: 'v', mountPath: '/v' }
      whole.spec.template.spec.containers[0].volumeMounts = [mount, mount]
      expect(fields(await k.admin.post(k.apps('deployments'), whole))).toEqual([
        'spec.template.spec.containers[0].volumeMounts[1].mountPath',
      ])
    }),
    behaviour('a volume that is refused cannot be mounted', async k => {
      const whole = deployment(k.name())
      whole.spec.template.spec.volumes = [{ name: 'v', configMap: {} }]
      whole.spec.template.spec.containers[0].volumeMounts = [{ name: 'v', mountPath: '/v' }]
      expect(fields(await k.admin.post(k.apps('deployments'), whole))).toEqual([
        'spec.template.spec.containers[0].volumeMounts[0].name',
        'spec.template.spec.volumes[0].configMap.name',
      ])
    }),
    behaviour('an init container with the name of a container is Invalid', async k => {
      const whole = deployment(k.name())
      whole.spec.template.spec.initContainers = [{ name: 'main', image: 'main:1' }]
      expect(fields(await k.admin.post(k.apps('deployments'), whole))).toEqual([
        'spec.template.spec.initContainers[0].name',
      ])
    }),
    behaviour('ports of a Service have names of their own and target ports that may be', async k => {
      const ports = [
        { name: 'x', port: 80, targetPort: '1' },
        { name: 'x', port: 81 },
      ]
      expect(fields(await k.admin.post(k.core('services'), service(k.name(), { ports })))).toEqual([
        'spec.ports[0].targetPort',
        'spec.ports[1].name',
      ])
    }),
    behaviour('a port number and protocol are a Service’s only once', async k => {
      const ports = [
        { name: 'x', port: 80 },
        { name: 'y', port: 80 },
      ]
      const answer = await k.admin.post(k.core('services'), service(k.name(), { ports }))
      expect(fields(answer)).toEqual(['spec.ports[1]'])
    }),
    behaviour('session affinity brings its timeout, and takes it along', async k => {
      const name = k.name()
      const { spec } = await k.made(k.core('services'), service(name, { sessionAffinity: 'ClientIP' }))
      expect(spec.sessionAffinityConfig).toEqual({ clientIP: { timeoutSeconds: 10_800 } })
      const { body } = await k.admin.patch(k.core('services', name), 'merge', {
        spec: { sessionAffinity: 'None' },
      })
      expect(body.spec.sessionAffinityConfig).toBeUndefined()
    }),
    behaviour(
      'a Service with external addresses has a policy for traffic from outside, and loses both',
      async k => {
        const name = k.name()
        const { spec } = await k.made(k.core('services'), service(name, { externalIPs: ['192.0.2.1'] }))
        expect(spec.externalTrafficPolicy).toBe('Cluster')
        const { body } = await k.admin.patch(k.core('services', name), 'merge', {
          spec: { externalIPs: null },
        })
        expect(body.spec.externalTrafficPolicy).toBeUndefined()
      },
    ),
    behaviour('a spec taken by a patch is an empty one with defaults', async k => {
      const name = k.name()
      await k.made(k.core('services'), service(name))
      const answer = await k.admin.patch(k.core('services', name), 'merge', { spec: null })
      expect(fields(answer)).toEqual(['spec.ports'])
    }),
    behaviour('a dry-run deletion shows the object as it would wait for its finalizers', async k => {
      const { metadata } = await k.configMap({ metadata: { finalizers: ['example.test/x'] } })
      const path = k.core('configmaps', metadata.name)
      const { body } = await k.admin.delete(path, undefined, { dryRun: 'All' })
      expect(body.metadata.deletionTimestamp).toBeDefined()
      expect((await k.admin.get(path)).body.metadata.deletionTimestamp).toBeUndefined()
      await k.admin.patch(path, 'merge', { metadata: { finalizers: null } })
    }),
  ],
}

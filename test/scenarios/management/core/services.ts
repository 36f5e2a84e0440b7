import { describe, expect, it } from 'vitest'
import type { CoreService } from '../../../../proto/gen/kairship/core_pb.js'
import { eventually } from '../../support/eventually.js'
import { type ManagedWorld, TYPES } from '../../support/managed-world.js'
import { data, namesOf, object, requestsTo } from '../requests.js'

/** Services of an instance. */
export function serviceCases(world: ManagedWorld<typeof CoreService>): void {
  const { at, named, whole } = requestsTo(world)

  describe('a Service of an instance', () => {
    const service = (name: string, spec: object = {}) =>
      object('Service', name, { spec: { ports: [{ port: 80, targetPort: 'http' }], ...spec } })
    const create = (name: string, spec?: object) =>
      world.calls.rest('createService', { ...at(), data: data(service(name, spec)) })
    const workload = async (kind: string, resource: string, name: string) =>
      world.create(
        world.control,
        { group: 'apps', version: 'v1', resource },
        {
          apiVersion: 'apps/v1',
          kind,
          metadata: { name },
          spec: {
            ...(kind === 'StatefulSet' && { serviceName: name }),
            selector: { matchLabels: { app: name } },
            template: {
              metadata: { labels: { app: name, tier: 'front' } },
              spec: { containers: [{ name: 'main', image: 'nginx' }] },
            },
          },
        },
      )

    it('is created, read, annotated, replaced and deleted', async () => {
      await create('web', { selector: { app: 'web' } })
      const shown = await world.calls.read('getService', named('web'))
      expect(shown).toMatchObject({
        spec: { type: 'ClusterIP', ports: [{ port: 80, targetPort: 'http', protocol: 'TCP' }] },
      })
      expect(shown.spec.clusterIP).not.toBe('')
      const patched = await world.calls.rest('patchService', { ...named('web'), data: { note: 'hello' } })
      expect(JSON.parse(patched.data).metadata.annotations).toEqual({ note: 'hello' })
      const read = JSON.parse((await world.calls.read('getServiceJSON', named('web'))).data)
      const spec = { ...read.spec, sessionAffinity: 'ClientIP' }
      const replaced = await world.calls.rest('updateService', {
        ...named('web'),
        data: data({ ...read, spec }),
      })
      expect(JSON.parse(replaced.data)).toMatchObject({
        metadata: { annotations: { note: 'hello' } },
        spec: { sessionAffinity: 'ClientIP', internalTrafficPolicy: 'Cluster' },
      })
      expect(await world.calls.rest('deleteService', named('web'))).toEqual({})
    })

    it('is listed by type, by workload and with its own sort field, in a namespace and in the instance', async () => {
      await workload('Deployment', 'deployments', 'shop')
      await workload('StatefulSet', 'statefulsets', 'shop-db')
      await create('list-all', { selector: { tier: 'front' } })
      await create('list-shop', { selector: { app: 'shop' }, type: 'NodePort' })
      await create('list-none', {})
      const list = async (more: object) =>
        namesOf(await world.calls.read('listServices', { ...at(), name: 'list-', ...more }))
      expect(await list({})).toEqual(['list-all', 'list-none', 'list-shop'])
      expect(await list({ sortBy: 'field_name', orderBy: 'desc' })).toEqual([
        'list-shop',
        'list-none',
        'list-all',
      ])
      expect(await list({ sortBy: 'field_name', orderBy: 'asc' })).toEqual([
        'list-all',
        'list-none',
        'list-shop',
      ])
      expect(await list({ type: ['NodePort'] })).toEqual(['list-shop'])
      expect(await list({ type: ['NodePort', 'ClusterIP'] })).toEqual(['list-all', 'list-none', 'list-shop'])
      expect(await list({ kind: 'Deployment', kindName: 'shop' })).toEqual(['list-all', 'list-shop'])
      expect(await list({ kind: 'StatefulSet', kindName: 'shop-db' })).toEqual(['list-all'])
      expect(await list({ kind: 'Deployment', kindName: 'shop', type: ['NodePort'] })).toEqual(['list-shop'])
      expect(await list({ kind: 'Deployment', kindName: 'nobody' })).toEqual([])
      expect(
        namesOf(
          await world.calls.read('listInstanceServices', { ...whole(), name: 'list-', type: ['NodePort'] }),
        ),
      ).toEqual(['list-shop'])
      const half = await world.calls.both('listServices', { ...at(), kind: 'Deployment' })
      expect(half).toMatchObject({ ok: false, json: { code: 3 } })
      expect(half.json.message).toContain('kindName')
    })

    it('is created for a workload with its selector and placement, in the members of the workload', async () => {
      const [, second = ''] = world.members
      const key = { namespace: 'default', name: 'placed' }
      await world.place('Deployment', 'placed', {
        apiVersion: 'apps/v1',
        more: {
          placement: {
            clusterAffinity: { clusterNames: [second] },
            replicaScheduling: { replicaSchedulingType: 'Divided' },
          },
        },
      })
      await workload('Deployment', 'deployments', 'placed')
      await world.in(second, TYPES.deployments, key)
      const request = { ...at(), kind: 'Deployment', kindName: 'placed' }
      const made = await world.calls.rest('createWorkloadService', {
        ...request,
        data: data(service('placed')),
      })
      expect(made).toEqual({})
      const there = await world.in(second, TYPES.services, key)
      expect(there.spec.selector).toEqual({ app: 'placed' })
      const shown = await eventually('it is applied', async () => {
        const found = await world.calls.rest('getService', named('placed'))
        return found.status.clusters[0]?.applied && found
      })
      expect(shown.status.clusters).toMatchObject([{ name: second }])

      const other = service('placed-other', { selector: { app: 'other' } })
      const refused = await world.calls.both('createWorkloadService', { ...request, data: data(other) })
      expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
      expect(refused.text).toContain('data.spec.selector')
      const nobody = { ...request, kindName: 'nobody', data: data(service('placed-nobody')) }
      expect((await world.calls.both('createWorkloadService', nobody)).json.code).toBe(5)
    })

    it('leaves no policy behind when the Service is refused', async () => {
      await workload('Deployment', 'deployments', 'unlucky')
      await world.place('Deployment', 'unlucky', { apiVersion: 'apps/v1' })
      await world.in(
        world.instance,
        TYPES.deployments,
        { namespace: 'default', name: 'unlucky' },
        ({ metadata }) => Boolean(metadata.annotations?.['propagationpolicy.karmada.io/name']),
      )
      const policies = async () =>
        (
          await world.control.request<{ items: { metadata: { name: string } }[] }>({
            method: 'GET',
            path: '/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies',
          })
        ).items.map(({ metadata }) => metadata.name)
      const before = await policies()
      const refused = await world.calls.overRest('createWorkloadService', {
        ...at(),
        kind: 'Deployment',
        kindName: 'unlucky',
        data: data(service('unlucky', { ports: [{ port: 0 }] })),
      })
      expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
      await eventually(
        'the policies that were there',
        async () => String(await policies()) === String(before),
      )
    })
  })
}

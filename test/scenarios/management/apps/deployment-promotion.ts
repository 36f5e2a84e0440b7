import { describe, expect, it } from 'vitest'
import { resourcePath } from '../../../../manifests/kube.js'
import type { AppsService } from '../../../../proto/gen/kairship/apps_pb.js'
import { eventually } from '../../support/eventually.js'
import { type ManagedWorld, TYPES } from '../../support/managed-world.js'
import { namesOf, triedIn } from '../requests.js'
import { deployment } from './deployments-in.js'

/** Deployments of a member that become templates. */
export function deploymentPromotionCases(world: ManagedWorld<typeof AppsService>): void {
  describe('the promotion of a Deployment', () => {
    const [shop, pods] = ['shop', { app: 'promoted' }]
    const there = () => ({ instance: world.instance, cluster: world.members[0]! })
    const promote = (name: string, services: string[] = []) =>
      world.calls.overRest('promoteMemberClusterDeployment', { ...there(), namespace: shop, name, services })

    it('creates templates of a Deployment, its configuration and the named Services, and changes nothing that exists', async () => {
      const [member = ''] = world.members
      const api = world.member(member).local
      await world.create(world.control, TYPES.namespaces, {
        metadata: { name: shop, labels: { team: 'blue' }, annotations: { note: 'kept' } },
      })
      await world.in(member, TYPES.namespaces, { name: shop })
      await world.create(
        api,
        TYPES.configMaps,
        { metadata: { name: 'settings' }, data: { color: 'red' } },
        shop,
      )
      await world.create(
        api,
        TYPES.configMaps,
        { metadata: { name: 'shared' }, data: { from: 'member' } },
        shop,
      )
      await world.create(
        world.control,
        TYPES.configMaps,
        { metadata: { name: 'shared' }, data: { from: 'control plane' } },
        shop,
      )
      await world.create(
        api,
        TYPES.secrets,
        { metadata: { name: 'login' }, stringData: { password: 'x' } },
        shop,
      )
      const main = {
        name: 'main',
        image: 'nginx:1.27',
        envFrom: [
          { configMapRef: { name: 'settings' } },
          { configMapRef: { name: 'shared' } },
          { secretRef: { name: 'login' } },
          { secretRef: { name: 'not-there', optional: true } },
        ],
      }
      await world.create(
        api,
        TYPES.deployments,
        deployment('promoted', {
          replicas: 2,
          template: { metadata: { labels: pods }, spec: { containers: [main] } },
        }),
        shop,
      )
      for (const name of ['front', 'back'])
        await world.create(
          api,
          TYPES.services,
          { metadata: { name }, spec: { selector: pods, ports: [{ port: 80 }] } },
          shop,
        )
      const key = { namespace: shop, name: 'promoted' }
      const before = await world.in(
        member,
        TYPES.deployments,
        key,
        ({ status }) => status.readyReplicas === 2,
      )

      const policies = () =>
        world.control.request<{ items: object[] }>({
          method: 'GET',
          path: resourcePath(TYPES.policies, { namespace: shop }),
        })
      const none = await policies()
      const tried = await world.calls.both('promoteMemberClusterDeployment', {
        ...{ ...there(), namespace: shop, name: 'promoted', services: ['front'], dryRun: true },
      })
      expect(tried, tried.text).toMatchObject({ ok: true, json: {} })
      expect((await policies()).items).toEqual(none.items)
      for (const [type, name] of [
        [TYPES.deployments, 'promoted'],
        [TYPES.configMaps, 'settings'],
        [TYPES.secrets, 'login'],
        [TYPES.services, 'front'],
      ] as const)
        expect(await world.find(world.control, type, { namespace: shop, name }), name).toBeUndefined()
      expect(await world.find(api, TYPES.deployments, key)).toEqual(before)
      expect(triedIn(world, 'PromoteMemberClusterDeployment', 'promoted')).toEqual([
        ['rest', 'OK', true],
        ['grpc', 'OK', true],
      ])

      const promoted = await promote('promoted', ['front', 'front'])
      expect(promoted, promoted.text).toMatchObject({ ok: true, json: {} })
      const shown = await eventually('it runs as a template', async () => {
        const found = await world.calls.rest('getDeployment', { instance: world.instance, ...key })
        return found.status.state === 'WORKLOAD_STATE_RUNNING' && found
      })
      expect(shown.status.clusters).toMatchObject([{ name: member, applied: true, replicas: 2 }])
      for (const [type, name] of [
        [TYPES.configMaps, 'settings'],
        [TYPES.secrets, 'login'],
        [TYPES.services, 'front'],
      ] as const)
        await world.in(world.instance, type, { namespace: shop, name })
      expect(
        await world.find(world.control, TYPES.services, { namespace: shop, name: 'back' }),
      ).toBeUndefined()
      const shared = await world.find(world.control, TYPES.configMaps, { namespace: shop, name: 'shared' })
      expect(shared.data).toEqual({ from: 'control plane' })
      const namespace = await world.find(world.control, TYPES.namespaces, { name: shop })
      expect(namespace.metadata).toMatchObject({ labels: { team: 'blue' }, annotations: { note: 'kept' } })
      const after = await world.in(member, TYPES.deployments, key)
      expect(after.metadata.uid).toBe(before.metadata.uid)
      expect(after.spec.template).toEqual(before.spec.template)
    })

    it('is refused for an existing template, and for a missing object', async () => {
      const again = await promote('promoted')
      expect(again.ok).toBe(false)
      expect([6, 9]).toContain(again.json.code)
      expect((await promote('nobody')).json.code).toBe(5)
    })

    it('is rolled back when one of its objects cannot be promoted', async () => {
      const [member = ''] = world.members
      await world.create(world.member(member).local, TYPES.deployments, deployment('half'), shop)
      expect((await promote('half', ['nobody'])).json.code).toBe(5)
      expect(
        await world.find(world.control, TYPES.deployments, { namespace: shop, name: 'half' }),
      ).toBeUndefined()
    })

    it('chooses from the Deployments of a member, in all namespaces or one', async () => {
      const list = await world.calls.read('listMemberClusterDeployments', { ...there(), namespace: shop })
      expect(namesOf(list)).toEqual(['half', 'promoted'])
      expect(list.items[0]).toMatchObject({
        metadata: { cluster: there().cluster },
        status: { clusters: [] },
      })
      const all = await world.calls.read('listMemberClusterAllDeployments', { ...there(), name: 'hal' })
      expect(namesOf(all)).toEqual(['half'])
      const none = await world.calls.read('listMemberClusterAllDeployments', {
        ...there(),
        namespace: 'default',
        name: 'hal',
      })
      expect(namesOf(none)).toEqual([])
      const nowhere = await world.calls.both('listMemberClusterAllDeployments', {
        ...there(),
        cluster: 'nowhere',
      })
      expect(nowhere).toMatchObject({ ok: false, json: { code: 5 } })
    })
  })
}

import { describe, expect, it } from 'vitest'
import type { CoreService } from '../../../../proto/gen/kairship/core_pb.js'
import { eventually } from '../../support/eventually.js'
import { type ManagedWorld, TYPES } from '../../support/managed-world.js'
import { namesOf, object, requestsTo } from '../requests.js'

/** Services of a member. */
export function memberServiceCases(world: ManagedWorld<typeof CoreService>): void {
  const { named, whole } = requestsTo(world)

  describe('the Services of a member', () => {
    it('are listed by workload and type, and promoted', async () => {
      const [cluster = ''] = world.members
      const api = world.member(cluster).local
      const [shop, labels] = ['member-shop', { app: 'front' }]
      await world.create(world.control, TYPES.namespaces, { metadata: { name: shop } })
      await world.in(cluster, TYPES.namespaces, { name: shop })
      const spec = { selector: labels, ports: [{ port: 80 }] }
      await world.create(api, TYPES.services, object('Service', 'front', { spec }), shop)
      await world.create(
        api,
        TYPES.services,
        object('Service', 'other', { spec: { ...spec, selector: { app: 'x' } } }),
        shop,
      )
      await world.create(
        api,
        TYPES.deployments,
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'front' },
          spec: {
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx' }] } },
          },
        },
        shop,
      )
      const there = { ...whole(), cluster }
      const by = { kind: 'Deployment', kindName: 'front' }
      const member = { ...there, namespace: shop }
      expect(namesOf(await world.calls.read('listServicesForMemberCluster', member))).toEqual([
        'front',
        'other',
      ])
      expect(namesOf(await world.calls.read('listServicesForMemberCluster', { ...member, ...by }))).toEqual([
        'front',
      ])
      expect(namesOf(await world.calls.read('listMemberClusterServices', { ...member, ...by }))).toEqual([
        'front',
      ])
      expect(
        namesOf(await world.calls.read('listMemberClusterAllServices', { ...there, name: 'fron' })),
      ).toEqual(['front'])
      expect(namesOf(await world.calls.read('listMemberClusterAllServices', { ...member, ...by }))).toEqual([
        'front',
      ])

      const ip = (await world.find(api, TYPES.services, { namespace: shop, name: 'front' })).spec.clusterIP
      expect(await world.calls.rest('promoteMemberClusterService', { ...member, name: 'front' })).toEqual({})
      const shown = await eventually('it is applied', async () => {
        const found = await world.calls.rest('getService', named('front', shop))
        return found.status.clusters[0]?.applied && found
      })
      expect(shown.status.clusters).toMatchObject([{ name: cluster }])
      expect((await world.find(api, TYPES.services, { namespace: shop, name: 'front' })).spec.clusterIP).toBe(
        ip,
      )
      expect(
        (await world.calls.overRest('promoteMemberClusterService', { ...member, name: 'front' })).ok,
      ).toBe(false)
    })
  })
}

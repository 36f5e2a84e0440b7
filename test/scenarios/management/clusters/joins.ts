import { describe, expect, it } from 'vitest'
import { CLUSTERS } from '../../../../karmada/objects/cluster.js'
import { eventually } from '../../support/eventually.js'
import { TYPES } from '../../support/managed-world.js'
import { ACCOUNTS, BINDINGS, type ClusterWorld, WITHIN } from './cluster-world.js'

/** Clusters that join and leave. */
export function joinCases(clusters: ClusterWorld): void {
  const { world } = clusters
  describe('a cluster that joins and leaves', () => {
    it('becomes ready with the given fields, and leaves nothing behind on either side', async () => {
      const joined = await clusters.join('fresh', {
        cluster: {
          metadata: { labels: { tier: 'new' } },
          spec: { providerName: 'metal', region: 'north', zones: ['n1', 'n2'], aliasName: 'Fresh one' },
        },
      })
      expect(joined, joined.text).toMatchObject({ ok: true, json: {} })
      expect(await clusters.running('fresh')).toMatchObject({
        metadata: { labels: { tier: 'new' } },
        spec: { region: 'north', zones: ['n1', 'n2'], aliasName: 'Fresh one', providerName: 'metal' },
      })
      expect((await clusters.secret('fresh')).metadata.ownerReferences).toMatchObject([
        { kind: 'Cluster', name: 'fresh' },
      ])
      expect((await clusters.secret('fresh-impersonator')).data).toEqual({ token: expect.any(String) })
      expect(await clusters.accessIn(clusters.fresh.server.local, 'fresh')).toEqual([
        'role',
        'binding',
        'account',
        'namespace',
      ])

      expect(await clusters.leave('fresh')).toMatchObject({ ok: true, json: { leftInCluster: [] } })
      expect(await world.find(world.control, CLUSTERS, { name: 'fresh' })).toBeUndefined()
      await eventually(
        'the Secrets are gone',
        async () => !(await clusters.secret('fresh')) && !(await clusters.secret('fresh-impersonator')),
      )
      await eventually(
        'the access is gone',
        async () => (await clusters.accessIn(clusters.fresh.server.local, 'fresh')).length === 0,
      )
      expect((await world.calls.both('removeJoinedCluster', clusters.named('fresh'))).json.code).toBe(5)
    })

    it('is refused with a second name, a taken name, and a malformed one, and nothing is created', async () => {
      const [member = ''] = world.members
      const again = await world.member(member).kubeconfig({ name: 'root', groups: ['system:masters'] })
      const second = await clusters.join('second', { kubeconfig: again })
      expect([second.json.code, second.text]).toEqual([
        6,
        expect.stringContaining(`under the name ${member}`),
      ])
      expect((await clusters.join(member)).json.code).toBe(6)
      const bad = await clusters.join('Not_A_Name')
      expect(bad.json.code, bad.text).toBe(3)
      expect(await clusters.secret('second')).toBeUndefined()
      expect(await clusters.accessIn(world.member(member).local, 'second')).toEqual(['namespace'])
      expect(await clusters.accessIn(clusters.fresh.server.local, member)).toEqual([])
    })

    it('is checked by a dry run, which writes nothing, in the instance or in the cluster', async () => {
      const api = clusters.fresh.server.local
      expect((await clusters.join('tried', { dryRun: true })).ok).toBe(true)
      expect(await world.find(world.control, CLUSTERS, { name: 'tried' })).toBeUndefined()
      expect(await clusters.secret('tried')).toBeUndefined()
      expect(await clusters.accessIn(api, 'tried')).toEqual([])
      const wrong = { labels: { tier: 'a b' } }
      const refused = await clusters.join('tried', { dryRun: true, cluster: { metadata: wrong } })
      expect([refused.ok, refused.text]).toEqual([false, expect.stringContaining('a b')])
      const unread = await clusters.join('tried', { dryRun: true, kubeconfig: 'none' })
      expect([unread.json.code, unread.text]).toEqual([3, expect.stringContaining('kubeconfig')])
    })

    it('keeps objects in it that another control plane uses, and reports them', async () => {
      const api = clusters.fresh.server.local
      await clusters.join('shared')
      await world.create(
        api,
        ACCOUNTS,
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'karmada-theirs' } },
        WITHIN,
      )
      const { json } = await clusters.leave('shared')
      expect(json.leftInCluster).toEqual([expect.stringContaining('karmada-theirs of other control planes')])
      await eventually(
        'our part is gone',
        async () => (await clusters.accessIn(api, 'shared')).join() === 'namespace',
      )
      expect(
        await world.find(api, ACCOUNTS, { namespace: WITHIN, name: 'karmada-impersonator' }),
      ).toBeDefined()
      await world.remove(api, TYPES.namespaces, { name: WITHIN })
      await eventually(
        'the namespace is gone',
        async () => !(await world.find(api, TYPES.namespaces, { name: WITHIN })),
      )
    })

    it('is refused where another instance has joined it under the same name', async () => {
      const api = clusters.fresh.server.local
      const name = 'karmada-controller-manager:karmada-twice'
      await api.request({
        method: 'POST',
        path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
        body: {
          metadata: { name, annotations: { 'kairship.io/joined-to': 'us-east' } },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        },
      })
      const { json, text } = await clusters.join('twice')
      expect([json.code, text]).toEqual([6, expect.stringContaining('instance us-east has joined')])
      expect(await clusters.accessIn(api, 'twice')).toEqual(['binding'])
      await world.remove(api, BINDINGS, { name })
    })

    it('leaves nothing behind when a late step fails, whether it was refused or not answered', async () => {
      const api = clusters.fresh.server.local
      for (const [method, path, code] of [
        ['POST', /\/secrets$/, 403],
        ['POST', /\/clusters$/, 500],
        ['PATCH', /\/secrets\/broken/, 403],
      ] as const) {
        const undo = clusters.failAt(method, path, code)
        try {
          const { ok, text } = await clusters.join('broken')
          expect([ok, text]).toEqual([false, expect.stringContaining('told to fail')])
          expect(text).not.toContain('This is left of it')
        } finally {
          undo()
        }
        await eventually('the control plane is clean', async () => {
          const found = [
            await world.find(world.control, CLUSTERS, { name: 'broken' }),
            await clusters.secret('broken'),
          ]
          return found.every(one => one === undefined) && !(await clusters.secret('broken-impersonator'))
        })
        await eventually(
          'the cluster is clean',
          async () => (await clusters.accessIn(api, 'broken')).length === 0,
        )
      }
    })

    it('is authorized by the control plane before any request to the cluster', async () => {
      const undo = clusters.failAt('POST', /\/secrets$/, 403, true)
      try {
        const { json, text } = await clusters.join('early', {
          kubeconfig: clusters.changed(({ clusters: [{ cluster }] }) => {
            cluster.server = 'https://127.0.0.1:1'
          }),
        })
        expect([json.code, text]).toEqual([7, expect.stringContaining('told to fail')])
      } finally {
        undo()
      }
    })

    it('is refused for a Pull member, whose agent would add it again', async () => {
      await world.create(
        world.control,
        CLUSTERS,
        {
          ...{ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata: { name: 'pulls' } },
          spec: { syncMode: 'Pull' },
        },
        '',
      )
      const { json, text } = await clusters.leave('pulls')
      expect([json.code, text]).toEqual([9, expect.stringContaining('karmadactl unregister pulls')])
      await world.remove(world.control, CLUSTERS, { name: 'pulls' })
    })
  })
}

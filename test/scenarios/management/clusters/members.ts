import { describe, expect, it } from 'vitest'
import { eventually } from '../../support/eventually.js'
import type { Following } from '../../support/following.js'
import { TYPES } from '../../support/managed-world.js'
import { type ClusterWorld, namesOf } from './cluster-world.js'

interface Named {
  readonly metadata: { readonly name: string }
}

/** Lists and single members. */
export function memberCases(clusters: ClusterWorld): void {
  const { world } = clusters
  describe('the member clusters of an instance', () => {
    it('are the same over REST and gRPC, sorted, searched, filtered and paged', async () => {
      const [first = '', second = ''] = world.members
      await clusters.running(first)
      await clusters.running(second)
      const list = async (more: object = {}) =>
        namesOf(await world.calls.read('listJoinedClusters', { instance: world.instance, ...more }))
      expect(await list()).toEqual([first, second])
      expect(await list({ sortBy: 'field_name', sortDir: 'desc' })).toEqual([second, first])
      expect(await list({ page: 2, pageSize: 1 })).toEqual([second])
      expect(await list({ name: first.slice(-2) })).toEqual([first])
      expect(await list({ clusterSelector: `${second}, nobody` })).toEqual([second])
      expect(await list({ phase: 'RUNNING', provider: 'playground', region: world.instance })).toEqual([
        first,
        second,
      ])
      expect(await list({ phase: 'FAILED' })).toEqual([])
      expect(await list({ provider: 'GENERIC', zone: 'elsewhere' })).toEqual([])
      expect(await list({ role: ['WORKER'] })).toEqual([])
      expect(await list({ fieldSelector: `metadata.name=${first}` })).toEqual([first])
      const { pagination } = await world.calls.read('listJoinedClusters', {
        instance: world.instance,
        pageSize: 1,
      })
      expect(pagination).toEqual({
        ...{ total: 2, page: 1, pageSize: 1, pages: 2 },
        nextPageToken: expect.stringMatching(/^page1\./),
      })
    })

    it('are followed with the filter of their list, as they match and cease to', async () => {
      const [first = '', second = ''] = world.members
      const request = {
        instance: world.instance,
        managedBy: 'followed',
        clusterSelector: `${first},${second}`,
      }
      const manage = (name: string, by: string | null) => {
        const annotations = { 'kairship.io/cluster-managed-by': by }
        return world.patch(world.control, TYPES.clusters, { name }, { metadata: { annotations } })
      }
      const { rest, grpc } = world.calls.follow('watchJoinedClusters', request)
      // Karmada's controllers change a Cluster at any time.
      const changes = ({ steps }: Following) =>
        steps
          .filter(({ type }) => type !== 'MODIFIED')
          .map(({ type, total, cluster }) => [type, total, (cluster as Named | null)?.metadata.name])
      const has = (count: number) =>
        eventually(`${count} changes`, () => [rest, grpc].every(one => changes(one).length >= count), {
          story: () => rest.text() + grpc.text(),
        })
      try {
        await has(2)
        await manage(first, 'others')
        await manage(first, 'followed')
        await has(3)
        await manage(second, 'followed')
        await has(4)
        await manage(first, null)
        await has(5)
        for (const one of [rest, grpc])
          expect(changes(one)).toEqual([
            ['RESET', 0, undefined],
            ['BOOKMARK', 0, undefined],
            ['ADDED', 1, first],
            ['ADDED', 2, second],
            ['LEFT', 1, first],
          ])
      } finally {
        rest.close()
        grpc.close()
        for (const name of [first, second]) await manage(name, null)
      }
    })

    it('have their state, capacity and nodes, and a whole object', async () => {
      const [name = ''] = world.members
      await clusters.running(name)
      const shown = await world.calls.read('getJoinedCluster', clusters.named(name))
      expect(shown).toMatchObject({
        metadata: { name },
        spec: { provider: 'GENERIC', providerName: 'playground', region: world.instance, syncMode: 'Push' },
        status: {
          phase: 'RUNNING',
          kubernetesVersion: expect.stringMatching(/^v1\./),
          resourceSummary: { allocatable: { cpu: '8' } },
          totalNodes: 2,
          readyNodes: 2,
        },
      })
      expect(shown.status.conditions).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'True' }),
      )
      const { data } = await world.calls.read('getJoinedClusterJSON', clusters.named(name))
      expect(JSON.parse(data)).toMatchObject({ kind: 'Cluster', spec: { id: shown.status.kubeSystemID } })
      expect((await world.calls.both('getJoinedCluster', clusters.named('nobody'))).json.code).toBe(5)
    })

    it('refuse an unknown phase or role, with the known ones', async () => {
      const ask = async (more: object) =>
        (await world.calls.both('listJoinedClusters', { instance: world.instance, ...more })).text
      expect(await ask({ phase: 'HAPPY' })).toContain('must be one of UNKNOWN, CREATING, RUNNING')
      const unknown = { instance: world.instance, phase: 'HAPPY' }
      const refused = await world.calls.overRest('watchJoinedClusters', unknown)
      expect(refused.text).toContain('must be one of UNKNOWN, CREATING, RUNNING')
      expect(await ask({ role: ['KING'] })).toContain('must be one of MANAGER, GLOBAL_SERVICE')
    })
  })
}

import type { JsonObject } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { CLUSTERS } from '../../../../karmada/objects/cluster.js'
import { type ClusterWorld, namesOf } from './cluster-world.js'

/** Changes of members. */
export function changeCases(clusters: ClusterWorld): void {
  const { world } = clusters
  describe('a change of a member cluster', () => {
    it('replaces labels and location, keeps fields that it lacks, and shows in the summaries', async () => {
      const [name = ''] = world.members
      const before = await clusters.running(name)
      const update = (cluster: JsonObject) =>
        world.calls.rest('updateJoinedCluster', { ...clusters.named(name), cluster })
      const taints = [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }]
      const labelled = await update({ metadata: { labels: { tier: 'gold' } } })
      expect(labelled.cluster).toMatchObject({
        metadata: { labels: { tier: 'gold' } },
        spec: { providerName: 'playground', region: world.instance },
      })
      const { cluster } = await update({
        spec: {
          ...before.spec,
          provider: 'AWS_EKS',
          providerName: '',
          zone: 'z1',
          roles: ['WORKER'],
          taints,
        },
      })
      expect(cluster).toMatchObject({
        metadata: { labels: { tier: 'gold' } },
        spec: {
          provider: 'AWS_EKS',
          zones: ['z1'],
          roles: ['WORKER'],
          taints,
          apiEndpoint: before.spec.apiEndpoint,
        },
      })
      const at = { instance: world.instance }
      expect((await world.calls.read('listClustersLabels', at)).clusterLabels).toContainEqual({
        cluster: name,
        labels: { tier: 'gold' },
      })
      expect((await world.calls.read('listClustersLocationSummary', at)).locations).toContainEqual({
        ...{ cluster: name, provider: 'AWS_EKS', region: world.instance, zone: 'z1' },
      })
      expect(namesOf(await world.calls.read('listJoinedClusters', { ...at, role: ['WORKER'] }))).toEqual([
        name,
      ])
      await update({ spec: before.spec })
    })

    it('is only tried in a dry run: the answer is what would be stored, and nothing is', async () => {
      const [name = ''] = world.members
      await clusters.running(name)
      const stored = async () => {
        const { metadata, spec } = await world.find(world.control, CLUSTERS, { name })
        return { labels: metadata.labels, spec }
      }
      const of = { ...clusters.named(name), dryRun: true }
      const before = await stored()
      const { cluster } = await world.calls.read('updateJoinedCluster', {
        ...of,
        cluster: { metadata: { labels: { tier: 'tried' } } },
      })
      expect(cluster.metadata.labels).toEqual({ tier: 'tried' })
      const cordoned = await world.calls.read('cordonJoinedCluster', of)
      expect(cordoned.spec.taints).toEqual([
        expect.objectContaining({ key: 'cluster.karmada.io/unschedulable', effect: 'NoSchedule' }),
      ])
      expect((await world.calls.read('uncordonJoinedCluster', of)).spec.taints).toEqual([])
      expect(await world.calls.read('removeJoinedCluster', of)).toEqual({ leftInCluster: [] })
      expect(await stored()).toEqual(before)
      expect((await world.viewer.overRest('removeJoinedCluster', of)).json.code).toBe(7)
    })

    it('cordons and uncordons beside other taints, repeatably', async () => {
      const [, name = ''] = world.members
      await clusters.running(name)
      const taintsOf = async () =>
        (await world.find(world.control, CLUSTERS, { name })).spec.taints?.map(
          (taint: { key: string }) => taint.key,
        )
      const effect = 'NoSchedule'
      const own = { providerName: 'playground', region: world.instance }
      await world.calls.rest('updateJoinedCluster', {
        ...clusters.named(name),
        cluster: { spec: { ...own, taints: [{ key: 'own', effect }] } },
      })
      for (const _ of [1, 2]) {
        const shown = await world.calls.rest('cordonJoinedCluster', clusters.named(name))
        expect(shown.spec.taints.map(({ key }: { key: string }) => key)).toEqual([
          'own',
          'cluster.karmada.io/unschedulable',
        ])
      }
      expect(await taintsOf()).toEqual(['own', 'cluster.karmada.io/unschedulable'])
      await world.calls.rest('uncordonJoinedCluster', clusters.named(name))
      await world.calls.rest('uncordonJoinedCluster', clusters.named(name))
      expect(await taintsOf()).toEqual(['own'])
      await world.calls.rest('updateJoinedCluster', { ...clusters.named(name), cluster: { spec: own } })
      expect(await taintsOf()).toBeUndefined()
    })

    it('is refused for another name, an old version, a taint without effect and a malformed label', async () => {
      const [name = ''] = world.members
      const update = (cluster: JsonObject) =>
        world.calls.both('updateJoinedCluster', { ...clusters.named(name), cluster })
      expect((await update({ metadata: { name: 'other' } })).text).toContain('cluster.metadata.name')
      expect((await update({ metadata: { resourceVersion: '1', labels: { a: 'b' } } })).json.code).toBe(10)
      expect((await update({ spec: { taints: [{ key: 'a' }] } })).text).toContain(
        'cluster.spec.taints[0].effect',
      )
      const label = await update({ metadata: { labels: { 'not a label': 'x' } } })
      expect([label.json.code, label.text]).toEqual([3, expect.stringContaining('cluster.metadata.labels')])
    })

    it('is refused for a caller who may only read', async () => {
      const [name = ''] = world.members
      expect((await world.viewer.both('cordonJoinedCluster', clusters.named(name))).json.code).toBe(7)
      expect((await world.viewer.both('removeJoinedCluster', clusters.named(name))).json.code).toBe(7)
      expect(
        (await world.viewer.both('joinCluster', { ...clusters.named('x'), kubeconfig: clusters.kubeconfig }))
          .json.code,
      ).toBe(7)
    })
  })
}

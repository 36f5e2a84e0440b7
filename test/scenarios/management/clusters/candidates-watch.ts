import type { JsonObject } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { PEDIA_CLUSTERS } from '../../../../manifests/pedia-cluster.js'
import { hostUser } from '../../support/host-user.js'
import { type WholeStream, whileOpen } from '../../support/whole-stream.js'
import type { ClusterWorld } from './cluster-world.js'

/** The list of the clusters that can join, as it is followed. */
export function candidateWatchCases(clusters: ClusterWorld): void {
  const { world } = clusters
  const host = () => world.world.playground.host.local
  const make = (name: string, spec: object, labels: Record<string, string> = {}) =>
    world.create(
      ...([host(), PEDIA_CLUSTERS] as const),
      {
        apiVersion: 'cluster.clusterpedia.io/v1alpha2',
        kind: 'PediaCluster',
        metadata: { name, labels },
        spec: { ...spec, syncResources: [] },
      },
      '',
    )
  const remove = (name: string) => world.remove(host(), PEDIA_CLUSTERS, { name })
  const reached = () => ({ kubeconfig: Buffer.from(clusters.kubeconfig).toString('base64') })
  const watch = (
    request: JsonObject,
    work: (stream: WholeStream) => Promise<unknown>,
    calls: typeof world.calls = world.calls,
  ) =>
    whileOpen(
      ...([calls, 'watchClusters', request] as const),
      ({ cluster }) => {
        const { metadata, spec } = (cluster ?? {}) as Record<string, JsonObject>
        return cluster ? [metadata?.name, spec?.managedBy] : []
      },
      work,
    )

  describe('a watch of the clusters that can join', () => {
    it('sends those that come and run, LEFT for one that joins or is being deleted, and ADDED when it has left the instance', async () => {
      const { instance } = world
      const name = 'waits'
      await watch({ instance, name }, async can =>
        watch({ instance, name, allCluster: true }, async all => {
          expect(await can.said(2)).toEqual([
            ['RESET', 0],
            ['BOOKMARK', 0],
          ])
          await all.said(2)
          await make(name, reached())
          await can.said(3)
          expect((await clusters.join(name, { kubeconfig: '' })).text).toBe('{}')
          await can.said(4)
          expect((await clusters.leave(name)).ok).toBe(true)
          await can.said(5)
          await remove(name)
          expect((await can.said(6)).slice(2)).toEqual([
            ['ADDED', 1, name, ''],
            ['LEFT', 0, name, instance],
            ['ADDED', 1, name, ''],
            ['LEFT', 0, name, ''],
          ])
          expect((await all.said(6)).slice(2)).toEqual([
            ['ADDED', 1, name, ''],
            ['MODIFIED', 1, name, instance],
            ['MODIFIED', 1, name, ''],
            ['DELETED', 0, name, ''],
          ])
        }),
      )
    })

    it('sends LEFT for one that labels no longer select, DELETED for one that is gone, and no credential', async () => {
      const credential = Buffer.from('s3cret of a cluster').toString('base64')
      await make('labelled', { apiserver: 'https://127.0.0.1:1', tokenData: credential }, { team: 'a' })
      await make('removed', { apiserver: 'https://127.0.0.1:1', tokenData: credential }, { team: 'a' })
      const request = { labelSelector: 'team=a', allCluster: true }
      await watch(request, async ({ said }) => {
        await said(4)
        await world.patch(
          host(),
          PEDIA_CLUSTERS,
          { name: 'labelled' },
          { metadata: { labels: { team: 'b' } } },
        )
        await said(5)
        await remove('removed')
        expect(await said(6)).toEqual([
          ['RESET', 0],
          ['ADDED', 1, 'labelled', ''],
          ['ADDED', 2, 'removed', ''],
          ['BOOKMARK', 2],
          ['LEFT', 1, 'labelled', ''],
          ['DELETED', 0, 'removed', ''],
        ])
      })
      const { rest, grpc } = world.calls.follow('watchClusters', { allCluster: true, name: 'labelled' })
      await watch({ allCluster: true, name: 'labelled' }, async ({ said }) => void (await said(3)))
      for (const following of [rest, grpc]) {
        expect(following.text()).not.toContain(credential)
        following.close()
      }
      await remove('labelled')
    })

    it('goes on after its last token, and starts over with the token of another stream', async () => {
      const { instance } = world
      const request = { instance, allCluster: true, name: 'resumed' }
      const away = { apiserver: 'https://127.0.0.1:1' }
      let tokens: readonly string[] = []
      await watch(request, async stream => {
        await stream.said(2)
        tokens = stream.tokens
      })
      await make('resumed', away)
      try {
        for (const resumeToken of tokens)
          await watch({ ...request, resumeToken }, async ({ said }) =>
            expect((await said(2)).slice(0, 2)).toEqual([
              ['BOOKMARK', 0],
              ['ADDED', 1, 'resumed', ''],
            ]),
          )
        const [resumeToken = ''] = tokens
        const other = { allCluster: true, name: 'resumed', resumeToken }
        await watch(other, async ({ said }) => expect((await said(1))[0]).toEqual(['RESET', 0]))
      } finally {
        await remove('resumed')
      }
      for (const resumeToken of ['mine', tokens[0]?.slice(0, 30) ?? ''])
        expect((await world.calls.overRest('watchClusters', { resumeToken })).json.code).toBe(3)
      expect((await world.calls.overRest('watchClusters', { phase: 'NONE' })).json.code).toBe(3)
    })

    it('needs the rights to list and to watch clusters, and with an instance the right to reach it', async () => {
      const { host: hostServer } = world.world.playground
      const { instance } = world
      for (const [name, verbs, request, isGranted] of [
        ['lists-clusters', ['list'], {}, false],
        ['watches-clusters', ['watch'], {}, false],
        ['follows-clusters', ['list', 'watch'], { instance }, false],
        ['follows-all-clusters', ['list', 'watch'], {}, true],
      ] as const) {
        const calls = world.calls.as(await hostUser(hostServer, name, { clusters: verbs }))
        try {
          if (isGranted) await watch(request, async ({ said }) => void (await said(2)), calls)
          else expect((await calls.overRest('watchClusters', request)).json.code, name).toBe(7)
        } finally {
          calls.close()
        }
      }
    })
  })
}

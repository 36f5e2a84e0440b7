import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import type { Objects } from '../../../../http/objects/objects.js'
import { Candidates } from '../../../../http/rpc/cluster/candidates/candidates.js'
import { watchCandidates } from '../../../../http/rpc/cluster/candidates/watch-candidates.js'
import type { WatchEvent } from '../../../../ports/kube-api.js'
import { WatchClustersRequestSchema } from '../../../../proto/gen/kairship/cluster_pb.js'
import { ListChange_Type as Type } from '../../../../proto/gen/kairship/types_pb.js'
import { aloneAnswers } from '../../fakes/answers.js'

const RIGHTS = ['list clusters', 'watch clusters', 'get instances/proxy']
const edge = (resourceVersion: string) => ({
  ...{ apiVersion: 'cluster.clusterpedia.io/v1alpha2', kind: 'PediaCluster' },
  metadata: { name: 'edge', uid: 'u', resourceVersion },
  spec: { apiserver: 'https://edge', syncResources: [] },
  status: { version: `v1.${resourceVersion}.0` },
})

/** Follows the clusters that can join an instance without members, for a caller with these rights, which the test may take away. */
function following(rights: Set<string>) {
  const reads: unknown[] = []
  const candidates = new Candidates({
    request: async one => {
      reads.push(one)
      return { metadata: { resourceVersion: '5' }, items: [edge('5')] } as never
    },
    async *watch(): AsyncGenerator<WatchEvent> {
      for (const version of ['6', '7', '8']) yield { type: 'MODIFIED', object: edge(version) }
    },
  })
  const objects = {
    async *watch({ signal }: Call) {
      yield { type: 'RESET', total: 0 }
      yield { type: 'BOOKMARK', total: 0 }
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  } as unknown as Objects
  const handler = watchCandidates({
    ...{ objects, candidates },
    authorizer: {
      decide: (_, action) => ({
        allowed: 'resource' in action && rights.has(`${action.verb} ${action.resource}`),
        reason: '',
      }),
    },
  })
  const call = {
    ...{ caller: { user: 'ann', groups: [], extra: {} }, signal: new AbortController().signal },
    ...{ answered: () => undefined, answers: aloneAnswers(true) },
  } as unknown as Call
  const request = create(WatchClustersRequestSchema, { instance: 'north', allCluster: true })
  return { stream: async () => handler(request, call), reads }
}

describe('a watch of the clusters that can join', () => {
  it.each(RIGHTS)('ends with a refusal at the first change after the right to %s is gone', async right => {
    const rights = new Set(RIGHTS)
    const seen: unknown[] = []
    const read = async () => {
      for await (const { type, cluster } of await following(rights).stream()) {
        seen.push([type, cluster?.status?.kubernetesVersion])
        if (seen.length === 4) rights.delete(right)
      }
    }
    await expect(read()).rejects.toMatchObject({ code: 7 })
    expect(seen).toEqual([
      [Type.RESET, undefined],
      [Type.ADDED, 'v1.5.0'],
      [Type.BOOKMARK, undefined],
      [Type.MODIFIED, 'v1.6.0'],
    ])
  })

  it.each(RIGHTS)('is refused to who may all but %s, and nothing is read', async right => {
    const rights = new Set(RIGHTS.filter(one => one !== right))
    const { stream, reads } = following(rights)
    await expect(stream()).rejects.toMatchObject({ code: 7 })
    expect(reads).toEqual([])
  })
})

import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import { watchWorkspaces } from '../../../../http/rpc/workspace/watch-workspaces.js'
import { Workspaces } from '../../../../http/rpc/workspace/workspaces.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import type { WatchEvent } from '../../../../ports/kube-api.js'
import { ListChange_Type as Type } from '../../../../proto/gen/kairship/types_pb.js'
import { WatchWorkspacesRequestSchema } from '../../../../proto/gen/kairship/workspace_pb.js'

const shop = (resourceVersion: string, id: number) => ({
  metadata: { name: 'shop', uid: 'u', resourceVersion },
  spec: { id },
})

/** Follows workspaces for a caller with these rights, which the test may take away. */
function following(rights: Set<string>, answer: () => unknown) {
  const request = create(WatchWorkspacesRequestSchema)
  const call = {
    caller: { user: 'ann', groups: [] },
    signal: new AbortController().signal,
  } as unknown as Call
  const reads: unknown[] = []
  const handler = watchWorkspaces({
    workspaces: new Workspaces({
      request: async one => {
        reads.push(one)
        return answer() as never
      },
      async *watch(): AsyncGenerator<WatchEvent> {
        yield { type: 'MODIFIED', object: shop('6', 3) }
        yield { type: 'MODIFIED', object: shop('7', 4) }
      },
    }),
    authorizer: {
      decide: (_, action) => ({ allowed: 'resource' in action && rights.has(action.verb), reason: '' }),
    },
  })
  return { stream: async () => handler(request, call), reads }
}

const list = () => ({ metadata: { resourceVersion: '5' }, items: [shop('1', 2)] })

describe('a watch of workspaces', () => {
  it.each(['list', 'watch'])(
    'ends with a refusal at the first change after the right to %s is gone',
    async verb => {
      const rights = new Set(['list', 'watch'])
      const seen: unknown[] = []
      const read = async () => {
        for await (const { type, workspace } of await following(rights, list).stream()) {
          seen.push([type, workspace?.workspaceId])
          if (seen.length === 4) rights.delete(verb)
        }
      }
      await expect(read()).rejects.toMatchObject({ code: 7 })
      expect(seen).toEqual([
        [Type.RESET, undefined],
        [Type.ADDED, 2],
        [Type.BOOKMARK, undefined],
        [Type.MODIFIED, 3],
      ])
    },
  )

  it.each(['list', 'watch'])('is refused to who may only %s, and nothing is read', async verb => {
    const { stream, reads } = following(new Set([verb]), list)
    await expect(stream()).rejects.toMatchObject({ code: 7 })
    expect(reads).toEqual([])
  })

  it.each([
    [
      'serves no workspaces',
      () => {
        throw new StatusError({ ...bareStatus(404, 'not found'), reason: '' })
      },
      { code: 9, details: { reason: 'NoWorkspaces' } },
    ],
    ['gives its list no version', () => ({ metadata: {}, items: [] }), { code: 14 }],
  ])('is refused where the host %s', async (_, answer, failure) => {
    const { stream } = following(new Set(['list', 'watch']), answer)
    await expect(stream()).rejects.toMatchObject(failure)
  })
})

import type { JsonObject } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { resourcePath } from '../../../manifests/kube.js'
import { WORKSPACES } from '../../../manifests/workspace.js'
import { WorkspaceService } from '../../../proto/gen/kairship/workspace_pb.js'
import { eventually } from '../support/eventually.js'
import type { Following } from '../support/following.js'
import { hostUser } from '../support/host-user.js'
import { ManagedWorld } from '../support/managed-world.js'

const world = new ManagedWorld(WorkspaceService)
const host = () => world.world.playground.host.local
const make = (name: string, id: number) =>
  host().request({
    ...{ method: 'POST', path: resourcePath(WORKSPACES) },
    body: { apiVersion: 'kairship.io/v1alpha1', kind: 'Workspace', metadata: { name }, spec: { id } },
  })
const WIRES = ['rest', 'grpc'] as const

/** What the first steps of a stream say, when they have come. */
async function said(following: Following, count: number): Promise<unknown[][]> {
  const has = () => following.steps.length >= count
  await eventually(`${count} steps`, has, { story: following.text })
  return following.steps.slice(0, count).map(({ type, total, workspace }) => {
    const { workspace: name, workspaceId } = (workspace ?? {}) as JsonObject
    return workspace ? [type, total, name, workspaceId] : [type, total]
  })
}

/** Follows over both wires while `work` runs; both must say the same. */
async function whileWatching<T>(
  request: JsonObject,
  work: (steps: (count: number) => Promise<unknown[][]>, tokenAt: (index: number) => string[]) => Promise<T>,
  calls = world.calls,
): Promise<T> {
  const following = calls.follow('watchWorkspaces', request)
  try {
    return await work(
      async count => {
        const steps = await said(following.rest, count)
        expect(await said(following.grpc, count)).toEqual(steps)
        return steps
      },
      index => WIRES.map(wire => following[wire].steps[index]?.resumeToken as string),
    )
  } finally {
    for (const wire of WIRES) following[wire].close()
  }
}

describe('a watch of workspaces', () => {
  it('sends those that are there, and then each change of one whose name contains the text', async () => {
    await whileWatching({ workspace: 'ho' }, async steps => {
      expect(await steps(3)).toEqual([
        ['RESET', 0],
        ['ADDED', 1, 'shop', 2],
        ['BOOKMARK', 1],
      ])
      await make('other', 8)
      await make('hotel', 9)
      await world.patch(host(), WORKSPACES, { name: 'hotel' }, { spec: { alias: 'Hotels' } })
      await world.remove(host(), WORKSPACES, { name: 'other' })
      await world.remove(host(), WORKSPACES, { name: 'hotel' })
      const changes = (await steps(6)).slice(3)
      expect(changes).toEqual([
        ['ADDED', 2, 'hotel', 9],
        ['MODIFIED', 2, 'hotel', 9],
        ['DELETED', 1, 'hotel', 9],
      ])
    })
  })

  it('goes on after its last token, and starts over with the token of another stream', async () => {
    const tokens = await whileWatching({}, async (steps, tokenAt) => {
      await steps(4)
      return tokenAt(3)
    })
    await make('later', 11)
    try {
      for (const resumeToken of tokens)
        await whileWatching({ resumeToken }, async steps =>
          expect(await steps(2)).toEqual([
            ['BOOKMARK', 2],
            ['ADDED', 3, 'later', 11],
          ]),
        )
      const [resumeToken = ''] = tokens
      await whileWatching({ resumeToken, workspace: 'shop' }, async steps =>
        expect((await steps(1))[0]).toEqual(['RESET', 0]),
      )
      await whileWatching(
        { resumeToken },
        async steps => expect((await steps(1))[0]).toEqual(['RESET', 0]),
        world.viewer,
      )
    } finally {
      await world.remove(host(), WORKSPACES, { name: 'later' })
    }
    const refused = await world.calls.overRest('watchWorkspaces', { resumeToken: 'mine' })
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
  })

  it('needs the rights to list and to watch workspaces, which a viewer has', async () => {
    await whileWatching({}, async steps => expect(await steps(4)).toHaveLength(4), world.viewer)
    for (const [name, verbs] of [
      ['lists-workspaces', ['list']],
      ['watches-workspaces', ['watch']],
    ] as const) {
      const calls = world.calls.as(
        await hostUser(world.world.playground.host, name, { workspaces: verbs, instances: ['get', 'list'] }),
      )
      try {
        expect((await calls.overRest('watchWorkspaces', {})).json.code, name).toBe(7)
        const { rest, grpc } = calls.follow('watchWorkspaces', {})
        rest.close()
        await eventually('a refusal over gRPC', () => grpc.text().includes('7 PERMISSION_DENIED'))
        expect(grpc.steps).toEqual([])
      } finally {
        calls.close()
      }
    }
  })
})

import { describe, expect, it } from 'vitest'
import { WORKSPACE_BINDINGS } from '../../../manifests/workspace.js'
import { WorkspaceService } from '../../../proto/gen/kairship/workspace_pb.js'
import { eventually } from '../support/eventually.js'
import { hostUser } from '../support/host-user.js'
import { ManagedWorld, TYPES } from '../support/managed-world.js'

const world = new ManagedWorld(WorkspaceService)
const host = () => world.world.playground.host.local
const bind = (action: string, workspace: object = { workspace: 'shop' }, more: object = {}) =>
  world.calls.overRest('bindInstances', { instance: world.instance, action, workspace, ...more } as never)
const bindNamespace = (action: string, namespace: string, workspace: object = { workspace: 'shop' }) =>
  world.calls.overRest('bindNamespaceInstances', {
    ...{ instance: world.instance, namespace, action, workspace },
  } as never)
const none = { workspace: '', workspaceId: 0 }
const shop = { workspace: 'shop', workspaceId: 2 }

describe('workspaces', () => {
  it('are the same over REST and gRPC, searched, sorted and paged', async () => {
    const list = async (more: object = {}) => (await world.calls.read('listWorkspaces', more as never)).items
    expect(await list()).toEqual([{ workspace: 'platform', workspaceId: 1 }, shop])
    expect(await list({ workspace: 'ho' })).toEqual([shop])
    expect(await list({ sortBy: 'workspace', sortDir: 'desc', pageSize: 1 })).toEqual([shop])
    expect((await world.calls.both('listWorkspaces', { page: -1 })).json.code).toBe(3)
  })
})

describe('an instance', () => {
  it('belongs to at most one workspace until it is released', async () => {
    const shown = async () => (await world.calls.read('listInstances', {})).items
    expect(await shown()).toEqual([{ instance: world.instance, workspace: none }])
    const bound = await bind('BIND', { workspaceId: 2 })
    expect(bound.json, bound.text).toEqual({ instance: world.instance, action: 'BIND', workspace: shop })
    expect((await bind('BIND')).ok).toBe(true)
    expect(await shown()).toEqual([{ instance: world.instance, workspace: shop }])
    const other = await bind('BIND', { workspace: 'platform' })
    expect([other.json.code, other.text]).toEqual([9, expect.stringContaining('belongs to workspace shop')])
    const wrong = await bind('UNBIND', { workspace: 'platform' })
    expect([wrong.json.code, wrong.text]).toEqual([
      9,
      expect.stringContaining('workspace shop, and not to platform'),
    ])
    const stored = await world.find(host(), WORKSPACE_BINDINGS, { name: `instance-${world.instance}` })
    expect(stored.metadata.ownerReferences).toMatchObject([{ kind: 'Instance', name: world.instance }])
    expect((await bind('UNBIND')).ok).toBe(true)
    expect((await bind('UNBIND')).text).toContain('belongs to no workspace')
    expect(await shown()).toEqual([{ instance: world.instance, workspace: none }])
  })

  it('is bound once when two requests bind it at the same time', async () => {
    const outcomes = await Promise.all([bind('BIND'), bind('BIND', { workspace: 'platform' })])
    expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true])
    const [{ workspace }] = (await world.calls.read('listInstances', { instance: world.instance })).items
    expect((await bind('UNBIND', workspace)).ok).toBe(true)
  })
})

describe('a namespace', () => {
  it('is bound separately, and listed with the others', async () => {
    for (const name of ['team-a', 'team-b'])
      await world.create(world.control, TYPES.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name },
      })
    const bound = await bindNamespace('BIND', 'team-a')
    expect(bound.json.workspace, bound.text).toEqual(shop)
    const list = async (more: object = {}) =>
      world.calls.read('listNamespaceInstances', { instance: world.instance, ...more } as never)
    const rows = await eventually('both are listed', async () => {
      const { items, unreadInstances } = await list()
      expect(unreadInstances).toEqual([])
      const found = items.filter(({ namespace }: { namespace: string }) => namespace.startsWith('team-'))
      return found.length === 2 ? found : undefined
    })
    expect(rows).toEqual([
      { namespace: 'team-a', instance: world.instance, workspace: shop },
      { namespace: 'team-b', instance: world.instance, workspace: none },
    ])
    expect((await list({ namespace: 'team-a' })).pagination.total).toBe(1)
    const [first] = (await list({ sortBy: 'workspace', sortDir: 'desc', pageSize: 1 })).items
    expect(first.namespace).toBe('team-a')
    expect((await world.calls.read('listInstances', {})).items[0].workspace).toEqual(none)
    expect((await bindNamespace('UNBIND', 'team-a')).ok).toBe(true)
  })

  it('that does not exist cannot be bound', async () => {
    const unknown = await bindNamespace('BIND', 'no-such')
    expect(unknown.json.code).toBe(5)
    expect(unknown.json.message).toBe(
      `${world.instance} has no namespace "no-such": create it there, then bind it`,
    )
  })
})

describe('an invalid binding request', () => {
  it.each([
    ['no action', { instance: 'x', workspace: { workspace: 'shop' } }, 3, 'must be BIND or UNBIND'],
    ['no workspace', { instance: 'x', action: 'BIND' }, 3, 'give its name, its id, or both'],
    ['no instance', { action: 'BIND', workspace: { workspace: 'shop' } }, 3, 'instance'],
    ['an unknown instance', { instance: 'x', action: 'BIND', workspace: { workspace: 'shop' } }, 5, '"x"'],
    [
      'an unknown workspace',
      { instance: 'x', action: 'BIND', workspace: { workspace: 'y' } },
      5,
      'no workspace "y"',
    ],
    [
      'a name of one workspace and the id of another',
      { instance: 'x', action: 'BIND', workspace: { workspace: 'shop', workspaceId: 1 } },
      5,
      'no workspace "shop" with id 1',
    ],
  ])('is refused: %s', async (_, request, code, words) => {
    const { json, text } = await world.calls.both('bindInstances', request as never)
    expect([json.code, text]).toEqual([code, expect.stringContaining(words)])
  })

  it('is refused for a caller who may only read, who sees the bindings', async () => {
    const request = { instance: world.instance, action: 'BIND', workspace: { workspace: 'shop' } }
    expect((await world.viewer.both('bindInstances', request)).json.code).toBe(7)
    expect((await world.viewer.read('listInstances', {})).items).toHaveLength(1)
    expect((await world.viewer.read('listWorkspaces', {})).items).toHaveLength(2)
  })
})

describe('a caller with few rights', () => {
  const asUser = async <T>(
    name: string,
    rights: Readonly<Record<string, readonly string[]>>,
    work: (calls: typeof world.calls) => Promise<T>,
  ): Promise<T> => {
    const calls = world.calls.as(await hostUser(world.world.playground.host, name, rights))
    try {
      return await work(calls)
    } finally {
      calls.close()
    }
  }

  it('sees no instance that they may not read, not even its name', async () => {
    await asUser('reaches-only', { 'instances/proxy': ['get'] }, async calls => {
      expect((await calls.read('listInstances', {})).items).toEqual([])
      expect(await calls.read('listNamespaceInstances', {})).toMatchObject({ items: [], unreadInstances: [] })
    })
  })

  it('sees no namespaces of an instance that they may not reach, which is not one that does not answer', async () => {
    await asUser('reads-only', { instances: ['get', 'list'] }, async calls => {
      expect((await calls.read('listInstances', {})).items).toHaveLength(1)
      expect(await calls.read('listNamespaceInstances', {})).toMatchObject({ items: [], unreadInstances: [] })
    })
  })

  it('binds no namespace of an instance that they may not reach', async () => {
    await asUser('binds-only', { 'instances/workspace': ['update'] }, async calls => {
      const { json, text } = await calls.both('bindNamespaceInstances', {
        ...{ instance: world.instance, namespace: 'default', action: 'BIND' },
        workspace: { workspace: 'shop' },
      })
      expect([json.code, text]).toEqual([7, expect.stringContaining('cannot get resource "instances/proxy"')])
    })
  })
})

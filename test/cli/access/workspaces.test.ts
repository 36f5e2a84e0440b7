import { describe, expect, it } from 'vitest'
import { bindToWorkspace, listWorkspaces, unbindFromWorkspace } from '../../../cli/access/workspaces.js'
import { CommandError, ExitCode } from '../../../cli/exit-code.js'
import { type Config, defaults } from '../../../config.js'
import { asking } from '../scripted-client.js'

const ROOT = '/apis/kairship.io/v1alpha1/workspace-management'
const config = (given: Partial<Config> = {}): Config => ({ ...defaults('workspace list'), ...given })

/** A Kairship that answers by path; `posted` has what was written. */
function world(lists: Record<string, object> = {}, refuse?: (body: object) => boolean) {
  const posted: unknown[] = []
  const { out, err, ...rest } = asking({
    get: path => {
      const { pathname } = new URL(path, 'https://kairship.test')
      return Promise.resolve(lists[pathname.slice(ROOT.length + 1)] ?? {})
    },
    post: (path, body) => {
      if (refuse?.(body as object)) return Promise.reject(new CommandError('it is bound', ExitCode.failed))
      posted.push([path.slice(ROOT.length + 1), body])
      return Promise.resolve(body as object)
    },
  })
  const context = {
    ...rest,
    ...{ out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) },
  }
  return { posted, context, said: () => out.join(''), warned: () => err.join('') }
}

const shop = { workspace: 'shop', workspaceId: 7 }
const lists = {
  workspaces: {
    items: [{ workspace: 'bank', workspaceId: 8 }, shop, { workspace: 'shop-two', workspaceId: 9 }],
  },
  instances: {
    items: [{ instance: 'us', workspace: shop }, { instance: 'eu', workspace: shop }, { instance: 'free' }],
  },
  namespaces: {
    items: [
      { instance: 'free', namespace: 'pay', workspace: { workspace: 'bank', workspaceId: 8 } },
      { instance: 'free', namespace: 'default' },
    ],
    unreadInstances: ['away'],
  },
}

describe('kairship workspace list', () => {
  it('shows what belongs to each workspace, and which instances could not be read', async () => {
    const { context, said, warned } = world(lists)
    await listWorkspaces(context, config(), [])
    expect(
      said()
        .split('\n')
        .map(line => line.trimEnd().split(/ {2,}/)),
    ).toEqual([
      ['WORKSPACE', 'ID', 'INSTANCES', 'NAMESPACES'],
      ['bank', '8', '-', 'free/pay'],
      ['shop', '7', 'eu, us', '-'],
      ['shop-two', '9', '-', '-'],
      [''],
    ])
    expect(warned()).toBe(
      'Warning: namespaces of these instances could not be read, so some may be missing: away\n',
    )
  })

  it('prints names of workspaces alone with -o name', async () => {
    const { context, said } = world(lists)
    await listWorkspaces(context, config({ output: 'name' }), ['shop'])
    expect(said()).toBe('shop\n')
  })

  it('shows one by its whole name, for programs too', async () => {
    const { context, said } = world(lists)
    await listWorkspaces(context, config({ output: 'json' }), ['shop'])
    expect(JSON.parse(said())).toEqual({
      workspaces: [shop],
      instances: [
        { instance: 'us', workspace: shop },
        { instance: 'eu', workspace: shop },
      ],
      namespaces: [],
      unreadInstances: ['away'],
    })
  })

  it('leaves out what belongs to no workspace', async () => {
    const { context, said } = world(lists)
    await listWorkspaces(context, config({ output: 'json' }), [])
    const { instances, namespaces } = JSON.parse(said())
    const of = (rows: { instance: string }[]) => rows.map(({ instance }) => instance)
    expect([of(instances), of(namespaces)]).toEqual([['us', 'eu'], ['free']])
  })

  it('says that there is none', async () => {
    const { context, said } = world()
    await listWorkspaces(context, config(), [])
    expect(said()).toBe('There is no workspace.\n')
    await expect(listWorkspaces(context, config(), ['sho'])).rejects.toMatchObject({
      ...{ message: 'no such workspace: sho', exitCode: ExitCode.notFound },
    })
    await expect(listWorkspaces(context, config(), ['a', 'b'])).rejects.toMatchObject({
      exitCode: ExitCode.usage,
    })
  })
})

describe('kairship workspace bind', () => {
  it('binds instances, whose kind may be written or not', async () => {
    const { context, posted, said } = world()
    await bindToWorkspace(context, config(), ['shop', 'instance/eu', 'us'])
    const common = { workspace: { workspace: 'shop' }, action: 'BIND' }
    expect(posted).toEqual([
      ['instances/-/actions', { instance: 'eu', ...common }],
      ['instances/-/actions', { instance: 'us', ...common }],
    ])
    expect(said()).toBe('instance/eu belongs to workspace/shop\ninstance/us belongs to workspace/shop\n')
  })

  it('binds namespaces of an instance, and not the instance', async () => {
    const { context, posted, said } = world()
    const given = config({ boundNamespaces: 'checkout,pay', output: 'json' })
    await bindToWorkspace(context, given, ['workspace/shop', 'eu'])
    expect(posted.map(call => (call as [string])[0])).toEqual(Array(2).fill('namespaces/-/actions'))
    expect(JSON.parse(said()).items).toMatchObject([
      { instance: 'eu', namespace: 'checkout', action: 'BIND' },
      { instance: 'eu', namespace: 'pay', action: 'BIND' },
    ])
  })

  it('says what it has done before one is refused', async () => {
    const { context, said } = world({}, body => (body as { instance: string }).instance === 'us')
    await expect(bindToWorkspace(context, config(), ['shop', 'eu', 'us', 'ap'])).rejects.toThrow(
      'it is bound',
    )
    expect(said()).toBe('instance/eu belongs to workspace/shop\n')
  })

  it.each([[['', 'eu']], [['shop', 'instance/']], [['shop', 'user/ann']], [['shop', 'eu', '']]])(
    'refuses %j before anything is written',
    async words => {
      const { context, posted } = world()
      await expect(bindToWorkspace(context, config(), words)).rejects.toMatchObject({
        exitCode: ExitCode.usage,
      })
      expect(posted).toEqual([])
    },
  )
})

describe('kairship workspace unbind', () => {
  it('releases instances and namespaces from the workspace that is named, and no other', async () => {
    const { context, posted, said } = world()
    await unbindFromWorkspace(context, config(), ['shop', 'eu'])
    await unbindFromWorkspace(context, config({ boundNamespaces: 'pay', output: 'json' }), ['shop', 'us'])
    const common = { workspace: { workspace: 'shop' }, action: 'UNBIND' }
    expect(posted).toEqual([
      ['instances/-/actions', { instance: 'eu', ...common }],
      ['namespaces/-/actions', { instance: 'us', namespace: 'pay', ...common }],
    ])
    const [line = '', ...answer] = said().split('\n')
    expect(line).toBe('instance/eu no longer belongs to workspace/shop')
    // The only answer by itself, and no list of one.
    expect(JSON.parse(answer.join('\n'))).toMatchObject({ instance: 'us', namespace: 'pay' })
  })
})

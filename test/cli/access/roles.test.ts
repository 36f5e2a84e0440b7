import { describe, expect, it } from 'vitest'
import { giveRole, listRoles, takeRole } from '../../../cli/access/roles.js'
import { CommandError, ExitCode } from '../../../cli/exit-code.js'
import { ApiError } from '../../../client/errors.js'
import { type Config, defaults } from '../../../config.js'
import { Code } from '../../../transcoding/code.js'
import { asking } from '../scripted-client.js'

const INSTANCES = '/apis/kairship.io/v1alpha1/instance-role-bindings'
const WORKSPACES = '/apis/kairship.io/v1alpha1/workspace-role-bindings'
const config = (given: Partial<Config> = {}): Config => ({ ...defaults('give-role'), ...given })

/** A Kairship that answers each call, by its path where that matters; `calls` has what was asked. */
function answering(answer: (path: string) => object) {
  const calls: unknown[] = []
  const asked = (...call: [string, unknown?]) => {
    calls.push(call)
    return Promise.resolve(answer(call[0]))
  }
  const { out, err, ...rest } = asking({ get: asked, post: asked, delete: asked })
  const context = {
    ...rest,
    ...{ out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) },
  }
  return { calls, context, said: () => out.join(''), warned: () => err.join('') }
}
const echoed = (warnings: readonly string[] = []) => {
  const world = answering(() => {
    const [, body] = world.calls.at(-1) as [string, { binding: object }]
    return { ...body.binding, warnings }
  })
  return world
}
/** As the client of commands throws what the server refused. */
const refused = (code: Code, message: string) =>
  new CommandError(message, ExitCode.failed, { cause: new ApiError(code, message) })
const nameIn = ({ calls }: { readonly calls: readonly unknown[] }) =>
  (calls[0] as [string, { binding: { name: string } }])[1].binding.name

describe('kairship give-role', () => {
  it('gives a role on namespaces of an instance for a time, and says how to take it away', async () => {
    const { calls, context, said, warned } = echoed()
    const given = config({ roleName: 'team', roleNamespaces: 'shop,web', roleFor: 9, reason: 'INC-7' })
    await giveRole(context, given, ['editor', 'group/a/b', 'serviceaccount/ci/bot', 'instance/eu'])
    const binding = {
      ...{ name: 'team', instance: 'eu', role: 'Editor', namespaces: ['shop', 'web'], reason: 'INC-7' },
      expiresAt: '1970-01-01T00:01:40Z',
      subjects: [
        { kind: 'Group', name: 'a/b' },
        { kind: 'ServiceAccount', name: 'bot', namespace: 'ci' },
      ],
    }
    expect(calls).toEqual([[INSTANCES, { binding }]])
    expect(said()).toBe(
      'team: Editor on instance/eu, namespaces shop, web for group/a/b serviceaccount/ci/bot, until 1970-01-01T00:01:40Z; take it away: kairship take-role team\n',
    )
    expect(warned()).toBe('')
  })

  it.each<[string, Partial<Config>, string, string]>([
    ['the same', {}, 'instance/eu', 'eu-viewer-dev-.* is there already, by which the same is given: take it'],
    [
      'that name',
      { roleName: 'team' },
      'instance/eu',
      'team is there already: take it away first .*take-role team',
    ],
    [
      'that name',
      { roleName: 'team' },
      'workspace/shop',
      'workspace/team is there .*take-role workspace/team',
    ],
  ])('refuses to give %s twice, and says what helps', async (_what, given, place, message) => {
    const { context } = answering(() => {
      throw refused(Code.ALREADY_EXISTS, 'instancerolebindings.kairship.io "x" already exists')
    })
    const words = ['Viewer', 'group/dev', place]
    await expect(giveRole(context, config(given), words)).rejects.toThrow(new RegExp(message))
  })

  it('leaves other refusals as they are', async () => {
    const { context } = answering(() => {
      throw refused(Code.PERMISSION_DENIED, 'you may not')
    })
    await expect(giveRole(context, config(), ['Viewer', 'group/dev', 'instance/eu'])).rejects.toThrow(
      /^you may not$/,
    )
  })

  it('gives a role in a workspace, and shows the server’s warnings beside the answer', async () => {
    const { calls, context, said, warned } = echoed(['it is everyone'])
    const given = config({ roleName: 'all', output: 'json' })
    await giveRole(context, given, ['Viewer', 'group/system:authenticated', 'workspace/shop'])
    const subjects = [{ kind: 'Group', name: 'system:authenticated' }]
    expect(calls).toEqual([
      [WORKSPACES, { binding: { name: 'all', workspace: 'shop', role: 'Viewer', subjects } }],
    ])
    expect(JSON.parse(said())).toMatchObject({ name: 'all', warnings: ['it is everyone'] })
    expect(warned()).toBe('Warning: workspace/all: it is everyone\n')
  })

  it('calls the same role the same, whatever the order of its words, and another one otherwise', async () => {
    const named = async (words: readonly string[], more: Partial<Config> = {}) => {
      const world = echoed()
      await giveRole(world.context, config(more), words)
      return nameIn(world)
    }
    const words = ['Editor', 'group/Dev:Team', 'user/ann', 'instance/eu']
    const name = await named(words)
    expect(name).toMatch(/^eu-editor-dev-team-[0-9a-f]{10}$/)
    const turned = await named(['editor', 'instance/eu', 'user/ann', 'group/Dev:Team'])
    expect(turned).toBe(name)
    const others = [
      await named(words, { roleNamespaces: 'shop' }),
      await named(['Viewer', ...words.slice(1)]),
      await named([...words.slice(0, 3), 'workspace/eu']),
    ]
    for (const other of others) expect(other.slice(-10)).not.toBe(name.slice(-10))
  })

  it.each<[string, string[], Partial<Config>, RegExp]>([
    ['a role that there is not', ['Editr', 'user/a', 'instance/eu'], {}, /no role.*Did you mean Editor/],
    ['nobody', ['Editor', 'instance/eu'], {}, /who gets the role/],
    ['no place', ['Editor', 'user/a'], {}, /0 are given/],
    ['two places', ['Editor', 'user/a', 'instance/eu', 'workspace/x'], {}, /2 are given/],
    ['a bare word', ['Editor', 'ann', 'instance/eu'], {}, /"ann" names nobody/],
    ['an empty name', ['Editor', 'user/', 'instance/eu'], {}, /"user\/" names nobody/],
    ['a word of JavaScript', ['Editor', 'constructor/a', 'instance/eu'], {}, /names nobody/],
    ['an account of no namespace', ['Editor', 'serviceaccount/bot', 'instance/eu'], {}, /has a namespace/],
    ['namespaces of a workspace', ['Editor', 'user/a', 'workspace/x'], { roleNamespaces: 'n' }, /all that/],
  ])('refuses %s, and asks nothing', async (_, words, given, why) => {
    const { calls, context } = echoed()
    await expect(giveRole(context, config(given), words)).rejects.toThrow(why)
    expect(calls).toEqual([])
  })
})

describe('kairship take-role', () => {
  it('takes each role that is named, of instances and of workspaces', async () => {
    const { calls, context, said } = answering(() => ({}))
    await takeRole(context, ['a', 'workspace/b'])
    expect(calls).toEqual([[`${INSTANCES}/a`], [`${WORKSPACES}/b`]])
    expect(said()).toBe('a: taken away\nworkspace/b: taken away\n')
  })

  it.each(['workspace/', 'instance/a', 'workspace/a/b', ''])('refuses %j before any is taken', async word => {
    const { calls, context } = answering(() => ({}))
    await expect(takeRole(context, ['a', word])).rejects.toThrow('is no role binding')
    expect(calls).toEqual([])
  })
})

describe('kairship roles', () => {
  it('warns of a role that is not in effect inside, with the reason', async () => {
    const named = (name: string, status: string) => ({
      ...{ name, instance: 'eu', role: 'Viewer', warnings: [] },
      conditions: [{ type: 'Materialized', status, message: 'namespaces "shop"\nnot found' }],
    })
    const { context, warned } = answering(path =>
      path.startsWith(INSTANCES) ? { items: [named('one', 'False'), named('two', 'True')] } : { items: [] },
    )
    await listRoles(context, config(), [])
    expect(warned()).toBe('Warning: one: it is not in effect as a whole: namespaces "shop"\\nnot found\n')
  })

  it('warns once of a role on an instance that is not there', async () => {
    const absent = 'there is no instance eu: the role gives nothing until there is one'
    const condition = { type: 'Materialized', status: 'False', reason: 'InstanceNotFound', message: 'none' }
    const { context, warned } = answering(path => ({
      items: path.startsWith(INSTANCES)
        ? [{ name: 'one', instance: 'eu', warnings: [absent], conditions: [condition] }]
        : [],
    }))
    await listRoles(context, config(), [])
    expect(warned()).toBe(`Warning: one: ${absent}\n`)
  })

  it('prints with -o name what take-role takes', async () => {
    const { context, said } = answering(path => ({
      items: [{ name: path.startsWith(INSTANCES) ? 'one' : 'two', conditions: [], warnings: [] }],
    }))
    await listRoles(context, config({ output: 'name' }), [])
    expect(said()).toBe('one\nworkspace/two\n')
  })

  const team = {
    ...{ name: 'team', instance: 'eu', role: 'Editor', namespaces: ['shop'], reason: 'INC-7' },
    ...{ subjects: [{ kind: 'Group', name: 'dev' }], expiresAt: '1970-01-01T00:01:40Z' },
    creationTimestamp: '1000',
  }
  const all = {
    ...{ name: 'all', workspace: 'shop', role: 'Viewer', delivered: true, warnings: ['wide'] },
    subjects: [{ kind: 'Group', name: 'system:authenticated' }],
  }
  const both = (path: string) => ({ items: [path.startsWith(INSTANCES) ? team : all] })

  it('lists who was given which role, with warnings beside the table', async () => {
    const { context, said, warned } = answering(both)
    await listRoles(context, config(), [])
    expect(
      said()
        .split('\n')
        .map(line => line.split(/ {3,}/)),
    ).toEqual([
      ['NAME', 'ROLE', 'WHOM', 'WHERE', 'ENDS', 'AGE', 'DELIVERED BY', 'REASON'],
      [
        'team',
        'Editor',
        'group/dev',
        'instance/eu, namespaces shop',
        '1970-01-01T00:01:40Z',
        '90s',
        '-',
        'INC-7',
      ],
      [
        'workspace/all',
        'Viewer',
        'group/system:authenticated',
        'workspace/shop',
        'never',
        '-',
        'Global Management',
        '-',
      ],
      [''],
    ])
    expect(warned()).toBe('Warning: workspace/all: wide\n')
  })

  it.each([
    ['eu', [`${INSTANCES}?instance=eu`]],
    ['instance/eu', [`${INSTANCES}?instance=eu`]],
    ['workspace/shop', [`${WORKSPACES}?workspace=shop`]],
  ])('asks about %s alone', async (word, paths) => {
    const { calls, context } = answering(() => ({ items: [] }))
    await listRoles(context, config(), [word])
    expect(calls).toEqual(paths.map(path => [path]))
  })

  it('writes what the server said as JSON, and that there is none', async () => {
    const world = answering(both)
    await listRoles(world.context, config({ output: 'json' }), [])
    expect(JSON.parse(world.said())).toEqual({ instanceRoleBindings: [team], workspaceRoleBindings: [all] })
    const none = answering(() => ({}))
    await listRoles(none.context, config(), ['eu'])
    expect(none.said()).toBe('No role is given.\n')
  })

  it.each([['instance/'], ['workspace/'], ['a', 'b']])('refuses %j %j', async (...words) => {
    const { calls, context } = answering(both)
    await expect(listRoles(context, config(), words)).rejects.toThrow(/name/)
    expect(calls).toEqual([])
  })
})

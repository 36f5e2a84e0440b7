import { describe, expect, it } from 'vitest'
import type { Action, Authorizer } from '../../../http/identity/authorize.js'
import { BINDINGS_COUNT_MS, roleAuthorizer } from '../../../http/identity/role-authorizer.js'
import type { InstanceRole, Subject } from '../../../manifests/instance-role-binding.js'
import { Code } from '../../../transcoding/code.js'
import { fakeRoleBindings } from '../fakes/role-bindings.js'

const ANN: Subject = { kind: 'User', name: 'ann' }
const caller = (user: string, ...groups: string[]) => ({ user, groups, extra: {} })
const on = (resource: string, verb: string, name = 'north'): Action => ({ verb, resource, name })
const GET = on('instances', 'get')

/** The authorizer over bindings that the test sets, before a host that refuses everything. */
function authorizing() {
  const bindings = fakeRoleBindings()
  const asked: Action[] = []
  const host: Authorizer = {
    decide: (_, action) => {
      asked.push(action)
      return { allowed: false, reason: 'the host refuses' }
    },
  }
  const authorizer = roleAuthorizer({ bindings, host })
  const may = async (user: ReturnType<typeof caller>, action: Action) =>
    (await authorizer.decide(user, action)).allowed
  return { bindings, authorizer, asked, may }
}

const READS = ['instances', 'instances/status', 'instances/proxy', 'instances/registries'].map(
  resource => `get ${resource}`,
)
const READS_OF_ALL = ['failover', 'descheduler', 'metricsadapter', 'inspect', 'metrics'].map(
  part => `get instances/${part}`,
)
const WRITES = ['create', 'update', 'patch', 'delete'].map(verb => `${verb} instances/proxy`)
const ADMINISTERS = [
  ...['failover', 'descheduler', 'metricsadapter'].map(part => `update instances/${part}`),
  ...['create instances/clusters', 'delete instances/clusters', 'create instances/kubeconfig'],
  ...['get', 'create', 'delete'].map(verb => `${verb} instances/cloudshells`),
  'get instances/audit',
]
/** What no role on an instance gives: it is the platform's. */
const NEVER = [
  ...['create', 'update', 'patch', 'delete', 'list', 'watch', 'deletecollection'].map(
    verb => `${verb} instances`,
  ),
  ...['update instances/workspace', 'update instances/status', 'list instances/audit', 'get secrets'],
  ...['use clusters', 'get workspaces', 'get instancerolebindings'],
]
const EVERYTHING = [...READS, ...READS_OF_ALL, ...WRITES, ...ADMINISTERS, ...NEVER]

describe('before all role bindings were read', () => {
  it('nobody is refused for having no role, and who has one that was read goes on', async () => {
    const { bindings, authorizer, may } = authorizing()
    bindings.give('b', 'Viewer', { instance: 'north', subject: ANN })
    bindings.synced = false
    await expect(async () => authorizer.decide(caller('bob'), GET)).rejects.toMatchObject({
      code: Code.UNAVAILABLE,
      message: 'the role bindings have not been read from the host yet',
    })
    expect(await may(caller('ann'), GET)).toBe(true)
    bindings.synced = true
    expect(await may(caller('bob'), GET)).toBe(false)
  })
})

describe('a role on an instance', () => {
  it.each<[InstanceRole, readonly string[] | undefined, readonly string[]]>([
    ['Viewer', undefined, [...READS, ...READS_OF_ALL]],
    ['Editor', undefined, [...READS, ...READS_OF_ALL, ...WRITES]],
    ['Admin', undefined, [...READS, ...READS_OF_ALL, ...WRITES, ...ADMINISTERS]],
    ['Viewer', ['shop'], READS],
    ['Editor', ['shop'], [...READS, ...WRITES]],
    ['Admin', ['shop'], [...READS, ...WRITES]],
    ['Admin', [], [...READS, ...WRITES]],
  ])('%s in the namespaces %j includes what it says and nothing else', async (role, namespaces, allowed) => {
    const { bindings, may } = authorizing()
    bindings.give('one', role, { instance: 'north', subject: ANN, ...(namespaces && { namespaces }) })
    const seen: string[] = []
    for (const right of EVERYTHING) {
      const [verb = '', resource = ''] = right.split(' ')
      if (await may(caller('ann'), on(resource, verb))) seen.push(right)
    }
    expect(seen.sort()).toEqual([...allowed].sort())
  })

  it('is one on that instance alone, and none to what has no name', async () => {
    const { bindings, may } = authorizing()
    bindings.give('one', 'Admin', { instance: 'north', subject: ANN })
    expect(await may(caller('ann'), on('instances', 'get', 'south'))).toBe(false)
    expect(await may(caller('ann'), { verb: 'get', resource: 'instances' })).toBe(false)
    expect(await may(caller('ann'), on('instances', 'get', ''))).toBe(false)
    expect(await may(caller('ann'), { verb: 'get', path: '/metrics' })).toBe(false)
  })

  it.each<[Subject, ReturnType<typeof caller>, boolean]>([
    [ANN, caller('ann'), true],
    [ANN, caller('bob', 'ann'), false],
    [{ kind: 'Group', name: 'dev' }, caller('bob', 'other', 'dev'), true],
    [{ kind: 'Group', name: 'dev' }, caller('dev'), false],
    [
      { kind: 'ServiceAccount', name: 'ci', namespace: 'shop' },
      caller('system:serviceaccount:shop:ci'),
      true,
    ],
    [{ kind: 'ServiceAccount', name: 'ci', namespace: 'shop' }, caller('ci'), false],
    [{ kind: 'ServiceAccount', name: 'ci' }, caller('system:serviceaccount:undefined:ci'), false],
  ])('given to %j: %j has it: %j', async (subject, who, isAllowed) => {
    const { bindings, may } = authorizing()
    bindings.give('one', 'Viewer', { instance: 'north', subject })
    expect(await may(who, GET)).toBe(isAllowed)
  })

  it('is one of members of the workspace that the instance belongs to, as much as a direct one', async () => {
    const { bindings, authorizer, may } = authorizing()
    bindings.giveMembers('editors', 'Admin', { workspace: 'shop', instance: 'north', subject: ANN })
    bindings.giveMembers('readers', 'Viewer', {
      ...{ workspace: 'web', instance: 'south', namespaces: ['web'] },
      subject: { kind: 'Group', name: 'dev' },
    })
    const kubeconfig = on('instances/kubeconfig', 'create')
    expect([await may(caller('ann'), kubeconfig), await may(caller('bob', 'dev'), kubeconfig)]).toEqual([
      true,
      false,
    ])
    const bob = caller('bob', 'dev')
    expect(await may(bob, on('instances/proxy', 'get', 'south'))).toBe(true)
    expect(await may(bob, on('instances/metrics', 'get', 'south'))).toBe(false)
    expect(await authorizer.decide(bob, on('instances', 'get', 'south'))).toEqual({
      allowed: true,
      reason: 'the WorkspaceRoleBinding "readers" of the workspace web gives the role Viewer',
    })
  })

  it('ends when its time comes, with the next request', async () => {
    const { bindings, may } = authorizing()
    const expiresAt = '2026-11-24T12:00:10Z'
    bindings.give('one', 'Viewer', { instance: 'north', subject: ANN, expiresAt })
    bindings.giveMembers('two', 'Viewer', { workspace: 'w', instance: 'south', subject: ANN, expiresAt })
    const reads = async () => [
      await may(caller('ann'), GET),
      await may(caller('ann'), on('instances', 'get', 'south')),
    ]
    bindings.pass(9_999)
    expect(await reads()).toEqual([true, true])
    bindings.pass(1)
    expect(await reads()).toEqual([false, false])
  })

  it('counts from the next request on when it is given, changed and taken', async () => {
    const { bindings, may } = authorizing()
    const write = on('instances/proxy', 'create')
    expect(await may(caller('ann'), GET)).toBe(false)
    bindings.give('one', 'Editor', { instance: 'north', subject: ANN })
    expect([await may(caller('ann'), GET), await may(caller('ann'), write)]).toEqual([true, true])
    bindings.give('one', 'Viewer', { instance: 'north', subject: ANN })
    expect([await may(caller('ann'), GET), await may(caller('ann'), write)]).toEqual([true, false])
    bindings.give('two', 'Viewer', { instance: 'north', subject: { kind: 'Group', name: 'dev' } })
    bindings.take('one')
    expect([await may(caller('ann'), GET), await may(caller('bob', 'dev'), GET)]).toEqual([false, true])
    bindings.beginToTake('two')
    expect(await may(caller('bob', 'dev'), GET)).toBe(false)
    bindings.take('two')
    expect(await may(caller('bob', 'dev'), GET)).toBe(false)
  })

  it('adds to those of other bindings, of the caller and of its groups, each on its own namespaces', async () => {
    const { bindings, authorizer, may } = authorizing()
    const dev: Subject = { kind: 'Group', name: 'dev' }
    bindings.give('a', 'Viewer', { instance: 'north', subject: ANN })
    bindings.give('b', 'Editor', { instance: 'north', subject: ANN, namespaces: ['shop'] })
    bindings.give('c', 'Admin', { instance: 'north', subject: dev })
    const kubeconfig = on('instances/kubeconfig', 'create')
    const rights = [on('instances/metrics', 'get'), on('instances/proxy', 'create'), kubeconfig]
    const has = (...groups: string[]) =>
      Promise.all(rights.map(right => may(caller('ann', ...groups), right)))
    expect(await has()).toEqual([true, true, false])
    expect(await has('other', 'dev')).toEqual([true, true, true])
    expect(await authorizer.decide(caller('ann', 'dev'), kubeconfig)).toMatchObject({
      reason: 'the InstanceRoleBinding "c" gives the role Admin',
    })
    bindings.take('a')
    expect(await has()).toEqual([false, true, false])
  })

  it.each<[string, Subject, ReturnType<typeof caller>]>([
    ['a user whose name ends with it', ANN, caller('x ann')],
    ['a user with a blank behind it', ANN, caller('ann ')],
    ['a user called as the kind and the name', ANN, caller('User ann')],
    [
      'a group for a user called as the kind and the name',
      { kind: 'User', name: 'Group dev' },
      caller('x', 'dev'),
    ],
    ['a user for a group called so', { kind: 'Group', name: 'User ann' }, caller('ann')],
    ['a user in other letters', ANN, caller('Ann')],
    [
      'the account of another namespace',
      { kind: 'ServiceAccount', name: 'ci', namespace: 'a' },
      caller('system:serviceaccount:b:ci'),
    ],
  ])('is not given to %s', async (_, subject, who) => {
    const { bindings, may } = authorizing()
    bindings.give('one', 'Admin', { instance: 'north', subject })
    expect(await may(who, GET)).toBe(false)
  })

  it('is given to everyone where the group of all who are authenticated has it', async () => {
    const { bindings, may } = authorizing()
    bindings.give('all', 'Viewer', {
      instance: 'north',
      subject: { kind: 'Group', name: 'system:authenticated' },
    })
    expect(await may(caller('ann', 'system:authenticated'), GET)).toBe(true)
    expect(await may(caller('ann'), GET)).toBe(false)
  })

  it('asks the host nothing and says which binding allows; for everything else the host decides', async () => {
    const { bindings, authorizer, asked } = authorizing()
    bindings.give('one', 'Viewer', { instance: 'north', subject: ANN })
    expect(await authorizer.decide(caller('ann'), GET)).toEqual({
      allowed: true,
      reason: 'the InstanceRoleBinding "one" gives the role Viewer',
    })
    expect(asked).toEqual([])
    const write = on('instances/proxy', 'create')
    expect(await authorizer.decide(caller('ann'), write)).toEqual({
      allowed: false,
      reason: 'the host refuses',
    })
    expect(asked).toEqual([write])
  })

  it('counts for a minute after the host was last heard, and again when it is heard', async () => {
    const { bindings, may } = authorizing()
    bindings.give('one', 'Viewer', { instance: 'north', subject: ANN })
    bindings.silentForMs = BINDINGS_COUNT_MS
    expect(await may(caller('ann'), GET)).toBe(true)
    bindings.silentForMs += 1
    await expect(may(caller('ann'), GET)).rejects.toMatchObject({
      code: Code.UNAVAILABLE,
      details: { retryAfterSeconds: 5 },
    })
    bindings.silentForMs = 0
    expect(await may(caller('ann'), GET)).toBe(true)
    expect(BINDINGS_COUNT_MS).toBe(60_000)
  })

  it('gives nobody another answer for having one than for having none, while it does not count', async () => {
    const { bindings, may } = authorizing()
    bindings.give('one', 'Viewer', { instance: 'north', subject: ANN })
    bindings.silentForMs = BINDINGS_COUNT_MS + 1
    const refusals = await Promise.all(
      ['ann', 'eve'].map(user => may(caller(user), GET).catch(error => [error.code, error.message])),
    )
    expect(refusals[0]).toEqual(refusals[1])
    expect(await may(caller('ann'), { verb: 'list', resource: 'accesslocks' })).toBe(false)
  })

  it('counts for as long as the settings say', async () => {
    const bindings = fakeRoleBindings()
    const host: Authorizer = { decide: () => ({ allowed: false, reason: 'the host refuses' }) }
    const authorizer = roleAuthorizer({ bindings, host, graceMs: 10_000 })
    bindings.give('one', 'Viewer', { instance: 'north', subject: ANN })
    bindings.silentForMs = 10_000
    expect(await authorizer.decide(caller('ann'), GET)).toMatchObject({ allowed: true })
    bindings.silentForMs += 1
    await expect(authorizer.decide(caller('ann'), GET)).rejects.toMatchObject({ code: Code.UNAVAILABLE })
  })

  it('leaves what the host allows, while it does not count', async () => {
    const bindings = fakeRoleBindings()
    const host: Authorizer = { decide: () => ({ allowed: true, reason: 'RBAC on the host' }) }
    bindings.silentForMs = BINDINGS_COUNT_MS + 1
    expect(await roleAuthorizer({ bindings, host }).decide(caller('ann'), GET)).toMatchObject({
      allowed: true,
    })
  })
})

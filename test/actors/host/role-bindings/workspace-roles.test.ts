import { afterEach, describe, expect, it, vi } from 'vitest'
import { originOf } from '../../../../manifests/effective-binding.js'
import type { Subject } from '../../../../manifests/instance-role-binding.js'
import type { ChangedInstances, Holder } from '../../../../ports/role-bindings.js'
import {
  instanceRoleBinding,
  roleBindingIndex,
  workspace,
  workspaceBinding,
  workspaceRoleBinding,
} from './watched-roles.js'

const ANN: Subject = { kind: 'User', name: 'ann' }
const DEV: Subject = { kind: 'Group', name: 'dev' }
const ann: Holder = { user: 'ann', groups: [] }
const ENDS = '2026-11-24T12:00:10Z'

/** The index over the workspace shop with the member ann, an Editor; eu belongs to it, and the namespace web of us. */
function shop() {
  const world = roleBindingIndex()
  const { index, workspaces, workspaceBindings, workspaceRoleBindings } = world
  const steps = {
    exists: () => workspaces.show(workspace('shop')),
    hasEu: () => workspaceBindings.show(workspaceBinding('shop', { instance: 'eu' })),
    hasWebOfUs: () => workspaceBindings.show(workspaceBinding('shop', { instance: 'us', namespace: 'web' })),
    hasAnn: () =>
      workspaceRoleBindings.show(workspaceRoleBinding('editors', 'shop', 'Editor', { subjects: [ANN] })),
  }
  const given = (instance: string, holder = ann) =>
    [...index.givenTo(instance, holder)].map(
      binding => `${binding.spec.role} ${binding.spec.namespaces ?? '*'} by ${originOf(binding)}`,
    )
  const all = () => {
    for (const step of Object.values(steps)) step()
  }
  return { ...world, steps, given, all }
}
const ON_EU = ['Editor * by the WorkspaceRoleBinding "editors" of the workspace shop']
const ON_US = ['Editor web by the WorkspaceRoleBinding "editors" of the workspace shop']

afterEach(() => void vi.useRealTimers())

describe('a role in a workspace', () => {
  it.each([
    [['exists', 'hasEu', 'hasWebOfUs', 'hasAnn']],
    [['hasAnn', 'hasWebOfUs', 'hasEu', 'exists']],
    [['hasEu', 'hasAnn', 'exists', 'hasWebOfUs']],
  ] as const)('is one on its instances and on its namespaces, in whatever order they come: %j', order => {
    const { given, steps } = shop()
    for (const step of order) steps[step]()
    expect([given('eu'), given('us'), given('asia')]).toEqual([ON_EU, ON_US, []])
    expect([given('eu', { user: 'bob', groups: ['ann'] })]).toEqual([[]])
  })

  it.each<[string, (world: ReturnType<typeof shop>) => void]>([
    ['the workspace is deleted', ({ workspaces }) => workspaces.hide('shop')],
    [
      'what says that it belongs there is being deleted',
      ({ workspaceBindings }) =>
        workspaceBindings.show(workspaceBinding('shop', { instance: 'eu' }, { deletionTimestamp: ENDS })),
    ],
    [
      'the workspace is being deleted',
      ({ workspaces }) => workspaces.show(workspace('shop', { deletionTimestamp: ENDS })),
    ],
    ['the instance is released', ({ workspaceBindings }) => workspaceBindings.hide('instance-eu')],
    ['the member leaves', ({ workspaceRoleBindings }) => workspaceRoleBindings.hide('editors')],
    [
      'the member is taken out of the binding',
      ({ workspaceRoleBindings }) =>
        workspaceRoleBindings.show(workspaceRoleBinding('editors', 'shop', 'Editor', { subjects: [DEV] })),
    ],
    [
      'the binding is replaced by one of another workspace',
      ({ workspaceRoleBindings }) =>
        workspaceRoleBindings.show(
          workspaceRoleBinding('editors', 'bank', 'Editor', { subjects: [ANN], metadata: { uid: '2' } }),
        ),
    ],
    [
      'the instance goes to another workspace',
      ({ workspaceBindings }) => workspaceBindings.show(workspaceBinding('bank', { instance: 'eu' })),
    ],
  ])('gives nothing on an instance any more when %s', (_, take) => {
    const world = shop()
    world.all()
    const before = world.index.revisionOf('eu')
    take(world)
    expect(world.given('eu')).toEqual([])
    expect(world.index.of('eu').flatMap(({ spec }) => spec.subjects)).not.toContainEqual(ANN)
    expect(world.index.revisionOf('eu')).not.toBe(before)
  })

  it('is one again in a workspace that was deleted and created', () => {
    const { given, all, index, workspaces, steps } = shop()
    all()
    const before = index.revisionOf('eu')
    workspaces.hide('shop')
    steps.exists()
    expect([given('eu'), index.revisionOf('eu')]).toEqual([ON_EU, before])
  })

  it('covers the whole instance where both the instance and a namespace of it belong to the workspace', () => {
    const { given, all, workspaceBindings, index } = shop()
    all()
    workspaceBindings.show(workspaceBinding('shop', { instance: 'us' }))
    expect(given('us')).toEqual([ON_EU[0]])
    expect(
      index
        .of('us')
        .map(({ metadata, origin }) => [
          metadata.name,
          'through' in origin && origin.through.map(it => it.metadata.name),
        ]),
    ).toEqual([['editors:workspace', ['instance-us']]])
    workspaceBindings.hide('instance-us')
    expect(given('us')).toEqual(ON_US)
  })

  it('is none on what a WorkspaceBinding of another name claims: nothing belongs to two workspaces', () => {
    const { given, steps, workspaceBindings } = shop()
    steps.exists()
    steps.hasAnn()
    workspaceBindings.show(workspaceBinding('shop', { instance: 'eu' }, { name: 'sneaky' }))
    expect(given('eu')).toEqual([])
  })

  it('adds to the direct ones, and has a revision that changes with what either gives and with nothing else', () => {
    const { given, all, index, bindings, workspaceRoleBindings, workspaces } = shop()
    all()
    const seen = [index.revisionOf('eu')]
    const next = () => seen.push(index.revisionOf('eu'))
    bindings.show(instanceRoleBinding('direct', 'eu', 'Viewer', { subjects: [ANN] }))
    next()
    expect(given('eu')).toEqual(['Viewer * by the InstanceRoleBinding "direct"', ON_EU[0]])
    expect(index.factOf('eu').count).toBe(2)
    workspaceRoleBindings.show(workspaceRoleBinding('viewers', 'shop', 'Viewer', { subjects: [DEV] }))
    next()
    workspaces.show(workspace('other'))
    bindings.show(instanceRoleBinding('elsewhere', 'us', 'Viewer', { subjects: [ANN] }))
    next()
    expect(seen.slice(1).map((revision, at) => revision !== seen[at])).toEqual([true, true, false])
  })

  it('began when the last of its parts did, for readers of an index', () => {
    const { index, steps, clock } = shop()
    steps.exists()
    clock.now = 10
    steps.hasEu()
    clock.now = 20
    steps.hasAnn()
    clock.now = 50
    expect(index.rightsOf('eu').unchangedForMs).toBe(30)
  })

  it('is announced once for all instances of the workspace, and while the host is silent only when it is heard again', () => {
    const { index, all, workspaceRoleBindings } = shop()
    all()
    const seen: string[] = []
    const stop = index.onChange((changed: ChangedInstances) =>
      seen.push(changed === 'all' ? 'all' : [...changed.keys()].sort().join()),
    )
    const viewers = (name: string) => workspaceRoleBinding(name, 'shop', 'Viewer', { subjects: [DEV] })
    workspaceRoleBindings.show(viewers('a'))
    workspaceRoleBindings.contact.next({ reason: 'Unreachable', stage: 'role bindings', message: 'reset' })
    workspaceRoleBindings.show(viewers('b'))
    workspaceRoleBindings.contact.next('made')
    stop()
    workspaceRoleBindings.show(viewers('c'))
    expect(seen).toEqual(['eu,us', 'all'])
  })
})

it('where nothing that anybody has changes, nothing is announced, and all is as old as it was', () => {
  const { index, clock, workspaces, workspaceBindings, workspaceRoleBindings, all } = shop()
  workspaceBindings.show(workspaceBinding('empty', { instance: 'eu', namespace: 'x' }))
  workspaceBindings.show(workspaceBinding('unborn', { instance: 'eu', namespace: 'y' }))
  all()
  clock.now = 5_000
  const heard: ChangedInstances[] = []
  index.onChange(changed => void heard.push(changed))
  const bound = workspaceBinding('shop', { instance: 'eu' }, { resourceVersion: '9' })
  workspaceBindings.show(bound)
  workspaceRoleBindings.show(workspaceRoleBinding('editors', 'shop', 'Editor', { subjects: [ANN] }))
  workspaces.show(workspace('empty'))
  workspaces.hide('empty')
  workspaceRoleBindings.show(workspaceRoleBinding('early', 'unborn', 'Viewer', { subjects: [ANN] }))
  workspaceRoleBindings.hide('early')
  expect(heard).toEqual([])
  expect(index.rightsOf('eu').unchangedForMs).toBe(5_000)
})

it('a ServiceAccount has what it is given as the user that it is, and no group of its name has', () => {
  const { index, bindings } = roleBindingIndex()
  const bot: Subject = { kind: 'ServiceAccount', name: 'bot', namespace: 'shop' }
  bindings.show(instanceRoleBinding('bot', 'eu', 'Viewer', { subjects: [bot] }))
  const name = 'system:serviceaccount:shop:bot'
  const has = (holder: Holder) => [...index.givenTo('eu', holder)].length
  expect([
    has({ user: name, groups: [] }),
    has({ user: 'x', groups: [name] }),
    has({ user: 'bot', groups: [] }),
  ]).toEqual([1, 0, 0])
})

it('a binding that changes its workspace gives nothing any more in the one before', () => {
  const { given, all, workspaceRoleBindings } = shop()
  all()
  workspaceRoleBindings.show(
    workspaceRoleBinding('editors', 'other', 'Editor', { subjects: [ANN], metadata: { uid: 'editors' } }),
  )
  expect(given('eu')).toEqual([])
})

it('contact is lost while one of the types is out of contact, and is made once for all', () => {
  const { index, bindings, workspaces } = roleBindingIndex()
  const contacts: unknown[] = []
  const heard: ChangedInstances[] = []
  index.contact.subscribe(contact => contacts.push(contact))
  index.onChange(changed => void heard.push(changed))
  const lost = { reason: 'Unreachable', stage: 'role bindings', message: 'reset' } as const
  bindings.contact.next('made')
  bindings.contact.next(lost)
  workspaces.contact.next('pending')
  expect(contacts.at(-1)).toBe(lost)
  bindings.contact.next('made')
  workspaces.contact.next('made')
  expect([contacts.at(-1), heard]).toEqual(['made', ['all']])
})

it('what gives nothing makes the rights of an instance no younger', () => {
  const { index, clock, bindings } = roleBindingIndex()
  bindings.show(instanceRoleBinding('one', 'eu', 'Viewer', { subjects: [ANN] }))
  clock.now = 1_000
  bindings.hide('one')
  clock.now = 5_000
  bindings.show(
    instanceRoleBinding('over', 'eu', 'Viewer', { subjects: [ANN], expiresAt: '2026-11-24T11:59:59Z' }),
  )
  expect(index.rightsOf('eu').unchangedForMs).toBe(4_000)
})

describe('a binding with an end', () => {
  it('changes the revision of its instance when that comes, for who reads nothing else', () => {
    const { index, clock, bindings } = roleBindingIndex()
    bindings.show(instanceRoleBinding('one', 'eu', 'Viewer', { subjects: [ANN], expiresAt: ENDS }))
    const before = index.revisionOf('eu')
    clock.wall += 10_000
    expect(index.revisionOf('eu')).not.toBe(before)
  })

  it('gives its role until then, on every read, without any event', () => {
    const { clock, given, index, all, bindings, workspaceRoleBindings } = shop()
    all()
    workspaceRoleBindings.show(
      workspaceRoleBinding('editors', 'shop', 'Editor', { subjects: [ANN], expiresAt: ENDS }),
    )
    const direct = instanceRoleBinding('direct', 'eu', 'Viewer', { subjects: [ANN], expiresAt: ENDS })
    bindings.show(direct)
    clock.wall = Date.parse(ENDS) - 1
    const before = index.revisionOf('eu')
    expect([given('eu').length, index.of('eu').length]).toEqual([2, 2])
    clock.wall += 1
    expect([given('eu'), index.of('eu'), given('us')]).toEqual([[], [], []])
    expect(index.revisionOf('eu')).not.toBe(before)
    expect(index.endedOf('eu')).toEqual([direct])
  })

  it('gives nothing when its end had come before it was seen, or cannot be read', () => {
    const { given, bindings } = shop()
    const ends = ['2026-11-24T12:00:00Z', 'tomorrow', '']
    for (const [at, expiresAt] of ends.entries())
      bindings.show(instanceRoleBinding(`${at}`, 'eu', 'Viewer', { subjects: [ANN], expiresAt }))
    expect(given('eu')).toEqual([])
  })

  it('gives its role again when its end is put off', () => {
    const { given, bindings, clock } = shop()
    const until = (expiresAt: string) =>
      bindings.show(instanceRoleBinding('direct', 'eu', 'Viewer', { subjects: [ANN], expiresAt }))
    until(ENDS)
    clock.wall = Date.parse(ENDS)
    expect(given('eu')).toEqual([])
    until('2026-11-24T12:00:20Z')
    expect(given('eu')).toHaveLength(1)
    clock.wall = Date.parse('2026-11-24T12:00:20Z')
    expect(given('eu')).toEqual([])
  })

  it('is announced within a second of its end, also when the clock was set forward, and no timer stays after that', () => {
    vi.useFakeTimers()
    const { index, clock, bindings } = shop()
    const seen: ChangedInstances[] = []
    index.onChange(changed => seen.push(changed))
    bindings.show(instanceRoleBinding('direct', 'eu', 'Viewer', { subjects: [ANN], expiresAt: ENDS }))
    vi.advanceTimersByTime(5_000)
    expect(seen).toHaveLength(1)
    clock.wall = Date.parse(ENDS) + 3_600_000
    vi.advanceTimersByTime(1_000)
    expect(seen.map(changed => changed !== 'all' && [...changed.keys()])).toEqual([['eu'], ['eu']])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('has no timer when it is deleted before', () => {
    vi.useFakeTimers()
    const { bindings } = shop()
    bindings.show(instanceRoleBinding('direct', 'eu', 'Viewer', { expiresAt: ENDS }))
    expect(vi.getTimerCount()).toBe(1)
    bindings.hide('direct')
    expect(vi.getTimerCount()).toBe(0)
  })
})

it('a caller’s groups are looked up, and the bindings of others are not looked at', () => {
  const { index, workspaces, workspaceBindings, workspaceRoleBindings } = roleBindingIndex()
  workspaces.show(workspace('shop'))
  for (let each = 0; each < 1_000; each++)
    workspaceBindings.show(workspaceBinding('shop', { instance: `i${each}` }))
  let looks = 0
  for (let each = 0; each < 10_000; each++) {
    const binding = workspaceRoleBinding(`b${each}`, 'shop', 'Viewer', {
      subjects: [{ kind: 'Group', name: `g${each}` }],
    })
    workspaceRoleBindings.show({
      ...binding,
      get spec() {
        looks += 1
        return binding.spec
      },
    })
  }
  const groups = Array.from({ length: 200 }, (_, each) => `g${each * 40}`)
  looks = 0
  expect([...index.givenTo('i999', { user: 'ann', groups })]).toHaveLength(200)
  expect(looks).toBeLessThan(1_000)
  looks = 0
  expect(index.revisionOf('i998')).toBe(index.revisionOf('i998'))
  expect(looks).toBe(0)
})

import type { JsonObject } from '@bufbuild/protobuf'
import { afterEach, describe, expect, it } from 'vitest'
import { renderDelivered } from '../../../manifests/delivered-binding.js'
import { INSTANCE_ROLE_BINDINGS } from '../../../manifests/instance-role-binding.js'
import { resourcePath } from '../../../manifests/kube.js'
import { WORKSPACE_ROLE_BINDINGS } from '../../../manifests/workspace-role-binding.js'
import { RoleBindingService } from '../../../proto/gen/kairship/rolebinding_pb.js'
import { eventually } from '../support/eventually.js'
import { hostUser } from '../support/host-user.js'
import { ManagedWorld } from '../support/managed-world.js'

const world = new ManagedWorld(RoleBindingService)
const host = () => world.world.playground.host.local
const ANN = { kind: 'User', name: 'ann' }
const team = (more: JsonObject = {}) => ({
  binding: { ...{ name: 'team', instance: world.instance, role: 'Editor', subjects: [ANN] }, ...more },
})
const call = (...[name, request]: Parameters<typeof world.calls.overRest>) =>
  world.calls.overRest(name, request)

afterEach(async () => {
  for (const type of [INSTANCE_ROLE_BINDINGS, WORKSPACE_ROLE_BINDINGS])
    for (const name of ['team', 'shop-editors', 'delivered'])
      if (await world.find(host(), type, { name }).catch(() => undefined))
        await world.remove(host(), type, { name })
})

describe('role bindings of instances', () => {
  it('are created, read, changed and deleted as objects on the host', async () => {
    const created = await call(
      'createInstanceRoleBinding',
      team({ namespaces: ['web'], reason: 'INC-1' }) as never,
    )
    expect(created.json, created.text).toMatchObject({
      name: 'team',
      role: 'Editor',
      namespaces: ['web'],
      delivered: false,
    })
    expect((await world.find(host(), INSTANCE_ROLE_BINDINGS, { name: 'team' })) as object).toMatchObject({
      spec: {
        instance: world.instance,
        role: 'Editor',
        namespaces: ['web'],
        reason: 'INC-1',
        subjects: [ANN],
      },
    })
    const expiresAt = '2099-01-01T00:00:00Z'
    const change = { name: 'team', ...team({ subjects: [{ kind: 'Group', name: 'dev' }], expiresAt }) }
    const updated = await call('updateInstanceRoleBinding', change as never)
    expect(updated.json, updated.text).toMatchObject({
      expiresAt,
      subjects: [{ kind: 'Group', name: 'dev' }],
    })
    const read = await world.calls.read('getInstanceRoleBinding', { name: 'team' })
    expect(read).toMatchObject({ namespaces: [], reason: '', expiresAt })
    const { items } = await world.calls.read('listInstanceRoleBindings', { instance: world.instance })
    expect(items.map(({ name }: { name: string }) => name)).toContain('team')
    expect((await world.calls.read('listInstanceRoleBindings', { instance: 'other' })).items).toEqual([])
    expect((await call('deleteInstanceRoleBinding', { name: 'team' } as never)).ok).toBe(true)
    expect((await call('getInstanceRoleBinding', { name: 'team' } as never)).json.code).toBe(5)
  })

  it('are answered with a warning where they are for whom nobody has chosen, when read as well', async () => {
    const wide = { subjects: [{ kind: 'Group', name: 'system:authenticated' }] }
    const warning = /^the group system:authenticated is everyone who can log in, now and later/
    const created = await call('createInstanceRoleBinding', team(wide) as never)
    expect(created.json.warnings, created.text).toEqual([expect.stringMatching(warning)])
    const read = await world.calls.read('getInstanceRoleBinding', { name: 'team' })
    expect(read.warnings).toEqual([expect.stringMatching(warning)])
    const narrowed = await call('updateInstanceRoleBinding', { name: 'team', ...team() } as never)
    expect(narrowed.json.warnings, narrowed.text).toEqual([])
    const members = { binding: { ...{ name: 'shop-editors', workspace: 'shpo', role: 'Viewer' }, ...wide } }
    const inherited = await call('createWorkspaceRoleBinding', members as never)
    const misspelled = 'there is no workspace shpo: the role gives nothing until there is one'
    expect(inherited.json.warnings, inherited.text).toEqual([misspelled, expect.stringMatching(warning)])
  })

  it.each<[string, JsonObject, RegExp]>([
    ['a role that there is not', { role: 'Owner' }, /spec\.role/],
    ['no subjects', { subjects: [] }, /subjects/],
    ['an end that is no time', { expiresAt: 'tomorrow' }, /expiresAt/],
    [
      'a user in a namespace',
      { subjects: [{ ...ANN, namespace: 'n' }] },
      /namespace must be set for a ServiceAccount/,
    ],
    ['a name that is none', { name: 'Team A' }, /metadata\.name/],
  ])('are refused with %s, by the host’s own words', async (_, more, why) => {
    const refused = await call('createInstanceRoleBinding', team(more) as never)
    expect([refused.json.code, refused.text]).toEqual([3, expect.stringMatching(why)])
  })

  it('are not created twice, and not changed where somebody else was faster', async () => {
    const { json } = await call('createInstanceRoleBinding', team() as never)
    expect((await call('createInstanceRoleBinding', team() as never)).json.code).toBe(6)
    const change = (resourceVersion: string) => ({
      name: 'team',
      ...team({ reason: resourceVersion, resourceVersion }),
    })
    expect((await call('updateInstanceRoleBinding', change('1') as never)).json.code).toBe(10)
    // The controller writes the status of a new binding, and may be the faster one.
    await eventually('nobody is faster', async () => {
      const found = (await call('getInstanceRoleBinding', { name: 'team' } as never)).json as JsonObject
      expect(found.name).toBe(json.name)
      const changed = await call('updateInstanceRoleBinding', change(`${found.resourceVersion}`) as never)
      if (!changed.ok) expect(changed.json.code).toBe(10)
      return changed.ok
    })
  })

  it('that Global Management delivers are shown as such, and not changed here', async () => {
    const subjects = [{ kind: 'User' as const, name: 'ann' }]
    const delivered = { name: 'delivered', instance: world.instance, role: 'Viewer' as const, subjects }
    await host().request({
      ...{ method: 'POST', path: resourcePath(INSTANCE_ROLE_BINDINGS) },
      body: renderDelivered(delivered, 1),
    })
    expect(await world.calls.read('getInstanceRoleBinding', { name: 'delivered' })).toMatchObject({
      delivered: true,
    })
    const change = await call('updateInstanceRoleBinding', { name: 'delivered', binding: delivered } as never)
    const gone = await call('deleteInstanceRoleBinding', { name: 'delivered' } as never)
    for (const refused of [change, gone])
      expect([refused.json.code, refused.text]).toEqual([
        9,
        expect.stringContaining('delivered by Global Management'),
      ])
  })

  it('are followed on both wires', async () => {
    const following = world.calls.follow('watchInstanceRoleBindings', { instance: world.instance })
    try {
      const said = (wire: 'rest' | 'grpc') =>
        following[wire].steps.map(
          ({ type, binding }) => `${type} ${(binding as JsonObject | undefined)?.name ?? ''}`,
        )
      for (const wire of ['rest', 'grpc'] as const)
        await eventually('it has begun', () => said(wire).includes('BOOKMARK '))
      await call('createInstanceRoleBinding', team() as never)
      await call('deleteInstanceRoleBinding', { name: 'team' } as never)
      for (const wire of ['rest', 'grpc'] as const)
        await eventually(
          'the changes',
          () => said(wire).includes('ADDED team') && said(wire).includes('DELETED team'),
        )
    } finally {
      following.rest.close()
      following.grpc.close()
    }
  })

  it('need rights on the host: no role on an instance gives them', async () => {
    const reader = world.calls.as(
      await hostUser(world.world.playground.host, 'reads-role-bindings', {
        instancerolebindings: ['get', 'list'],
      }),
    )
    expect((await reader.overRest('listInstanceRoleBindings', {})).ok).toBe(true)
    for (const [name, request] of [
      ['createInstanceRoleBinding', team()],
      ['updateInstanceRoleBinding', { name: 'team', ...team() }],
      ['deleteInstanceRoleBinding', { name: 'team' }],
      ['listWorkspaceRoleBindings', {}],
    ] as const)
      expect([name, (await reader.overRest(name, request as never)).json.code]).toEqual([name, 7])
    reader.close()
  })
})

it('role bindings of workspaces are the same', async () => {
  const binding = { name: 'shop-editors', workspace: 'shop', role: 'Editor', subjects: [ANN] }
  const created = await call('createWorkspaceRoleBinding', { binding } as never)
  expect(created.json, created.text).toMatchObject(binding)
  const wanted = { ...binding, subjects: [{ kind: 'Group', name: 'dev' }], reason: 'more' }
  const updated = await call('updateWorkspaceRoleBinding', { name: 'shop-editors', binding: wanted } as never)
  expect(updated.json, updated.text).toMatchObject(wanted)
  const { items } = await world.calls.read('listWorkspaceRoleBindings', { workspace: 'shop' })
  expect(items).toMatchObject([wanted])
  expect((await call('deleteWorkspaceRoleBinding', { name: 'shop-editors' } as never)).ok).toBe(true)
  expect((await world.calls.read('listWorkspaceRoleBindings', {})).items).toEqual([])
})

import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { Caller } from '../../../../http/identity/caller.js'
import { type CredentialCheck, checkedBy } from '../../../../http/identity/credential.js'
import { whoAmI } from '../../../../http/rpc/access-review/who-am-i.js'
import {
  CallerCredential_Source,
  WhoAmIResponseSchema,
} from '../../../../proto/gen/kairship/access_review_pb.js'
import { fakeRoleBindings } from '../../fakes/role-bindings.js'

const GRACE_MS = 60_000
const ann: Caller = { user: 'ann', groups: ['dev', 'system:authenticated'], extra: {} }

function world() {
  const roleBindings = fakeRoleBindings()
  const ask = (caller: Caller = ann, isOpen: (instance: string) => boolean = () => true) =>
    create(WhoAmIResponseSchema, whoAmI({ roleBindings, graceMs: GRACE_MS }, { caller, isOpen }))
  return { roleBindings, ask }
}

describe('who a caller is', () => {
  it.each<[string, Partial<Caller>, Partial<CredentialCheck>, CallerCredential_Source]>([
    ['a certificate', {}, {}, CallerCredential_Source.CERTIFICATE],
    ['the host', {}, { ask: async () => ann }, CallerCredential_Source.HOST],
    [
      'an issuer',
      { credential: { issuer: 'https://id.example' } },
      { ask: async () => ann, issuer: { isOver: false } },
      CallerCredential_Source.ISSUER,
    ],
    [
      'Kairship itself',
      { credential: { issuer: 'https://id.example', instance: 'eu' } },
      { ask: async () => ann, issuer: { isOver: false } },
      CallerCredential_Source.KAIRSHIP,
    ],
  ])('comes with where the credential is from: %s', (_, more, check, source) => {
    const { credential } = world().ask(checkedBy({ ...ann, ...more }, { key: 'a', ...check }))
    expect(credential).toMatchObject({ source, ...more.credential })
  })

  it('has each role once, by instance, with how it comes and when it ends', () => {
    const { roleBindings, ask } = world()
    const dev = { kind: 'Group', name: 'dev' } as const
    roleBindings.give('devs', 'Viewer', { instance: 'us', subject: dev })
    roleBindings.give('others', 'Admin', { instance: 'us', subject: { kind: 'User', name: 'bob' } })
    const expiresAt = '2026-11-24T12:00:10Z'
    roleBindings.giveMembers('sellers', 'Editor', {
      ...{ instance: 'eu', subject: { kind: 'User', name: 'ann' }, workspace: 'sales' },
      ...{ namespaces: ['shop'], expiresAt },
    })
    expect(ask().roles).toMatchObject([
      {
        ...{ instance: 'eu', role: 'Editor', namespaces: ['shop'], expiresAt, workspace: 'sales' },
        ...{ bindingKind: 'WorkspaceRoleBinding', bindingName: 'sellers', subject: { kind: 'User' } },
      },
      {
        ...{ instance: 'us', role: 'Viewer', namespaces: [], expiresAt: '', workspace: '' },
        ...{ bindingKind: 'InstanceRoleBinding', bindingName: 'devs', subject: dev },
      },
    ])
    roleBindings.pass(10_000)
    expect(ask().roles.map(({ instance }) => instance)).toEqual(['us'])
  })

  it('has the roles that the credential lets count: on the one instance of a token, and on none that a lock closes', () => {
    const { roleBindings, ask } = world()
    for (const instance of ['eu', 'us'])
      roleBindings.give(instance, 'Viewer', { instance, subject: { kind: 'User', name: 'ann' } })
    const instances = ({ roles }: ReturnType<typeof ask>) => roles.map(({ instance }) => instance)
    expect(instances(ask())).toEqual(['eu', 'us'])
    const token = ask({ ...ann, credential: { instance: 'us' } })
    expect([instances(token), token.notes[0]]).toEqual([['us'], expect.stringContaining('"us" alone')])
    const locked = ask(ann, instance => instance !== 'eu')
    expect([instances(locked), locked.totalRoles]).toEqual([['us'], 1])
  })

  it('has no role while the host has been silent for longer than roles count, and says so', () => {
    const { roleBindings, ask } = world()
    roleBindings.give('ann', 'Viewer', { instance: 'eu', subject: { kind: 'User', name: 'ann' } })
    roleBindings.silentForMs = GRACE_MS
    expect(ask().roles).toHaveLength(1)
    roleBindings.silentForMs = GRACE_MS + 1
    const { roles, notes } = ask()
    expect([roles, notes[0]]).toEqual([[], expect.stringContaining('has not been heard for')])
  })

  it('has a thousand roles at most, and the number of all', () => {
    const { roleBindings, ask } = world()
    for (let at = 0; at < 1_005; at++)
      roleBindings.give(`b-${at}`, 'Viewer', { instance: `i-${at}`, subject: { kind: 'User', name: 'ann' } })
    const { roles, totalRoles } = ask()
    expect([roles.length, totalRoles]).toEqual([1_000, 1_005])
  })
})

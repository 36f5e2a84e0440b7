import { describe, expect, it } from 'vitest'
import { actingAs, asksToImpersonate, ORIGINAL_USER } from '../../../http/identity/acting-as.js'
import type { Caller } from '../../../http/identity/caller.js'

const ada: Caller = {
  user: 'ada',
  groups: ['ops', 'system:authenticated'],
  extra: {},
  credential: { id: 't' },
}
const ROBOT = 'system:serviceaccount:team:robot'
const thirtyOne = Array.from({ length: 31 }, (_, n) => `g${n}`)
/** The headers of so many groups. */
const groups = (count: number) =>
  Array.from({ length: count }, (_, n) => ['Impersonate-Group', `g${n}`]).flat()
const attributesOf = (headers: readonly string[]) =>
  actingAs(headers, ada)?.attributes.map(({ group, resource, subresource, namespace, name }) =>
    [group, namespace, resource, subresource, name].filter(Boolean).join('/'),
  )

describe('a request that asks to impersonate', () => {
  it.each([
    ['impersonate-USER'],
    ['Impersonate_Group'],
    ['IMPERSONATE-EXTRA-X'],
    ['impersonate-uid'],
    ['Impersonate-Whatever-Comes-Next'],
  ])('is found by the prefix of a header: %s', name => {
    expect(asksToImpersonate(['A', 'b', name, 'admin'])).toBe(true)
  })

  it('is none that has the word in a value', () => {
    expect(asksToImpersonate(['X', 'impersonate-user'])).toBe(false)
    expect(actingAs(['Accept', '*/*'], ada)).toBeUndefined()
  })

  it('acts as the other, with the original user in an extra and under the same token', () => {
    const headers = ['Impersonate-User', 'eve', 'impersonate-group', 'dev', 'IMPERSONATE-GROUP', 'qa']
    expect(
      actingAs([...headers, 'Impersonate-Uid', '7', 'Impersonate-Extra-Scopes', 'a'], ada)?.caller,
    ).toEqual({
      user: 'eve',
      uid: '7',
      groups: ['dev', 'qa', 'system:authenticated'],
      extra: { scopes: ['a'], [ORIGINAL_USER]: ['ada'] },
      credential: { id: 't' },
    })
  })

  it.each([
    [['Impersonate-User', 'eve'], ['users/eve']],
    [
      ['Impersonate-User', 'eve', 'Impersonate-Group', 'dev', 'Impersonate-Group', 'qa'],
      ['users/eve', 'groups/dev', 'groups/qa'],
    ],
    [['Impersonate-User', ROBOT], ['team/serviceaccounts/robot']],
    [
      ['Impersonate-User', 'eve', 'Impersonate-Uid', '7'],
      ['users/eve', 'authentication.k8s.io/uids/7'],
    ],
    [
      ['Impersonate-User', 'eve', 'Impersonate-Extra-a%2Fb', 'c', 'Impersonate-Extra-A%2fb', 'd'],
      ['users/eve', 'authentication.k8s.io/userextras/a/b/c', 'authentication.k8s.io/userextras/a/b/d'],
    ],
    [['Impersonate-User', 'Zo\u00c3\u00ab'], ['users/Zoë']],
    [
      ['Impersonate-User', 'eve', 'Impersonate-Group', 'system:authenticated'],
      ['users/eve', 'groups/system:authenticated'],
    ],
    [
      ['Impersonate-User', ROBOT, 'Impersonate-Group', 'system:serviceaccounts:team'],
      ['team/serviceaccounts/robot', 'groups/system:serviceaccounts:team'],
    ],
    [['Impersonate-User', 'e'.repeat(256)], [`users/${'e'.repeat(256)}`]],
    [
      ['Impersonate-User', 'eve', ...groups(31)],
      ['users/eve', ...thirtyOne.map(name => `groups/${name}`)],
    ],
  ])('is reviewed for each name as kube-apiserver does: %j', (headers, expected) => {
    expect(attributesOf(headers)).toEqual(expected)
  })

  it('gives a ServiceAccount the groups that it has in Kubernetes, unless others are named', () => {
    const robot = ['Impersonate-User', ROBOT]
    expect(actingAs(robot, ada)?.caller.groups).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:team',
      'system:authenticated',
    ])
    expect(actingAs([...robot, 'Impersonate-Group', 'dev'], ada)?.caller.groups).toEqual([
      'dev',
      'system:authenticated',
    ])
  })

  it.each([
    [['Impersonate-User', 'system:admin'], /Kubernetes’ own/],
    [['Impersonate-User', 'system:node:n1'], /Kubernetes’ own/],
    [['Impersonate-User', 'system:serviceaccount:team'], /Kubernetes’ own/],
    [['Impersonate-User', 'system:serviceaccount:team:a:b'], /Kubernetes’ own/],
    [['Impersonate-User', 'system:serviceaccount::robot'], /Kubernetes’ own/],
    [['Impersonate-User', 'system:serviceaccount:team:'], /Kubernetes’ own/],
    [['Impersonate-User', ROBOT, 'Impersonate-Group', 'system:serviceaccounts:other'], /Kubernetes’ own/],
    [['Impersonate-User', 'eve', 'Impersonate-Group', 'system:masters'], /Kubernetes’ own/],
    [['Impersonate-User', 'eve', 'Impersonate-Group', 'system:serviceaccounts'], /Kubernetes’ own/],
    [['Impersonate-User', 'eve', 'Impersonate-Group', 'system:unauthenticated'], /Kubernetes’ own/],
    [['Impersonate-User', 'eve', 'Impersonate-Extra-kairship.io%2Foriginal-user', 'x'], /Kairship’s own/],
    [['Impersonate-User', 'eve', 'Impersonate-Extra-KAIRSHIP.IO%2foriginal-USER', 'x'], /Kairship’s own/],
    [['Impersonate-User', 'eve', 'Impersonate-Extra-kairship%2Eio%2Fx', 'x'], /Kairship’s own/],
    [['Impersonate-User', 'eve', 'Impersonate-Extra-%4Bairship.io%2Fx', 'x'], /Kairship’s own/],
    [['Impersonate-User', 'eve', 'Impersonate-Extra-kairship.io', 'x'], /Kairship’s own/],
    [['Impersonate-User', 'eve', 'Impersonate-Extra-sub.kairship.io%2Fx', 'x'], /Kairship’s own/],
  ])('is forbidden what nobody may be: %j', (headers, why) => {
    expect(() => actingAs(headers, ada)).toThrow(why)
    expect(() => actingAs(headers, ada)).toThrow(expect.objectContaining({ code: 7 }))
  })

  it.each([
    [['Impersonate-Group', 'dev']],
    [['Impersonate-Uid', '7']],
    [['Impersonate-Extra-Scopes', 'x']],
    [['Impersonate-User', '']],
    [['Impersonate-User', 'eve', 'impersonate-user', 'mallory']],
    [['Impersonate-User', 'eve', 'Impersonate-Uid', '1', 'Impersonate-UID', '2']],
    [['Impersonate_User', 'eve']],
    [['Impersonate-User', 'eve', 'Impersonate_Group', 'dev']],
    [['Impersonate-User', 'eve', 'Impersonate-Role', 'dev']],
    [['Impersonate-User', 'eve', 'Impersonate-Extra-', 'x']],
    [['Impersonate-User', 'eve', 'Impersonate-Extra-%zz', 'x']],
    [['Impersonate-User', 'eve', 'Impersonate-Extra-a%0Db', 'x']],
    [['Impersonate-User', 'eve', 'Impersonate-Group', '\u00c2\u00a0system:masters']],
    [['Impersonate-User', 'e'.repeat(257)]],
    [['Impersonate-User', 'eve', 'Impersonate-Group', '']],
    [['Impersonate-User', 'eve', 'Impersonate-Uid', '']],
    [['Impersonate-User', 'eve', ...groups(32)]],
  ])('is refused where it names nobody, or what would be ignored: %j', headers => {
    expect(() => actingAs(headers, ada)).toThrow(expect.objectContaining({ code: 3 }))
  })

  it('is refused to a caller who acts as another already', () => {
    const nested = { ...ada, extra: { [ORIGINAL_USER]: ['root'] } }
    expect(() => actingAs(['Impersonate-User', 'eve'], nested)).toThrow(/not nested/)
  })
})

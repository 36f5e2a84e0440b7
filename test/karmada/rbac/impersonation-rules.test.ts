import { describe, expect, it } from 'vitest'
import { impersonatable, notImpersonatable } from '../../../karmada/rbac/impersonation-rules.js'
import type { RbacBinding, RbacRole } from '../../../karmada/rbac/rbac-objects.js'
import type { RbacSubject } from '../../../karmada/rbac/subject.js'

const apiVersion = 'rbac.authorization.k8s.io/v1'
const role = (name: string, apiGroup: string, resource: string, resourceNames?: string[]): RbacRole => ({
  ...{ apiVersion, kind: 'ClusterRole', metadata: { name } },
  rules: [
    { verbs: ['*'], apiGroups: [apiGroup], resources: [resource], ...(resourceNames && { resourceNames }) },
  ],
})
const binding = (to: string, name: string, kind = 'ClusterRole'): RbacBinding => ({
  ...{ apiVersion, kind: 'ClusterRoleBinding', metadata: { name } },
  ...{ roleRef: { kind, name: to }, subjects: [{ kind: 'User', name }] },
})
const ROLES = [
  role('proxy', 'cluster.karmada.io', 'clusters/proxy'),
  role('of-m1', 'cluster.karmada.io', 'clusters/proxy', ['m1']),
  role('search', 'search.karmada.io', 'proxying/proxy'),
  role('everything', '*', '*'),
  role('clusters', 'cluster.karmada.io', 'clusters'),
  role('proxies', 'apps', 'clusters/proxy'),
]
const BINDINGS = [
  ...ROLES.map(({ metadata: { name } }) => binding(name, `by-${name}`)),
  binding('proxy', 'by-role', 'Role'),
]

describe('whom Karmada may impersonate in a member', () => {
  it.each([
    ['m1', ['by-proxy', 'by-of-m1', 'by-search', 'by-everything']],
    ['m2', ['by-proxy', 'by-search', 'by-everything']],
  ])('is whom ClusterRoleBindings open its proxy to: %s', (cluster, names) => {
    expect(impersonatable(cluster, ROLES, BINDINGS).map(({ name }) => name)).toEqual(names)
  })

  it.each<[string, string, readonly string[], readonly RbacSubject[], readonly string[]]>([
    ['a user that is named', 'ann', [], [{ kind: 'User', name: 'ann' }], []],
    ['a user whose name a group has', 'ann', [], [{ kind: 'Group', name: 'ann' }], ['User ann']],
    ['a group whose name a user has', '', ['ann'], [{ kind: 'User', name: 'ann' }], ['Group ann']],
    [
      'an account that is named',
      'system:serviceaccount:shop:bot',
      [],
      [{ kind: 'ServiceAccount', namespace: 'shop', name: 'bot' }],
      [],
    ],
    [
      'a user with the name of an account',
      'bot',
      [],
      [{ kind: 'ServiceAccount', namespace: 'shop', name: 'bot' }],
      ['User bot'],
    ],
    [
      'groups, some of them named',
      'ann',
      ['team', 'ops'],
      [
        { kind: 'User', name: 'ann' },
        { kind: 'Group', name: 'team' },
      ],
      ['Group ops'],
    ],
    [
      'the groups of everybody, which do not travel',
      'ann',
      ['system:authenticated'],
      [{ kind: 'User', name: 'ann' }],
      [],
    ],
    ['a group alone', '', ['team'], [{ kind: 'Group', name: 'team' }], []],
  ])('lacks for %s what no binding names', (_, user, groups, subjects, missing) => {
    expect(notImpersonatable({ user, groups }, subjects).map(({ kind, name }) => `${kind} ${name}`)).toEqual(
      missing,
    )
  })
})

import fc from 'fast-check'
import type { AccessRequest } from '../../../karmada/rbac/policy-rule.js'
import type { RbacBinding, RbacObjects, RbacRole } from '../../../karmada/rbac/rbac-objects.js'
import type { Identity } from '../../../karmada/rbac/subject.js'

/** Few words, so that rules, bindings and requests meet. */
const NAMES = ['one', 'two'] as const
const NAMESPACES = ['shop', 'bank'] as const
const USERS = ['ann', 'bob', 'system:serviceaccount:shop:one', 'system:serviceaccount:bank:two'] as const
const GROUPS = ['team', 'ops', 'system:authenticated'] as const
const VERBS = ['get', 'list', 'create', 'patch', 'impersonate'] as const
const API_GROUPS = ['', 'apps', 'cluster.karmada.io'] as const
const RESOURCES = ['pods', 'deployments', 'clusters'] as const
const SUBRESOURCES = ['', 'scale', 'log', 'proxy'] as const
const PATHS = ['/metrics', '/healthz', '/healthz/etcd', '/'] as const

const some = <T>(values: readonly T[], minLength = 0) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength, maxLength: 2 })

const ruleOfObjects = fc.record({
  verbs: some([...VERBS, '*'], 1),
  apiGroups: some([...API_GROUPS, '*'], 1),
  resources: some([...RESOURCES, '*', '*/scale', 'deployments/scale', 'pods/log', 'clusters/proxy'], 1),
  resourceNames: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, some(NAMES)),
})
const ruleOfPaths = fc.record({
  verbs: some([...VERBS, '*'], 1),
  nonResourceURLs: some([...PATHS, '*', '/healthz*', '/healthz/*'], 1),
})

const rbac = 'rbac.authorization.k8s.io'
const role = (kind: 'Role' | 'ClusterRole', namespace?: string) =>
  fc
    .record({
      name: fc.constantFrom(...NAMES),
      rules: fc.array(kind === 'Role' ? ruleOfObjects : fc.oneof(ruleOfObjects, ruleOfPaths), {
        maxLength: 3,
      }),
    })
    .map(
      ({ name, rules }): RbacRole => ({
        apiVersion: `${rbac}/v1`,
        kind,
        metadata: { name, ...(namespace !== undefined && { namespace }) },
        rules,
      }),
    )

const subject = fc.oneof(
  fc.constantFrom('ann', 'bob').map(name => ({ kind: 'User', name, apiGroup: rbac })),
  fc.constantFrom(...GROUPS).map(name => ({ kind: 'Group', name, apiGroup: rbac })),
  fc
    .tuple(fc.constantFrom(...NAMES), fc.constantFrom(...NAMESPACES))
    .map(([name, namespace]) => ({ kind: 'ServiceAccount', name, namespace })),
)

const binding = (kind: 'RoleBinding' | 'ClusterRoleBinding', namespace?: string) =>
  fc
    .record({
      name: fc.constantFrom('x', 'y', 'z'),
      subjects: fc.array(subject, { maxLength: 2 }),
      roleKind: kind === 'RoleBinding' ? fc.constantFrom('Role', 'ClusterRole') : fc.constant('ClusterRole'),
      roleName: fc.constantFrom(...NAMES, 'gone'),
    })
    .map(
      ({ name, subjects, roleKind, roleName }): RbacBinding => ({
        apiVersion: `${rbac}/v1`,
        kind,
        metadata: { name, ...(namespace !== undefined && { namespace }) },
        roleRef: { kind: roleKind, name: roleName },
        subjects,
      }),
    )

const distinct = <T extends RbacRole | RbacBinding>(objects: readonly T[]): readonly T[] => [
  ...new Map(objects.map(one => [`${one.metadata.namespace}/${one.metadata.name}`, one] as const)).values(),
]
const many = <T extends RbacRole | RbacBinding>(one: fc.Arbitrary<T>) =>
  fc.array(one, { maxLength: 4 }).map(distinct)
const inNamespaces = <T>(make: (namespace: string) => fc.Arbitrary<T>) =>
  fc.constantFrom(...NAMESPACES).chain(make)

/** The RBAC of a cluster. */
export const rbacObjects: fc.Arbitrary<RbacObjects> = fc.record({
  clusterRoles: many(role('ClusterRole')),
  clusterRoleBindings: many(binding('ClusterRoleBinding')),
  roles: many(inNamespaces(namespace => role('Role', namespace))),
  roleBindings: many(inNamespaces(namespace => binding('RoleBinding', namespace))),
})

/** A user with its groups. */
export const identities: fc.Arbitrary<Identity> = fc.record({
  user: fc.constantFrom(...USERS),
  groups: some(GROUPS),
})

/** What somebody may ask for. */
export const accessRequests: fc.Arbitrary<AccessRequest> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      verb: fc.constantFrom(...VERBS),
      group: fc.constantFrom(...API_GROUPS),
      resource: fc.constantFrom(...RESOURCES),
      subresource: fc.constantFrom(...SUBRESOURCES),
      namespace: fc.constantFrom('', ...NAMESPACES),
      name: fc.constantFrom('', ...NAMES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      verb: fc.constantFrom(...VERBS),
      path: fc.constantFrom(...PATHS, '/healthz/ping'),
    }),
  },
)

import { expect } from 'vitest'
import type { AccessRequest } from '../../../../karmada/rbac/policy-rule.js'
import type { RbacBinding, RbacObjects, RbacRole } from '../../../../karmada/rbac/rbac-objects.js'
import type { Identity } from '../../../../karmada/rbac/subject.js'
import { walkRbac } from '../../../../karmada/rbac/walk.js'
import { waitFor } from '../../../patience.js'
import { type Bench, behaviour, type Group } from '../behaviour.js'

const rbac = 'rbac.authorization.k8s.io'
const RULES = [
  { verbs: ['get', 'list'], apiGroups: ['', 'apps'], resources: ['pods', 'deployments'] },
  { verbs: ['patch'], apiGroups: ['*'], resources: ['*/scale'] },
  { verbs: ['*'], apiGroups: ['cluster.karmada.io'], resources: ['clusters/proxy'], resourceNames: ['m1'] },
  { verbs: ['get'], apiGroups: [''], resources: ['pods/log'] },
]
const PATHS = [{ verbs: ['get'], nonResourceURLs: ['/metrics', '/healthz/*'] }]

/** Roles and bindings under names of this run, as they are written. */
function objectsOf(k: Bench, name: string): RbacObjects {
  const { namespace } = k
  const apiVersion = `${rbac}/v1`
  const named = (kind: string, more: object) => ({ apiVersion, kind, ...more })
  const role = (kind: 'Role' | 'ClusterRole', rules: RbacRole['rules']): RbacRole =>
    named(kind, { metadata: { name, ...(kind === 'Role' && { namespace }) }, rules }) as RbacRole
  const binding = (kind: string, roleKind: string, subjects: RbacBinding['subjects']): RbacBinding =>
    named(kind, {
      metadata: { name, ...(kind === 'RoleBinding' && { namespace }) },
      roleRef: { apiGroup: rbac, kind: roleKind, name },
      subjects,
    }) as unknown as RbacBinding
  const group = { kind: 'Group', apiGroup: rbac, name: `${name}-team` }
  const account = { kind: 'ServiceAccount', name: 'bot', namespace }
  return {
    clusterRoles: [role('ClusterRole', [...RULES, ...PATHS])],
    clusterRoleBindings: [binding('ClusterRoleBinding', 'ClusterRole', [group])],
    roles: [role('Role', [{ verbs: ['*'], apiGroups: ['apps'], resources: ['*'] }])],
    roleBindings: [
      binding('RoleBinding', 'Role', [{ kind: 'User', apiGroup: rbac, name }, account] as never),
    ],
  }
}

/** Every request that these words make. */
function requestsIn(namespace: string): readonly AccessRequest[] {
  const types = [
    ['', 'pods', ''],
    ['', 'pods', 'log'],
    ['apps', 'deployments', ''],
    ['apps', 'deployments', 'scale'],
    ['cluster.karmada.io', 'clusters', 'proxy'],
  ] as const
  const objects = types.flatMap(([group, resource, subresource]) =>
    ['get', 'patch'].flatMap(verb =>
      ['', namespace].flatMap(within =>
        ['', 'm1'].map(name => ({ verb, group, resource, subresource, namespace: within, name })),
      ),
    ),
  )
  const paths = ['/metrics', '/metrics/x', '/healthz/etcd', '/healthz'].map(path => ({ verb: 'get', path }))
  return [...objects, ...paths]
}

async function allows(k: Bench, { user, groups }: Identity, request: AccessRequest): Promise<boolean> {
  const attributes = 'path' in request ? { nonResourceAttributes: request } : { resourceAttributes: request }
  const review = { spec: { user, groups, ...attributes } }
  const { status } = await k.made('/apis/authorization.k8s.io/v1/subjectaccessreviews', review)
  return status.allowed
}

/** Our explanations of RBAC say what the server's authorizer does. */
export const rbacWalk: Group = {
  name: 'rbac-walk',
  behaviours: [
    behaviour(
      'bindings include what our walk of them says, for each subject, type, verb, scope and name',
      async k => {
        const name = k.name('walk')
        const objects = objectsOf(k, name)
        const base = `/apis/${rbac}/v1`
        const within = `${base}/namespaces/${k.namespace}`
        const written = [
          [`${base}/clusterroles`, objects.clusterRoles],
          [`${base}/clusterrolebindings`, objects.clusterRoleBindings],
          [`${within}/roles`, objects.roles],
          [`${within}/rolebindings`, objects.roleBindings],
        ] as const
        for (const [path, [object]] of written) await k.made(path, object)
        const team = { user: 'somebody', groups: [`${name}-team`] }
        const account = { user: `system:serviceaccount:${k.namespace}:bot`, groups: [] }
        const identities = [team, account, { user: name, groups: [] }, { user: 'somebody', groups: [] }]
        try {
          // An authorizer learns of roles by watching.
          const metrics = { verb: 'get', path: '/metrics' }
          const deployment = {
            verb: 'get',
            group: 'apps',
            resource: 'deployments',
            subresource: '',
            name: '',
          }
          await waitFor(async () => expect(await allows(k, team, metrics)).toBe(true))
          await waitFor(async () =>
            expect(await allows(k, account, { ...deployment, namespace: k.namespace })).toBe(true),
          )
          for (const identity of identities)
            for (const request of requestsIn(k.namespace)) {
              const { grants } = walkRbac(objects, identity, request)
              const found = [identity, request, grants.length > 0]
              expect(found).toEqual([identity, request, await allows(k, identity, request)])
            }
        } finally {
          for (const [path] of written) await k.admin.delete(`${path}/${name}`)
        }
      },
    ),
  ],
}

import type { RbacBinding, RbacRole } from './rbac-objects.js'
import { accountUser, type Identity, type RbacSubject } from './subject.js'

/** Groups that Karmada's cluster proxy does not send to a member, which decides itself who is authenticated. */
const EVERYBODY: ReadonlySet<string> = new Set(['system:authenticated', 'system:unauthenticated'])

/**
 * Whom Karmada's proxy may impersonate in a member: the subjects of ClusterRoleBindings whose ClusterRole opens `clusters/proxy` for it, or
 * karmada-search's `proxying/proxy`. RoleBindings do not count (Karmada's unifiedAuth controller).
 */
export function impersonatable(
  cluster: string,
  roles: readonly RbacRole[],
  bindings: readonly RbacBinding[],
): readonly RbacSubject[] {
  const opening = new Set(
    roles.filter(role => opensProxy(role, cluster)).map(({ metadata }) => metadata.name),
  )
  return bindings
    .filter(({ roleRef }) => roleRef.kind === 'ClusterRole' && opening.has(roleRef.name))
    .flatMap(({ subjects }) => subjects ?? [])
}

/** The user and groups of an identity that a member would refuse, because no such binding names them. */
export function notImpersonatable(
  { user, groups }: Identity,
  subjects: readonly RbacSubject[],
): readonly RbacSubject[] {
  const users = new Set<string>()
  const known = new Set<string>()
  for (const { kind, name, namespace = '' } of subjects)
    if (kind === 'Group') known.add(name)
    else users.add(kind === 'ServiceAccount' ? accountUser(namespace, name) : name)
  return [
    ...(user === '' || users.has(user) ? [] : [{ kind: 'User', name: user }]),
    ...groups
      .filter(group => !EVERYBODY.has(group) && !known.has(group))
      .map(name => ({ kind: 'Group', name })),
  ]
}

/** The right to use the cluster's proxy, whatever the verb, or karmada-search's for all clusters. */
const opensProxy = ({ rules }: RbacRole, cluster: string): boolean =>
  (rules ?? []).some(
    ({ apiGroups, resources, resourceNames }) =>
      (includes(apiGroups, 'cluster.karmada.io') &&
        includes(resources, 'clusters/proxy') &&
        (!resourceNames?.length || resourceNames.includes(cluster))) ||
      (includes(apiGroups, 'search.karmada.io') && includes(resources, 'proxying/proxy')),
  )

const includes = (list: readonly string[] | undefined, wanted: string): boolean =>
  list?.some(one => one === wanted || one === '*') ?? false

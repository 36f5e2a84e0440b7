/** An entry of a binding's `subjects`. */
export interface RbacSubject {
  readonly kind: string
  readonly name: string
  /** Of a ServiceAccount. */
  readonly namespace?: string
}

/** Whose access it is: a user with its groups, or a group alone, whose user is then empty. */
export interface Identity {
  readonly user: string
  readonly groups: readonly string[]
}

/** Kubernetes' name of a ServiceAccount as a user. */
export const accountUser = (namespace: string, name: string): string =>
  `system:serviceaccount:${namespace}:${name}`

/**
 * Whether an entry of a binding names a user (k8s.io/kubernetes, plugin/pkg/auth/authorizer/rbac/rbac.go).
 * @param bindingNamespace of the RoleBinding, in which a ServiceAccount without a namespace is; empty for a ClusterRoleBinding
 */
export function isMeant(
  { kind, name, namespace = '' }: RbacSubject,
  { user, groups }: Identity,
  bindingNamespace: string,
): boolean {
  switch (kind) {
    case 'User':
      return user !== '' && user === name
    case 'Group':
      return groups.includes(name)
    case 'ServiceAccount': {
      const home = namespace || bindingNamespace
      return home !== '' && user === accountUser(home, name)
    }
    default:
      return false
  }
}

/** `User "ann"`, `Group "team"`, `ServiceAccount "bot/shop"`, as RBAC words it. */
export const subjectText = ({ kind, name, namespace }: RbacSubject): string =>
  `${kind} ${JSON.stringify(kind === 'ServiceAccount' && namespace ? `${name}/${namespace}` : name)}`

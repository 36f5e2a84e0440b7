import type { InstanceRole } from '../../manifests/instance-role-binding.js'
import { RIGHTS_OF_ROLES, type Rights } from '../../manifests/role-rights.js'

/**
 * Whether a role on an instance includes an action on the host.
 * @param covers the whole instance, or some of its namespaces
 */
export const includes = (
  role: InstanceRole,
  covers: 'instance' | 'namespaces',
  { verb, resource }: { readonly verb: string; readonly resource: string },
): boolean =>
  RIGHTS_OF_ROLES[role][covers === 'instance' ? 'onAll' : 'onSome'].some(rights =>
    rights[resource]?.includes(verb),
  )

/** All that a role gives on the host: verbs by resource. */
export function roleRights(role: InstanceRole, covers: 'instance' | 'namespaces'): Rights {
  const parts = RIGHTS_OF_ROLES[role][covers === 'instance' ? 'onAll' : 'onSome']
  const resources = new Set(parts.flatMap(rights => Object.keys(rights)))
  return Object.fromEntries(
    [...resources].map(resource => [resource, [...new Set(parts.flatMap(rights => rights[resource] ?? []))]]),
  )
}

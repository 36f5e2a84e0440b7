import type { InstanceRole } from '../../manifests/instance-role-binding.js'

/** Somebody who calls: by the role that an InstanceRoleBinding gives, by none, or by RBAC on the host. */
export interface Column {
  /** As the head of the table names it. */
  readonly title: string
  readonly role?: { readonly name: InstanceRole; readonly covers: 'instance' | 'namespaces' }
  /** Everything on the host and inside: who runs the platform. */
  readonly platform?: true
}

const ROLES: readonly InstanceRole[] = ['Viewer', 'Editor', 'Admin']

/** The columns of the table, from least to most. */
export const COLUMNS: readonly Column[] = [
  { title: 'No role' },
  ...ROLES.map((name): Column => ({ title: `${name}, namespaces`, role: { name, covers: 'namespaces' } })),
  ...ROLES.map((name): Column => ({ title: name, role: { name, covers: 'instance' } })),
  { title: 'Platform', platform: true },
]

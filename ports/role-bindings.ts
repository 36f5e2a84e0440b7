import type { InstanceRoleBinding } from '../manifests/instance-role-binding.js'

/** The role bindings of the host, as this replica's watch last saw them. */
export interface RoleBindings {
  /** True once all have been read. */
  readonly synced: boolean
  /** For how long the host has been silent, milliseconds; 0 while it is heard. */
  readonly silentForMs: number
  /** Those in effect for an instance, by name. */
  of(instance: string): readonly InstanceRoleBinding[]
  /** Another one after each change of what the bindings of an instance say; '' while there are none. It costs little. */
  revisionOf(instance: string): string
}

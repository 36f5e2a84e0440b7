import { KAIRSHIP_GROUP, KAIRSHIP_VERSION } from './instance.js'
import type { InstanceRole, Subject } from './instance-role-binding.js'
import type { Condition, KubeObject } from './kube.js'

/** `workspacerolebindings.kairship.io/v1alpha1`, cluster-scoped. */
export const WORKSPACE_ROLE_BINDINGS = {
  group: KAIRSHIP_GROUP,
  version: KAIRSHIP_VERSION,
  resource: 'workspacerolebindings',
} as const

/**
 * Gives members of a workspace a role on what belongs to the workspace: on each instance as a whole, and on each namespace that is bound
 * by itself. Global Management writes the spec; Kairship makes RBAC of it inside those instances.
 */
export interface WorkspaceRoleBinding extends KubeObject {
  readonly apiVersion: 'kairship.io/v1alpha1'
  readonly kind: 'WorkspaceRoleBinding'
  readonly spec: {
    /** The Workspace's name. */
    readonly workspace: string
    readonly role: InstanceRole
    readonly subjects: readonly Subject[]
    /** From this time on it gives nothing, RFC 3339; for ever when absent. */
    readonly expiresAt?: string
    /** Why it was given, for people and for the audit log. */
    readonly reason?: string
  }
  readonly status?: {
    /** `Expired` says, of one that has an end, whether that has come. */
    readonly conditions?: readonly Condition[]
  }
}

import { KAIRSHIP_GROUP, KAIRSHIP_VERSION } from './instance.js'
import type { Condition, KubeObject } from './kube.js'

/** `instancerolebindings.kairship.io/v1alpha1`, cluster-scoped. */
export const INSTANCE_ROLE_BINDINGS = {
  group: KAIRSHIP_GROUP,
  version: KAIRSHIP_VERSION,
  resource: 'instancerolebindings',
} as const

/** What a subject may do on an instance. */
export type InstanceRole = 'Admin' | 'Editor' | 'Viewer'

/** rbac.authorization.k8s.io/v1 Subject. `namespace` belongs to a ServiceAccount, and to nothing else. */
export interface Subject {
  readonly kind: 'User' | 'Group' | 'ServiceAccount'
  readonly name: string
  readonly namespace?: string
  readonly apiGroup?: 'rbac.authorization.k8s.io' | ''
}

/** Gives subjects a role. Global Management writes the spec; Kairship makes RBAC of it inside the instance and says so. */
export interface InstanceRoleBinding extends KubeObject {
  readonly apiVersion: 'kairship.io/v1alpha1'
  readonly kind: 'InstanceRoleBinding'
  readonly spec: {
    /** The Instance's name. */
    readonly instance: string
    /** The namespaces it covers; the whole instance when absent. */
    readonly namespaces?: readonly string[]
    readonly role: InstanceRole
    readonly subjects: readonly Subject[]
    /** From this time on it gives nothing, RFC 3339; for ever when absent. */
    readonly expiresAt?: string
    /** Why it was given, for people and for the audit log. */
    readonly reason?: string
  }
  readonly status?: {
    /** `Materialized`: whether the RBAC inside the instance is as this binding says. `Expired`, of one that has an end: whether that has come. */
    readonly conditions?: readonly Condition[]
  }
}

import type { KubeObject } from '../../manifests/kube.js'
import type { LabelSelectorObject } from '../../manifests/label-selector.js'
import type { PolicyRule } from './policy-rule.js'
import type { RbacSubject } from './subject.js'

/** A Role or ClusterRole. API servers fill the rules of one with an `aggregationRule` from the roles that it selects. */
export interface RbacRole extends KubeObject {
  readonly rules?: readonly PolicyRule[] | null
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelectorObject[] }
}

/** A RoleBinding or ClusterRoleBinding. */
export interface RbacBinding extends KubeObject {
  readonly roleRef: { readonly kind: string; readonly name: string }
  readonly subjects?: readonly RbacSubject[] | null
}

/** The RBAC of an API server, as far as it was read. */
export interface RbacObjects {
  readonly clusterRoles: readonly RbacRole[]
  readonly clusterRoleBindings: readonly RbacBinding[]
  readonly roles: readonly RbacRole[]
  readonly roleBindings: readonly RbacBinding[]
}

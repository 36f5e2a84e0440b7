import type { RbacObject } from './instance-rbac.js'
import type { KubeObject } from './kube.js'
import { labelsOf } from './names.js'
import { SYSTEM_NAMESPACE } from './reserved-namespaces.js'

/** ServiceAccounts of a control plane. */
export const SERVICE_ACCOUNTS = { group: '', version: 'v1', resource: 'serviceaccounts' } as const

/** The account inside each instance under which requests are made in the names of callers. */
export const IMPERSONATOR = { namespace: SYSTEM_NAMESPACE, name: 'kairship-impersonator' } as const
/** Its name as a user. */
export const IMPERSONATOR_USER = `system:serviceaccount:${IMPERSONATOR.namespace}:${IMPERSONATOR.name}`
/** The ClusterRole that it is bound to, and the name of the binding. */
const IMPERSONATOR_ROLE = 'kairship:impersonator'

/** What the impersonator consists of inside an instance, in the order in which it is made. */
export interface RenderedImpersonator {
  readonly namespace: KubeObject
  readonly account: KubeObject
  readonly role: RbacObject
  readonly binding: RbacObject
}

/**
 * The account that may impersonate and nothing else: a request that reaches the instance without the name of its caller can do
 * nothing there. Resources `uids` and `userextras/<key>` are all of their API group that can be impersonated; RBAC has no pattern for
 * `userextras/*`.
 */
export function renderImpersonator(instance: string): RenderedImpersonator {
  const labels = labelsOf(instance)
  const metadata = { name: IMPERSONATOR_ROLE, labels }
  return {
    // As issued kubeconfigs make it, without the name of an instance: both keep their accounts there.
    namespace: {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: SYSTEM_NAMESPACE, labels: { 'app.kubernetes.io/managed-by': 'kairship' } },
    },
    account: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...IMPERSONATOR, labels } },
    role: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata,
      rules: [
        { apiGroups: [''], resources: ['users', 'groups', 'serviceaccounts'], verbs: ['impersonate'] },
        { apiGroups: ['authentication.k8s.io'], resources: ['*'], verbs: ['impersonate'] },
      ],
    },
    binding: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: IMPERSONATOR_ROLE },
      subjects: [{ kind: 'ServiceAccount', ...IMPERSONATOR }],
    },
  }
}

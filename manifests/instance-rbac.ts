import type { InstanceRole, InstanceRoleBinding, Subject } from './instance-role-binding.js'
import type { KubeObject } from './kube.js'
import { labelsOf, ROLE_BINDING_LABEL } from './names.js'

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const
/** The three types of RBAC objects that a role binding becomes inside an instance. */
export const CLUSTER_ROLES = { ...RBAC, resource: 'clusterroles' } as const
export const CLUSTER_ROLE_BINDINGS = { ...RBAC, resource: 'clusterrolebindings' } as const
export const ROLE_BINDINGS = { ...RBAC, resource: 'rolebindings' } as const

/** rbac.authorization.k8s.io/v1 PolicyRule. */
interface Rule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
  readonly verbs: readonly string[]
}

/** A ClusterRole, ClusterRoleBinding or RoleBinding as rendered here. */
export interface RbacObject extends KubeObject {
  readonly rules?: readonly Rule[]
  readonly roleRef?: { readonly apiGroup: string; readonly kind: 'ClusterRole'; readonly name: string }
  readonly subjects?: readonly Subject[]
}

const reading = ['get', 'list', 'watch'] as const
/** Everything that a team deploys, without Secrets, RBAC, tokens and nodes. */
const workloads: readonly Pick<Rule, 'apiGroups' | 'resources'>[] = [
  {
    apiGroups: [''],
    resources: [
      ...['namespaces', 'configmaps', 'services', 'serviceaccounts', 'persistentvolumeclaims', 'endpoints'],
      ...['pods', 'pods/log', 'events', 'resourcequotas', 'limitranges', 'replicationcontrollers'],
    ],
  },
  {
    apiGroups: ['apps', 'batch', 'autoscaling', 'networking.k8s.io', 'discovery.k8s.io', 'policy'],
    resources: ['*'],
  },
  {
    apiGroups: [
      ...['policy.karmada.io', 'autoscaling.karmada.io', 'networking.karmada.io'],
      ...['apps.karmada.io', 'multicluster.x-k8s.io'],
    ],
    resources: ['*'],
  },
]
/** Without Works: they hold whole manifests, also those of Secrets. */
const bindings = {
  apiGroups: ['work.karmada.io'],
  resources: ['resourcebindings', 'clusterresourcebindings'].flatMap(name => [name, `${name}/status`]),
}
const clusters = { apiGroups: ['cluster.karmada.io'], resources: ['clusters', 'clusters/status'] }

/** What each role may do inside; the same words as Kubernetes' own view, edit and cluster-admin, over Karmada's groups too. */
const rules: Record<InstanceRole, readonly Rule[]> = {
  Viewer: [...workloads, bindings, clusters].map(part => ({ ...part, verbs: reading })),
  Editor: [
    ...workloads.map(part => ({ ...part, verbs: ['*'] })),
    { apiGroups: ['work.karmada.io'], resources: ['*'], verbs: ['*'] },
    { apiGroups: [''], resources: ['secrets'], verbs: ['*'] },
    { ...clusters, verbs: reading },
  ],
  Admin: [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ],
}

/** The rules of a role, for RBAC objects that no InstanceRoleBinding stands for. */
export const rulesOf = (role: InstanceRole): readonly Rule[] => rules[role]

const roleName = (role: InstanceRole): string => `kairship:${role.toLowerCase()}`
const PROXY_ROLE = 'kairship:cluster-proxy'

/** One RBAC object inside an instance, and the names of the InstanceRoleBindings that are not in effect without it. */
export interface RenderedRbac {
  readonly object: RbacObject
  readonly neededBy: readonly string[]
}

/**
 * All RBAC inside an instance that these bindings stand for: the ClusterRoles in use, a ClusterRoleBinding for a binding on
 * the whole instance or a RoleBinding in each of its namespaces, and for all of them one ClusterRoleBinding to
 * `clusters/proxy`: Karmada's cluster proxy impersonates only subjects of such a binding (its unifiedAuth controller
 * reads ClusterRoleBindings only). The member decides what they may do in it.
 */
export function renderRbac(
  instance: string,
  bindings: readonly InstanceRoleBinding[],
): readonly RenderedRbac[] {
  if (bindings.length === 0) return []
  const shared = { ...labelsOf(instance), [ROLE_BINDING_LABEL]: '' }
  const roles = [...new Set(bindings.map(({ spec }) => spec.role))].sort()
  const namesOf = (some: readonly InstanceRoleBinding[]) => some.map(({ metadata }) => metadata.name)
  return [
    ...roles.map(role => ({
      object: clusterRole(roleName(role), shared, rules[role]),
      neededBy: namesOf(bindings.filter(({ spec }) => spec.role === role)),
    })),
    {
      object: clusterRole(PROXY_ROLE, shared, [
        { apiGroups: ['cluster.karmada.io'], resources: ['clusters/proxy'], verbs: ['*'] },
      ]),
      neededBy: namesOf(bindings),
    },
    ...bindings.flatMap(binding =>
      grants(instance, binding).map(object => ({ object, neededBy: namesOf([binding]) })),
    ),
  ]
}

const clusterRole = (name: string, labels: Record<string, string>, rules: readonly Rule[]): RbacObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, labels },
  rules,
})

function grants(instance: string, { metadata: { name }, spec }: InstanceRoleBinding): readonly RbacObject[] {
  const labels = { ...labelsOf(instance), [ROLE_BINDING_LABEL]: labelValue(name) }
  const subjects = spec.subjects.map(canonicalSubject)
  const grant = (kind: string, bound: string, role: string, namespace?: string): RbacObject => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name: bound, labels, ...(namespace !== undefined && { namespace }) },
    roleRef: { apiGroup: RBAC.group, kind: 'ClusterRole', name: role },
    subjects,
  })
  const bound = `kairship:${name}`
  const inside = spec.namespaces
    ? spec.namespaces.map(namespace => grant('RoleBinding', bound, roleName(spec.role), namespace))
    : [grant('ClusterRoleBinding', bound, roleName(spec.role))]
  return [...inside, grant('ClusterRoleBinding', `${bound}:cluster-proxy`, PROXY_ROLE)]
}

/** As the API server stores it: users and groups carry the RBAC group, service accounts a namespace and none. */
const canonicalSubject = ({ kind, name, namespace }: Subject): Subject =>
  kind === 'ServiceAccount'
    ? { kind, name, ...(namespace !== undefined && { namespace }) }
    : { kind, name, apiGroup: RBAC.group }

/** Whether an RBAC object grants what this binding says, or said earlier. Long names may share a label. */
export const isGrantOf = ({ metadata }: Pick<KubeObject, 'metadata'>, binding: string): boolean =>
  metadata.labels?.[ROLE_BINDING_LABEL] === labelValue(binding)

/** A label value holds 63 characters; the label only helps people to find the origin, nothing is decided by it. */
const labelValue = (name: string): string => name.slice(0, 63).replace(/[^A-Za-z0-9]+$/, '')

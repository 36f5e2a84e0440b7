import type { RoleGrant } from './effective-binding.js'
import type { InstanceRole, Subject } from './instance-role-binding.js'
import type { KubeObject } from './kube.js'
import { labelsOf, ROLE_BINDING_LABEL } from './names.js'
import { isReservedNamespace, strongerAccounts } from './reserved-namespaces.js'

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
/** Without `impersonate`, `bind`, `escalate` and `use`, which `*` contains: an Editor of ServiceAccounts could act as each of them. */
const writing = [...reading, 'create', 'update', 'patch', 'delete', 'deletecollection'] as const
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

/**
 * What each role may do inside; the same words as Kubernetes' own view, edit and cluster-admin, over Karmada's groups too. Editors get
 * Secrets by `secretRules`, in each namespace where those give no stronger rights. They write no Works and no bindings of
 * `work.karmada.io`: Karmada applies those to members with an administrator's rights.
 */
const rules: Record<InstanceRole, readonly Rule[]> = {
  Viewer: [...workloads, bindings, clusters].map(part => ({ ...part, verbs: reading })),
  Editor: [
    ...workloads.map(part => ({ ...part, verbs: writing })),
    { apiGroups: ['work.karmada.io'], resources: ['*'], verbs: reading },
    { ...clusters, verbs: reading },
  ],
  Admin: [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ],
}

/** What Editors may do with Secrets, never bound for the whole instance. */
export const secretRules: readonly Rule[] = [{ apiGroups: [''], resources: ['secrets'], verbs: writing }]

/** The rules of a role, for RBAC objects that no InstanceRoleBinding stands for. */
export const rulesOf = (role: InstanceRole): readonly Rule[] => rules[role]

const roleName = (role: InstanceRole): string => `kairship:${role.toLowerCase()}`
const PROXY_ROLE = 'kairship:cluster-proxy'
/** The ClusterRole by which Editors get Secrets, bound in single namespaces. */
export const SECRETS_ROLE = 'kairship:secrets'

/** One RBAC object inside an instance, and the names of the role bindings that are not in effect without it. */
export interface RenderedRbac {
  readonly object: RbacObject
  readonly neededBy: readonly string[]
}

/** The namespaces inside an instance, as far as rights depend on them. */
export interface NamespacesInside {
  /** Names of those that are there and not being deleted. */
  readonly present: readonly string[]
  /** Whether credentials of members are kept in it. */
  holdsMemberCredentials(namespace: string): boolean
}

/** Whether a binding covers the whole instance and so needs Secrets in each namespace. */
export const isInstanceEditor = ({ spec }: Pick<RoleGrant, 'spec'>): boolean =>
  spec.role === 'Editor' && spec.namespaces === undefined

/** The namespaces of a binding in which its subjects get nothing (Admins) or no Secrets (Editors), because they would get far more. */
export function withheldNamespaces({ spec }: RoleGrant, isWithheld: IsWithheld): readonly string[] {
  if (spec.role === 'Viewer') return []
  return (spec.namespaces ?? []).filter(namespace => isWithheld(namespace, spec.role))
}

/** Whether a role gives nothing, or no Secrets, in a namespace. */
export type IsWithheld = (namespace: string, role: InstanceRole) => boolean

/** Decides by all bindings of an instance. */
export function withholding(
  bindings: readonly RoleGrant[],
  { holdsMemberCredentials }: Pick<NamespacesInside, 'holdsMemberCredentials'>,
): IsWithheld {
  const holdsStrongerAccount = strongerAccounts(bindings)
  return (namespace, role) =>
    isReservedNamespace(namespace) ||
    holdsMemberCredentials(namespace) ||
    holdsStrongerAccount(namespace, role)
}

/**
 * All RBAC inside an instance that these bindings stand for: the ClusterRoles in use, a ClusterRoleBinding for a binding on
 * the whole instance or a RoleBinding in each of its namespaces, and for all of them one ClusterRoleBinding to
 * `clusters/proxy`: Karmada's cluster proxy impersonates only subjects of such a binding (its unifiedAuth controller
 * reads ClusterRoleBindings only). The member decides what they may do in it. Editors get Secrets by RoleBindings in single namespaces.
 */
export function renderRbac(
  instance: string,
  bindings: readonly RoleGrant[],
  inside: NamespacesInside,
): readonly RenderedRbac[] {
  if (bindings.length === 0) return []
  const shared = { ...labelsOf(instance), [ROLE_BINDING_LABEL]: '' }
  const roles = [...new Set(bindings.map(({ spec }) => spec.role))].sort()
  const namesOf = (some: readonly RoleGrant[]) => some.map(({ metadata }) => metadata.name)
  const editors = bindings.filter(({ spec }) => spec.role === 'Editor')
  const isWithheld = withholding(bindings, inside)
  return [
    ...roles.map(role => ({
      object: clusterRole(roleName(role), shared, rules[role]),
      neededBy: namesOf(bindings.filter(({ spec }) => spec.role === role)),
    })),
    ...(editors.length > 0
      ? [{ object: clusterRole(SECRETS_ROLE, shared, secretRules), neededBy: namesOf(editors) }]
      : []),
    {
      object: clusterRole(PROXY_ROLE, shared, [
        { apiGroups: ['cluster.karmada.io'], resources: ['clusters/proxy'], verbs: ['*'] },
      ]),
      neededBy: namesOf(bindings),
    },
    ...bindings.flatMap(binding =>
      grants(instance, binding, withheldNamespaces(binding, isWithheld)).map(object => ({
        object,
        neededBy: namesOf([binding]),
      })),
    ),
    ...secretsOfInstanceEditors(shared, bindings, inside.present, isWithheld),
  ]
}

/** One RoleBinding for all Editors of the whole instance, in each namespace where Secrets give no stronger rights. */
function secretsOfInstanceEditors(
  labels: Record<string, string>,
  bindings: readonly RoleGrant[],
  present: readonly string[],
  isWithheld: IsWithheld,
): readonly RenderedRbac[] {
  const editors = bindings.filter(isInstanceEditor)
  if (editors.length === 0) return []
  const neededBy = editors.map(({ metadata }) => metadata.name)
  const subjects = editors.flatMap(({ spec }) => spec.subjects.map(canonicalSubject))
  const distinct = [...new Map(subjects.map(subject => [JSON.stringify(subject), subject])).values()]
  return present
    .filter(namespace => !isWithheld(namespace, 'Editor'))
    .map(namespace => ({
      object: grant('RoleBinding', 'kairship:secrets:instance-editors', SECRETS_ROLE, {
        labels,
        subjects: distinct,
        namespace,
      }),
      neededBy,
    }))
}

const clusterRole = (name: string, labels: Record<string, string>, rules: readonly Rule[]): RbacObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, labels },
  rules,
})

function grants(
  instance: string,
  { metadata: { name }, spec }: RoleGrant,
  withheld: readonly string[],
): readonly RbacObject[] {
  const labels = { ...labelsOf(instance), [ROLE_BINDING_LABEL]: originLabel(name) }
  const to = { labels, subjects: spec.subjects.map(canonicalSubject) }
  const bound = `kairship:${name}`
  const open = spec.namespaces?.filter(namespace => !withheld.includes(namespace))
  const covered = spec.role === 'Admin' ? open : spec.namespaces
  const inside = covered
    ? covered.map(namespace => grant('RoleBinding', bound, roleName(spec.role), { ...to, namespace }))
    : [grant('ClusterRoleBinding', bound, roleName(spec.role), to)]
  const secrets = spec.role === 'Editor' ? (open ?? []) : []
  return [
    ...inside,
    ...secrets.map(namespace => grant('RoleBinding', `${bound}:secrets`, SECRETS_ROLE, { ...to, namespace })),
    grant('ClusterRoleBinding', `${bound}:cluster-proxy`, PROXY_ROLE, to),
  ]
}

const grant = (
  kind: string,
  name: string,
  role: string,
  to: {
    readonly labels: Record<string, string>
    readonly subjects: readonly Subject[]
    readonly namespace?: string
  },
): RbacObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name, labels: to.labels, ...(to.namespace !== undefined && { namespace: to.namespace }) },
  roleRef: { apiGroup: RBAC.group, kind: 'ClusterRole', name: role },
  subjects: to.subjects,
})

/** As the API server stores it: users and groups carry the RBAC group, service accounts a namespace and none. */
const canonicalSubject = ({ kind, name, namespace }: Subject): Subject =>
  kind === 'ServiceAccount'
    ? { kind, name, ...(namespace !== undefined && { namespace }) }
    : { kind, name, apiGroup: RBAC.group }

/**
 * The value of `ROLE_BINDING_LABEL` on the RBAC of a binding. A label value holds 63 characters, so long names may share one: it says in
 * which statuses a failure is named, and decides no right.
 */
export const originLabel = (name: string): string =>
  name
    .replaceAll(':', '_')
    .slice(0, 63)
    .replace(/[^A-Za-z0-9]+$/, '')

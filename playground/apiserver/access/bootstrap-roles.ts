import type { JsonObject } from '../../apimachinery/json.js'
import { freeze } from '../store/stored-object.js'

/**
 * The roles every Kubernetes cluster starts with, as far as they mean something without nodes and schedulers. The three
 * roles for people are written out instead of aggregated; rules are shared by all logical clusters.
 */

const READ = ['get', 'list', 'watch']
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update']
const RBAC = 'rbac.authorization.k8s.io'

const rule = (apiGroups: string[], resources: string[], verbs: string[]): JsonObject => ({
  apiGroups,
  resources,
  verbs,
})
const paths = (...nonResourceURLs: string[]): JsonObject => ({ nonResourceURLs, verbs: ['get'] })

/** What editors may write; viewers read it too, secrets and pod subresources excepted. */
const WORKLOADS: readonly JsonObject[] = [
  rule(
    ['apps'],
    [
      'daemonsets',
      'deployments',
      'deployments/rollback',
      'deployments/scale',
      'replicasets',
      'replicasets/scale',
      'statefulsets',
      'statefulsets/scale',
    ],
    WRITE,
  ),
  rule(['batch'], ['cronjobs', 'jobs'], WRITE),
  rule(['autoscaling'], ['horizontalpodautoscalers'], WRITE),
  rule(['policy'], ['poddisruptionbudgets'], WRITE),
  rule(['networking.k8s.io'], ['ingresses', 'networkpolicies'], WRITE),
  rule(
    ['coordination.k8s.io'],
    ['leases'],
    ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  ),
  rule(
    [''],
    [
      'configmaps',
      'events',
      'persistentvolumeclaims',
      'pods',
      'replicationcontrollers',
      'replicationcontrollers/scale',
      'secrets',
      'serviceaccounts',
      'services',
      'services/proxy',
    ],
    WRITE,
  ),
  rule(
    [''],
    ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'secrets', 'services/proxy'],
    READ,
  ),
  rule([''], ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy'], WRITE),
  rule([''], ['pods/eviction', 'serviceaccounts/token'], ['create']),
  rule([''], ['serviceaccounts'], ['impersonate']),
]

const VISIBLE: readonly JsonObject[] = [
  rule(
    [''],
    [
      'configmaps',
      'endpoints',
      'persistentvolumeclaims',
      'persistentvolumeclaims/status',
      'pods',
      'replicationcontrollers',
      'replicationcontrollers/scale',
      'serviceaccounts',
      'services',
      'services/status',
    ],
    READ,
  ),
  rule(
    [''],
    [
      'bindings',
      'events',
      'limitranges',
      'namespaces',
      'namespaces/status',
      'pods/log',
      'pods/status',
      'replicationcontrollers/status',
      'resourcequotas',
      'resourcequotas/status',
    ],
    READ,
  ),
  rule(['discovery.k8s.io'], ['endpointslices'], READ),
  rule(
    ['apps'],
    [
      'controllerrevisions',
      'daemonsets',
      'daemonsets/status',
      'deployments',
      'deployments/scale',
      'deployments/status',
      'replicasets',
      'replicasets/scale',
      'replicasets/status',
      'statefulsets',
      'statefulsets/scale',
      'statefulsets/status',
    ],
    READ,
  ),
  rule(['autoscaling'], ['horizontalpodautoscalers', 'horizontalpodautoscalers/status'], READ),
  rule(['batch'], ['cronjobs', 'cronjobs/status', 'jobs', 'jobs/status'], READ),
  rule(['policy'], ['poddisruptionbudgets', 'poddisruptionbudgets/status'], READ),
  rule(['networking.k8s.io'], ['ingresses', 'ingresses/status', 'networkpolicies'], READ),
  // What metrics-server adds by a role of its own.
  rule(['metrics.k8s.io'], ['nodes', 'pods'], READ),
]

const ADMINISTRATION: readonly JsonObject[] = [
  rule(['authorization.k8s.io'], ['localsubjectaccessreviews'], ['create']),
  rule([RBAC], ['rolebindings', 'roles'], [...WRITE, ...READ]),
]

const OPEN_PATHS = paths('/healthz', '/livez', '/readyz', '/version', '/version/')

const aggregate = (...roles: string[]): JsonObject => ({
  clusterRoleSelectors: roles.map(role => ({
    matchLabels: { [`${RBAC}/aggregate-to-${role}`]: 'true' },
  })),
})

interface BootstrapRole {
  readonly name: string
  readonly rules: readonly JsonObject[]
  /** Which ClusterRoles add themselves to this one by label. */
  readonly aggregationRule?: JsonObject
}

export const BOOTSTRAP_ROLES: readonly BootstrapRole[] = freeze([
  { name: 'cluster-admin', rules: [rule(['*'], ['*'], ['*']), { nonResourceURLs: ['*'], verbs: ['*'] }] },
  {
    name: 'admin',
    rules: [...ADMINISTRATION, ...WORKLOADS, ...VISIBLE],
    aggregationRule: aggregate('admin'),
  },
  { name: 'edit', rules: [...WORKLOADS, ...VISIBLE], aggregationRule: aggregate('edit') },
  { name: 'view', rules: [...VISIBLE], aggregationRule: aggregate('view') },
  {
    name: 'system:basic-user',
    rules: [
      rule(['authorization.k8s.io'], ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create']),
      rule(['authentication.k8s.io'], ['selfsubjectreviews'], ['create']),
    ],
  },
  {
    name: 'system:discovery',
    rules: [
      paths(
        '/api',
        '/api/*',
        '/apis',
        '/apis/*',
        '/healthz',
        '/livez',
        '/openapi',
        '/openapi/*',
        '/readyz',
        '/version',
        '/version/',
      ),
    ],
  },
  { name: 'system:public-info-viewer', rules: [OPEN_PATHS] },
  {
    name: 'system:monitoring',
    rules: [
      paths(
        '/healthz',
        '/healthz/*',
        '/livez',
        '/livez/*',
        '/metrics',
        '/metrics/slis',
        '/readyz',
        '/readyz/*',
      ),
    ],
  },
  {
    name: 'system:auth-delegator',
    rules: [
      rule(['authentication.k8s.io'], ['tokenreviews'], ['create']),
      rule(['authorization.k8s.io'], ['subjectaccessreviews'], ['create']),
    ],
  },
])

export const BOOTSTRAP_BINDINGS: readonly { readonly name: string; readonly groups: readonly string[] }[] = [
  { name: 'cluster-admin', groups: ['system:masters'] },
  { name: 'system:basic-user', groups: ['system:authenticated'] },
  { name: 'system:discovery', groups: ['system:authenticated'] },
  { name: 'system:public-info-viewer', groups: ['system:authenticated', 'system:unauthenticated'] },
  { name: 'system:monitoring', groups: ['system:monitoring'] },
]

/** kube-apiserver marks what it restores at every start. */
const BOOTSTRAP_METADATA: JsonObject = freeze({
  annotations: { [`${RBAC}/autoupdate`]: 'true' },
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
})

export const clusterRole = ({ name, rules, aggregationRule }: BootstrapRole): JsonObject => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRole',
  metadata: { name, ...BOOTSTRAP_METADATA },
  rules,
  ...(aggregationRule ? { aggregationRule } : {}),
})

export const clusterRoleBinding = ({ name, groups }: (typeof BOOTSTRAP_BINDINGS)[number]): JsonObject => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name, ...BOOTSTRAP_METADATA },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
  subjects: groups.map(group => ({ apiGroup: RBAC, kind: 'Group', name: group })),
})

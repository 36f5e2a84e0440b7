/** Names of the built-in resource types the playground's controllers use. */
const core = (resource: string) => ({ group: '', version: 'v1', resource }) as const
const apps = (resource: string) => ({ group: 'apps', version: 'v1', resource }) as const
const batch = (resource: string) => ({ group: 'batch', version: 'v1', resource }) as const
const rbac = (resource: string) => ({ group: 'rbac.authorization.k8s.io', version: 'v1', resource }) as const

export const NAMESPACES = core('namespaces')
export const SECRETS = core('secrets')
export const CONFIG_MAPS = core('configmaps')
export const SERVICE_ACCOUNTS = core('serviceaccounts')
export const SERVICES = core('services')
export const NODES = core('nodes')
export const PODS = core('pods')
export const RESOURCE_QUOTAS = core('resourcequotas')
export const EVENTS = core('events')
export const ENDPOINTS = core('endpoints')
export const PERSISTENT_VOLUME_CLAIMS = core('persistentvolumeclaims')
export const PERSISTENT_VOLUMES = core('persistentvolumes')
export const DEPLOYMENTS = apps('deployments')
export const REPLICA_SETS = apps('replicasets')
export const STATEFUL_SETS = apps('statefulsets')
export const DAEMON_SETS = apps('daemonsets')
export const CONTROLLER_REVISIONS = apps('controllerrevisions')
export const JOBS = batch('jobs')
export const CRON_JOBS = batch('cronjobs')
export const HORIZONTAL_POD_AUTOSCALERS = {
  group: 'autoscaling',
  version: 'v2',
  resource: 'horizontalpodautoscalers',
} as const
export const ENDPOINT_SLICES = {
  group: 'discovery.k8s.io',
  version: 'v1',
  resource: 'endpointslices',
} as const
export const STORAGE_CLASSES = { group: 'storage.k8s.io', version: 'v1', resource: 'storageclasses' } as const
export const PRIORITY_CLASSES = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  resource: 'priorityclasses',
} as const
export const ROLES = rbac('roles')
export const ROLE_BINDINGS = rbac('rolebindings')
export const CLUSTER_ROLES = rbac('clusterroles')
export const CLUSTER_ROLE_BINDINGS = rbac('clusterrolebindings')
export const CUSTOM_RESOURCE_DEFINITIONS = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
} as const

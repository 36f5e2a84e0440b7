/** Names of the built-in resource types the playground's controllers use. */
const core = (resource: string) => ({ group: '', version: 'v1', resource }) as const
const apps = (resource: string) => ({ group: 'apps', version: 'v1', resource }) as const
const rbac = (resource: string) => ({ group: 'rbac.authorization.k8s.io', version: 'v1', resource }) as const

export const NAMESPACES = core('namespaces')
export const SECRETS = core('secrets')
export const CONFIG_MAPS = core('configmaps')
export const SERVICE_ACCOUNTS = core('serviceaccounts')
export const SERVICES = core('services')
export const NODES = core('nodes')
export const PODS = core('pods')
export const DEPLOYMENTS = apps('deployments')
export const REPLICA_SETS = apps('replicasets')
export const ROLES = rbac('roles')
export const ROLE_BINDINGS = rbac('rolebindings')
export const CLUSTER_ROLES = rbac('clusterroles')
export const CLUSTER_ROLE_BINDINGS = rbac('clusterrolebindings')
export const CUSTOM_RESOURCE_DEFINITIONS = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
} as const

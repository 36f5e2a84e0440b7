import type { InstanceRole } from './instance-role-binding.js'

/** Rights on the host to an Instance and its subresources: verbs by resource. */
export type Rights = Readonly<Record<string, readonly string[]>>

const reading = ['get'] as const
const proxied = ['create', 'update', 'patch', 'delete'] as const

/** What everyone needs who may do something inside an instance. There its own RBAC decides. */
const inside: Rights = {
  instances: reading,
  'instances/status': reading,
  'instances/proxy': reading,
  'instances/registries': reading,
  'instances/token': ['create'],
}
/** What is about the instance as a whole. */
const whole: Rights = {
  'instances/failover': reading,
  'instances/descheduler': reading,
  'instances/metricsadapter': reading,
  'instances/inspect': reading,
  'instances/metrics': reading,
}
/**
 * What only administrators of a whole instance do. Not among it are changes of the Instance itself: it names the Secret with Kairship's own
 * credential, and so is the platform's.
 */
const administering: Rights = {
  'instances/failover': ['update'],
  'instances/descheduler': ['update'],
  'instances/metricsadapter': ['update'],
  'instances/clusters': ['create', 'delete'],
  'instances/kubeconfig': ['create'],
  'instances/cloudshells': ['get', 'create', 'delete'],
  'instances/audit': ['get'],
  'instances/access': ['get'],
}

/** What a role that an InstanceRoleBinding gives may do on the host, on its instance alone; Kubernetes' view, edit and admin in small. */
export const RIGHTS_OF_ROLES: Record<
  InstanceRole,
  { readonly onAll: readonly Rights[]; readonly onSome: readonly Rights[] }
> = {
  Viewer: { onAll: [inside, whole], onSome: [inside] },
  Editor: {
    onAll: [inside, whole, { 'instances/proxy': proxied }],
    onSome: [inside, { 'instances/proxy': proxied }],
  },
  Admin: {
    onAll: [inside, whole, { 'instances/proxy': proxied }, administering],
    onSome: [inside, { 'instances/proxy': proxied }],
  },
}

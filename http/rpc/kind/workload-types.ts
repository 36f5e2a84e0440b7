import type { ObjectType } from '../../objects/object-type.js'

const apps = (resource: string, kind: string): ObjectType => ({
  ...{ group: 'apps', version: 'v1' },
  ...{ resource, kind, namespaced: true },
})

/** Kubernetes' types of workloads (apps/v1), and of what their controllers make of them. */
export const DEPLOYMENTS = apps('deployments', 'Deployment')
export const STATEFUL_SETS = apps('statefulsets', 'StatefulSet')
export const DAEMON_SETS = apps('daemonsets', 'DaemonSet')
export const REPLICA_SETS = apps('replicasets', 'ReplicaSet')
/** In them StatefulSets and DaemonSets keep their templates. */
export const CONTROLLER_REVISIONS = apps('controllerrevisions', 'ControllerRevision')

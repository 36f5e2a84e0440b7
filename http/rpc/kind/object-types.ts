import type { ObjectType } from '../../objects/object-type.js'

/** Makes the types of one version of an API. */
const typesOf =
  (group: string, version: string, namespaced: boolean) =>
  (resource: string, kind: string): ObjectType => ({ group, version, resource, kind, namespaced })

/** Types that several services read or write; one that a single service has is in the row of its kind. */
export const NAMESPACE = typesOf('', 'v1', false)('namespaces', 'Namespace')
/** A template like others; Karmada's scheduler estimators look at those of members. */
export const RESOURCE_QUOTA = typesOf('', 'v1', true)('resourcequotas', 'ResourceQuota')
export const SECRET = typesOf('', 'v1', true)('secrets', 'Secret')

const apps = typesOf('apps', 'v1', true)
export const DEPLOYMENT = apps('deployments', 'Deployment')
export const STATEFUL_SET = apps('statefulsets', 'StatefulSet')
export const DAEMON_SET = apps('daemonsets', 'DaemonSet')
export const REPLICA_SET = apps('replicasets', 'ReplicaSet')
/** In them StatefulSets and DaemonSets keep their templates. */
export const CONTROLLER_REVISION = apps('controllerrevisions', 'ControllerRevision')

/** The members of a control plane. */
export const CLUSTER = typesOf('cluster.karmada.io', 'v1alpha1', false)('clusters', 'Cluster')

const policies = typesOf('policy.karmada.io', 'v1alpha1', true)
const clusterPolicies = typesOf('policy.karmada.io', 'v1alpha1', false)
export const PROPAGATION_POLICY = policies('propagationpolicies', 'PropagationPolicy')
export const CLUSTER_PROPAGATION_POLICY = clusterPolicies(
  'clusterpropagationpolicies',
  'ClusterPropagationPolicy',
)
export const OVERRIDE_POLICY = policies('overridepolicies', 'OverridePolicy')
export const FEDERATED_RESOURCE_QUOTA = policies('federatedresourcequotas', 'FederatedResourceQuota')
export const CLUSTER_OVERRIDE_POLICY = clusterPolicies('clusteroverridepolicies', 'ClusterOverridePolicy')

/** What became of one namespaced template. */
export const RESOURCE_BINDING = typesOf(
  'work.karmada.io',
  'v1alpha2',
  true,
)('resourcebindings', 'ResourceBinding')
/** What became of one template without a namespace. */
export const CLUSTER_RESOURCE_BINDING = typesOf(
  'work.karmada.io',
  'v1alpha2',
  false,
)('clusterresourcebindings', 'ClusterResourceBinding')
/** What a member gets of a template. */
export const WORK = typesOf('work.karmada.io', 'v1alpha1', true)('works', 'Work')

/**
 * How lists and objects of built-in types merge: facts that only the struct tags of k8s.io/api state (as its OpenAPI shows
 * them for Kubernetes 1.36). A list that is not here is atomic: it is owned and replaced as a whole.
 */

/** How one list is owned (server-side apply) and patched (strategic merge). */
export interface ListFact {
  readonly type: 'map' | 'set' | 'atomic'
  readonly keys: readonly string[]
  readonly patchStrategy?: string
  readonly patchMergeKey?: string
}

const mergedBy = (type: ListFact['type'], ...keys: string[]): ListFact => {
  const [key] = keys
  return { type, keys, patchStrategy: 'merge', ...(key === undefined ? {} : { patchMergeKey: key }) }
}
const owned = (...keys: string[]): ListFact => ({ type: 'map', keys })

const BY_NAME = mergedBy('map', 'name')
const BY_TYPE = mergedBy('map', 'type')
const BY_TYPE_UNPATCHED = owned('type')
const SET: ListFact = { type: 'set', keys: [] }
const MERGED_SET: ListFact = { type: 'set', keys: [], patchStrategy: 'merge' }
const RETAINED: ListFact = { ...BY_NAME, patchStrategy: 'merge,retainKeys' }
const PORTS = mergedBy('map', 'containerPort', 'protocol')

/** Type and field → how its list merges. Types are named without their version; no two merging ones share a name. */
export const LIST_FACTS: Readonly<Record<string, ListFact>> = {
  'MutatingWebhook.matchConditions': BY_NAME,
  'MutatingWebhookConfiguration.webhooks': BY_NAME,
  'ValidatingAdmissionPolicyBindingSpec.validationActions': SET,
  'ValidatingAdmissionPolicySpec.matchConditions': BY_NAME,
  'ValidatingAdmissionPolicySpec.variables': BY_NAME,
  'ValidatingAdmissionPolicyStatus.conditions': BY_TYPE_UNPATCHED,
  'ValidatingWebhook.matchConditions': BY_NAME,
  'ValidatingWebhookConfiguration.webhooks': BY_NAME,
  'DaemonSetStatus.conditions': BY_TYPE,
  'DeploymentStatus.conditions': BY_TYPE,
  'ReplicaSetStatus.conditions': BY_TYPE,
  'StatefulSetStatus.conditions': BY_TYPE,
  'HorizontalPodAutoscalerStatus.conditions': BY_TYPE,
  'JobStatus.conditions': { type: 'atomic', keys: [], patchStrategy: 'merge', patchMergeKey: 'type' },
  'PodFailurePolicyOnExitCodesRequirement.values': SET,
  'UncountedTerminatedPods.failed': SET,
  'UncountedTerminatedPods.succeeded': SET,
  'CertificateSigningRequestStatus.conditions': BY_TYPE_UNPATCHED,
  'Container.env': BY_NAME,
  'Container.ports': PORTS,
  'Container.volumeDevices': mergedBy('map', 'devicePath'),
  'Container.volumeMounts': mergedBy('map', 'mountPath'),
  'ContainerRestartRuleOnExitCodes.values': SET,
  'ContainerStatus.volumeMounts': mergedBy('map', 'mountPath'),
  'ContainerStatus.allocatedResourcesStatus': BY_NAME,
  'EphemeralContainer.env': BY_NAME,
  'EphemeralContainer.ports': PORTS,
  'EphemeralContainer.volumeDevices': mergedBy('map', 'devicePath'),
  'EphemeralContainer.volumeMounts': mergedBy('map', 'mountPath'),
  'NamespaceStatus.conditions': BY_TYPE,
  'NodeSpec.podCIDRs': MERGED_SET,
  'NodeStatus.addresses': BY_TYPE,
  'NodeStatus.conditions': BY_TYPE,
  'PersistentVolumeClaimStatus.conditions': BY_TYPE,
  'PodSpec.containers': BY_NAME,
  'PodSpec.ephemeralContainers': BY_NAME,
  'PodSpec.hostAliases': mergedBy('map', 'ip'),
  'PodSpec.imagePullSecrets': BY_NAME,
  'PodSpec.initContainers': BY_NAME,
  'PodSpec.resourceClaims': RETAINED,
  'PodSpec.schedulingGates': BY_NAME,
  'PodSpec.topologySpreadConstraints': mergedBy('map', 'topologyKey', 'whenUnsatisfiable'),
  'PodSpec.volumes': RETAINED,
  'PodStatus.conditions': BY_TYPE,
  'PodStatus.hostIPs': { type: 'atomic', keys: [], patchStrategy: 'merge', patchMergeKey: 'ip' },
  'PodStatus.podIPs': mergedBy('map', 'ip'),
  'PodStatus.resourceClaimStatuses': RETAINED,
  'ReplicationControllerStatus.conditions': BY_TYPE,
  'ResourceRequirements.claims': owned('name'),
  'ResourceStatus.resources': owned('resourceID'),
  'ServiceAccount.secrets': BY_NAME,
  'ServiceSpec.ports': mergedBy('map', 'port', 'protocol'),
  'ServiceStatus.conditions': BY_TYPE,
  'Endpoint.addresses': SET,
  'PodDisruptionBudgetStatus.conditions': BY_TYPE,
  'CSIDriverSpec.volumeLifecycleModes': SET,
  'CSINodeSpec.drivers': BY_NAME,
  'CustomResourceDefinitionStatus.conditions': BY_TYPE_UNPATCHED,
  'JSONSchemaProps.x-kubernetes-validations': mergedBy('map', 'rule'),
  'ObjectMeta.finalizers': MERGED_SET,
  'ObjectMeta.ownerReferences': mergedBy('map', 'uid'),
  'APIServiceStatus.conditions': BY_TYPE,
}

/** Objects with a patch strategy of their own. */
export const OBJECT_PATCH_STRATEGIES: Readonly<Record<string, string>> = {
  'DeploymentSpec.strategy': 'retainKeys',
  'PodDisruptionBudgetSpec.selector': 'replace',
}

/** Types and fields that are owned as a whole although they are objects. */
export const ATOMIC_OBJECTS: ReadonlySet<string> = new Set(
  `MatchResources NamedRuleWithOperations ParamKind ParamRef Variable ConfigMapKeySelector EndpointAddress EndpointPort
  FileKeySelector LocalObjectReference NodeSelector NodeSelectorTerm ObjectFieldSelector ObjectReference
  ResourceFieldSelector ScopeSelector SecretKeySelector SecretReference TopologySelectorTerm TypedLocalObjectReference
  ServiceBackendPort RoleRef Subject LabelSelector OwnerReference PodSpec.nodeSelector
  ReplicationControllerSpec.selector ServiceSpec.selector`.split(/\s+/),
)

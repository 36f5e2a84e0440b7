import type { Json } from '../json.js'

/** What the generated models cannot say of single fields: quantities, defaults, and which zero values vanish. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Fields that hold a Quantity, or a map of them. */
export const QUANTITIES = words(`
  HPAScalingRules.tolerance MetricTarget.averageValue MetricTarget.value MetricValueStatus.averageValue
  MetricValueStatus.value ContainerStatus.allocatedResources EmptyDirVolumeSource.sizeLimit LimitRangeItem.default
  LimitRangeItem.defaultRequest LimitRangeItem.max LimitRangeItem.maxLimitRequestRatio LimitRangeItem.min
  NodeStatus.allocatable NodeStatus.capacity PersistentVolumeClaimStatus.allocatedResources
  PersistentVolumeClaimStatus.capacity PersistentVolumeSpec.capacity PodSpec.overhead PodStatus.allocatedResources
  ResourceFieldSelector.divisor ResourceQuotaSpec.hard ResourceQuotaStatus.hard ResourceQuotaStatus.used
  ResourceRequirements.limits ResourceRequirements.requests VolumeResourceRequirements.limits
  VolumeResourceRequirements.requests`)

/**
 * Numbers and booleans whose zero is the same as absence, so that the API server never shows it. All other ones are
 * pointers in Go, where false and 0 are statements. (Empty lists, maps and strings have rules of their own.)
 */
export const VANISHING_ZEROS = words(`
  Container.stdin Container.stdinOnce Container.tty EphemeralContainer.stdin EphemeralContainer.stdinOnce
  EphemeralContainer.tty VolumeMount.readOnly PersistentVolumeClaimVolumeSource.readOnly NFSVolumeSource.readOnly
  PodSpec.hostNetwork PodSpec.hostPID PodSpec.hostIPC ServiceSpec.publishNotReadyAddresses NodeSpec.unschedulable
  DeploymentSpec.paused PriorityClass.globalDefault TokenReviewStatus.authenticated SubjectAccessReviewStatus.denied
  CustomResourceDefinitionSpec.preserveUnknownFields CustomResourceDefinitionVersion.deprecated
  JSONSchemaProps.exclusiveMaximum JSONSchemaProps.exclusiveMinimum JSONSchemaProps.uniqueItems JSONSchemaProps.nullable
  JSONSchemaProps.x-kubernetes-embedded-resource JSONSchemaProps.x-kubernetes-int-or-string
  ContainerPort.hostPort Probe.initialDelaySeconds Probe.timeoutSeconds Probe.periodSeconds Probe.successThreshold
  Probe.failureThreshold ContainerStateTerminated.signal PodCondition.observedGeneration PodStatus.observedGeneration
  ReplicationControllerSpec.minReadySeconds ReplicationControllerStatus.fullyLabeledReplicas
  ReplicationControllerStatus.readyReplicas ReplicationControllerStatus.availableReplicas
  ReplicationControllerStatus.observedGeneration ServiceSpec.healthCheckNodePort ServicePort.nodePort
  ContainerImage.sizeBytes Event.count StatefulSetSpec.minReadySeconds StatefulSetStatus.observedGeneration
  StatefulSetStatus.readyReplicas StatefulSetStatus.currentReplicas StatefulSetStatus.updatedReplicas
  DeploymentSpec.minReadySeconds DeploymentStatus.observedGeneration DeploymentStatus.replicas
  DeploymentStatus.updatedReplicas DeploymentStatus.readyReplicas DeploymentStatus.availableReplicas
  DeploymentStatus.unavailableReplicas DaemonSetSpec.minReadySeconds DaemonSetStatus.observedGeneration
  DaemonSetStatus.updatedNumberScheduled DaemonSetStatus.numberAvailable DaemonSetStatus.numberUnavailable
  ReplicaSetSpec.minReadySeconds ReplicaSetStatus.fullyLabeledReplicas ReplicaSetStatus.readyReplicas
  ReplicaSetStatus.availableReplicas ReplicaSetStatus.observedGeneration JobStatus.active JobStatus.succeeded
  JobStatus.failed ServiceBackendPort.number Event.deprecatedCount PodDisruptionBudgetStatus.observedGeneration
  HorizontalPodAutoscalerStatus.currentReplicas Condition.observedGeneration CustomResourceColumnDefinition.priority`)

/** Strings that are pointers in Go: '' is a statement (`storageClassName: ""` asks for no class). Others vanish when empty. */
export const MEANT_EMPTY = words(`
  PersistentVolumeSpec.volumeAttributesClassName PersistentVolumeClaimSpec.storageClassName
  PersistentVolumeClaimSpec.volumeAttributesClassName TypedObjectReference.namespace PodSpec.runtimeClassName
  PodDNSConfigOption.value ServiceSpec.loadBalancerClass ServicePort.appProtocol EndpointAddress.nodeName
  EndpointPort.appProtocol EndpointPort.name JobSpec.managedBy CronJobSpec.timeZone IngressSpec.ingressClassName
  LeaseSpec.holderIdentity Endpoint.hostname Endpoint.nodeName Endpoint.zone WebhookClientConfig.url
  CustomResourceDefinitionVersion.deprecationWarning`)

/** Lists and maps for which being empty says something else than being absent. */
export const MEANT_EMPTY_COLLECTIONS = words(`
  Role.rules ClusterRole.rules PolicyRule.verbs EndpointSlice.endpoints EndpointSlice.ports LimitRangeSpec.limits
  PodSpec.containers CustomResourceDefinitionStatus.conditions CustomResourceDefinitionStatus.storedVersions
  HTTPIngressRuleValue.paths CSINodeSpec.drivers`)

const ROLLING = { type: 'RollingUpdate' }

/**
 * Defaults that depend on nothing else, as the API server's own defaulting sets them and users see them in `-o yaml`.
 * An empty object stands where Go always writes the struct.
 */
export const DEFAULTS: Readonly<Record<string, Json>> = {
  'ContainerPort.protocol': 'TCP',
  'ServicePort.protocol': 'TCP',
  'NetworkPolicyPort.protocol': 'TCP',
  'EndpointPort.protocol': 'TCP',
  'Container.resources': {},
  'Container.terminationMessagePath': '/dev/termination-log',
  'Container.terminationMessagePolicy': 'File',
  'EphemeralContainer.resources': {},
  'EphemeralContainer.terminationMessagePath': '/dev/termination-log',
  'EphemeralContainer.terminationMessagePolicy': 'File',
  'Probe.timeoutSeconds': 1,
  'Probe.periodSeconds': 10,
  'Probe.successThreshold': 1,
  'Probe.failureThreshold': 3,
  'HTTPGetAction.path': '/',
  'HTTPGetAction.scheme': 'HTTP',
  'ObjectFieldSelector.apiVersion': 'v1',
  'PodSpec.dnsPolicy': 'ClusterFirst',
  'PodSpec.restartPolicy': 'Always',
  'PodSpec.schedulerName': 'default-scheduler',
  'PodSpec.securityContext': {},
  'PodSpec.terminationGracePeriodSeconds': 30,
  'SecretVolumeSource.defaultMode': 0o644,
  'ConfigMapVolumeSource.defaultMode': 0o644,
  'DownwardAPIVolumeSource.defaultMode': 0o644,
  'ProjectedVolumeSource.defaultMode': 0o644,
  'ServiceAccountTokenProjection.expirationSeconds': 3600,
  'HostPathVolumeSource.type': '',
  'Deployment.status': {},
  'DeploymentSpec.replicas': 1,
  'DeploymentSpec.revisionHistoryLimit': 10,
  'DeploymentSpec.progressDeadlineSeconds': 600,
  'DeploymentSpec.strategy': ROLLING,
  'ReplicaSet.status': { replicas: 0 },
  'ReplicaSetSpec.replicas': 1,
  'StatefulSet.status': { availableReplicas: 0, replicas: 0 },
  'StatefulSetSpec.replicas': 1,
  'StatefulSetSpec.serviceName': '',
  'StatefulSetSpec.podManagementPolicy': 'OrderedReady',
  'StatefulSetSpec.revisionHistoryLimit': 10,
  'StatefulSetSpec.updateStrategy': ROLLING,
  'StatefulSetSpec.persistentVolumeClaimRetentionPolicy': { whenDeleted: 'Retain', whenScaled: 'Retain' },
  'DaemonSet.status': {
    currentNumberScheduled: 0,
    desiredNumberScheduled: 0,
    numberMisscheduled: 0,
    numberReady: 0,
  },
  'DaemonSetSpec.revisionHistoryLimit': 10,
  'DaemonSetSpec.updateStrategy': ROLLING,
  'ReplicationController.status': { replicas: 0 },
  'ReplicationControllerSpec.replicas': 1,
  'Job.status': {},
  'JobTemplateSpec.metadata': {},
  'PodTemplateSpec.metadata': {},
  'CronJob.status': {},
  'CronJobSpec.concurrencyPolicy': 'Allow',
  'CronJobSpec.suspend': false,
  'CronJobSpec.successfulJobsHistoryLimit': 3,
  'CronJobSpec.failedJobsHistoryLimit': 1,
  'Service.status': { loadBalancer: {} },
  'ServiceSpec.type': 'ClusterIP',
  'ServiceSpec.sessionAffinity': 'None',
  'Ingress.status': { loadBalancer: {} },
  'Secret.type': 'Opaque',
  'Namespace.status': {},
  'Pod.status': {},
  'Node.spec': {},
  'Node.status': {},
  'Lease.spec': {},
  'ResourceQuota.status': {},
  'PersistentVolume.status': {},
  'PersistentVolumeSpec.persistentVolumeReclaimPolicy': 'Retain',
  'PersistentVolumeSpec.volumeMode': 'Filesystem',
  'PersistentVolumeClaim.status': {},
  'PersistentVolumeClaimSpec.resources': {},
  'PersistentVolumeClaimSpec.volumeMode': 'Filesystem',
  'StorageClass.reclaimPolicy': 'Delete',
  'StorageClass.volumeBindingMode': 'Immediate',
  'HorizontalPodAutoscalerSpec.minReplicas': 1,
  'HorizontalPodAutoscaler.status': { currentMetrics: null, desiredReplicas: 0 },
  'MutatingWebhook.failurePolicy': 'Fail',
  'MutatingWebhook.matchPolicy': 'Equivalent',
  'MutatingWebhook.namespaceSelector': {},
  'MutatingWebhook.objectSelector': {},
  'MutatingWebhook.reinvocationPolicy': 'Never',
  'MutatingWebhook.timeoutSeconds': 10,
  'ValidatingWebhook.failurePolicy': 'Fail',
  'ValidatingWebhook.matchPolicy': 'Equivalent',
  'ValidatingWebhook.namespaceSelector': {},
  'ValidatingWebhook.objectSelector': {},
  'ValidatingWebhook.timeoutSeconds': 10,
  'RuleWithOperations.scope': '*',
  'ServiceReference.port': 443,
  'CertificateSigningRequest.status': {},
  'PriorityClass.preemptionPolicy': 'PreemptLowerPriority',
  'CSIDriverSpec.attachRequired': true,
  'CSIDriverSpec.podInfoOnMount': false,
  'CSIDriverSpec.requiresRepublish': false,
  'CSIDriverSpec.storageCapacity': false,
  'CSIDriverSpec.seLinuxMount': false,
  'CSIDriverSpec.fsGroupPolicy': 'ReadWriteOnceWithFSType',
  'CSIDriverSpec.volumeLifecycleModes': ['Persistent'],
  'APIService.status': {},
  'CustomResourceDefinition.status': {
    acceptedNames: { kind: '', plural: '' },
    conditions: [],
    storedVersions: [],
  },
}

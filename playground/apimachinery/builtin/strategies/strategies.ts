import type { Strategy } from '../../resource-definition.js'
import * as core from './core-strategies.js'
import * as data from './data-strategies.js'
import * as job from './job-strategies.js'
import * as other from './other-strategies.js'
import * as pod from './pod-strategies.js'
import { service } from './service-strategy.js'
import * as workload from './workload-strategies.js'

/** The rules of each built-in kind's registry, by kind; both kinds named Event share theirs. */
const STRATEGIES: Readonly<Record<string, Strategy>> = {
  APIService: other.apiService,
  CSIDriver: other.storedOnly,
  CertificateSigningRequest: other.signingRequest,
  ClusterRole: other.clusterRole,
  ClusterRoleBinding: other.clusterRoleBinding,
  ConfigMap: data.configMap,
  ControllerRevision: workload.controllerRevision,
  CronJob: job.cronJob,
  CustomResourceDefinition: other.customResourceDefinition,
  DaemonSet: workload.daemonSet,
  Deployment: workload.deployment,
  EndpointSlice: other.endpointSlice,
  Endpoints: core.endpoints,
  Event: core.event,
  HorizontalPodAutoscaler: workload.autoscaler,
  Ingress: other.ingress,
  IngressClass: other.ingressClass,
  Job: job.job,
  Lease: core.lease,
  LimitRange: core.limitRange,
  MutatingWebhookConfiguration: other.webhookConfiguration,
  Namespace: core.namespace,
  NetworkPolicy: other.networkPolicy,
  Node: core.node,
  PersistentVolume: core.persistentVolume,
  PersistentVolumeClaim: core.persistentVolumeClaim,
  Pod: pod.pod,
  PodDisruptionBudget: workload.disruptionBudget,
  PodTemplate: pod.podTemplate,
  PriorityClass: other.priorityClass,
  ReplicaSet: workload.replicaSet,
  ReplicationController: workload.replicationController,
  ResourceQuota: core.resourceQuota,
  Role: other.role,
  RoleBinding: other.roleBinding,
  Secret: data.secret,
  Service: service,
  ServiceAccount: core.serviceAccount,
  StatefulSet: workload.statefulSet,
  StorageClass: other.storageClass,
  ValidatingAdmissionPolicy: other.storedWithStatus,
  ValidatingAdmissionPolicyBinding: other.storedWithGeneration,
  ValidatingWebhookConfiguration: other.webhookConfiguration,
  VolumeAttachment: other.storedWithStatus,
}

export const strategyOf = ({ kind }: { readonly kind: string }): Strategy =>
  STRATEGIES[kind] ?? other.storedOnly

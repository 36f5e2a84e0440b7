import type { Strategy } from '../../resource-definition.js'
import * as core from './core-strategies.js'
import * as data from './data-strategies.js'
import * as extension from './extension-strategies.js'
import * as job from './job-strategies.js'
import * as network from './network-strategies.js'
import * as pod from './pod-strategies.js'
import { priorityClass } from './priority-class-strategy.js'
import * as rbac from './rbac-strategies.js'
import { service } from './service-strategy.js'
import { signingRequest } from './signing-request-strategy.js'
import * as storage from './storage-strategies.js'
import * as stored from './stored-strategies.js'
import * as workload from './workload-strategies.js'

/** The rules of each built-in kind's registry, by kind; both kinds named Event share theirs. */
const STRATEGIES: Readonly<Record<string, Strategy>> = {
  APIService: extension.apiService,
  CSIDriver: stored.storedOnly,
  CertificateSigningRequest: signingRequest,
  ClusterRole: rbac.clusterRole,
  ClusterRoleBinding: rbac.clusterRoleBinding,
  ConfigMap: data.configMap,
  ControllerRevision: workload.controllerRevision,
  CronJob: job.cronJob,
  CustomResourceDefinition: extension.customResourceDefinition,
  DaemonSet: workload.daemonSet,
  Deployment: workload.deployment,
  EndpointSlice: network.endpointSlice,
  Endpoints: core.endpoints,
  Event: core.event,
  HorizontalPodAutoscaler: workload.autoscaler,
  Ingress: network.ingress,
  IngressClass: network.ingressClass,
  Job: job.job,
  Lease: core.lease,
  LimitRange: core.limitRange,
  MutatingWebhookConfiguration: extension.webhookConfiguration,
  Namespace: core.namespace,
  NetworkPolicy: network.networkPolicy,
  Node: core.node,
  PersistentVolume: storage.persistentVolume,
  PersistentVolumeClaim: storage.persistentVolumeClaim,
  Pod: pod.pod,
  PodDisruptionBudget: workload.disruptionBudget,
  PodTemplate: pod.podTemplate,
  PriorityClass: priorityClass,
  ReplicaSet: workload.replicaSet,
  ReplicationController: workload.replicationController,
  ResourceQuota: core.resourceQuota,
  Role: rbac.role,
  RoleBinding: rbac.roleBinding,
  Secret: data.secret,
  Service: service,
  ServiceAccount: core.serviceAccount,
  StatefulSet: workload.statefulSet,
  StorageClass: storage.storageClass,
  ValidatingAdmissionPolicy: stored.storedWithStatus,
  ValidatingAdmissionPolicyBinding: stored.storedWithGeneration,
  ValidatingWebhookConfiguration: extension.webhookConfiguration,
  VolumeAttachment: stored.storedWithStatus,
}

export const strategyOf = ({ kind }: { readonly kind: string }): Strategy =>
  STRATEGIES[kind] ?? stored.storedOnly

import type { PrinterColumn } from '../../resource-definition.js'
import * as core from './core-columns.js'
import * as other from './other-columns.js'
import { POD_COLUMNS, POD_TEMPLATE_COLUMNS } from './pod-columns.js'
import * as workload from './workload-columns.js'

/** What `kubectl get` shows of each built-in kind; kinds that are not here show name and age. */
const COLUMNS: Readonly<Record<string, readonly PrinterColumn[]>> = {
  APIService: other.API_SERVICE_COLUMNS,
  CSIDriver: other.CSI_DRIVER_COLUMNS,
  CSINode: other.CSI_NODE_COLUMNS,
  CertificateSigningRequest: other.SIGNING_REQUEST_COLUMNS,
  ClusterRole: other.NAME_AND_CREATED,
  ClusterRoleBinding: other.BINDING_COLUMNS,
  ConfigMap: core.CONFIG_MAP_COLUMNS,
  ControllerRevision: workload.CONTROLLER_REVISION_COLUMNS,
  CronJob: workload.CRON_JOB_COLUMNS,
  CustomResourceDefinition: other.NAME_AND_CREATED,
  DaemonSet: workload.DAEMON_SET_COLUMNS,
  Deployment: workload.DEPLOYMENT_COLUMNS,
  Endpoints: core.ENDPOINTS_COLUMNS,
  EndpointSlice: core.ENDPOINT_SLICE_COLUMNS,
  Event: core.EVENT_COLUMNS,
  HorizontalPodAutoscaler: workload.AUTOSCALER_COLUMNS,
  Ingress: other.INGRESS_COLUMNS,
  IngressClass: other.INGRESS_CLASS_COLUMNS,
  Job: workload.JOB_COLUMNS,
  Lease: other.LEASE_COLUMNS,
  LimitRange: other.NAME_AND_CREATED,
  MutatingWebhookConfiguration: other.WEBHOOK_COLUMNS,
  Namespace: core.NAMESPACE_COLUMNS,
  NetworkPolicy: other.NETWORK_POLICY_COLUMNS,
  Node: core.NODE_COLUMNS,
  PersistentVolume: core.VOLUME_COLUMNS,
  PersistentVolumeClaim: core.CLAIM_COLUMNS,
  Pod: POD_COLUMNS,
  PodDisruptionBudget: workload.DISRUPTION_BUDGET_COLUMNS,
  PodTemplate: POD_TEMPLATE_COLUMNS,
  PriorityClass: other.PRIORITY_CLASS_COLUMNS,
  ReplicaSet: workload.REPLICA_SET_COLUMNS,
  ReplicationController: workload.REPLICATION_CONTROLLER_COLUMNS,
  ResourceQuota: core.RESOURCE_QUOTA_COLUMNS,
  Role: other.NAME_AND_CREATED,
  RoleBinding: other.BINDING_COLUMNS,
  Secret: core.SECRET_COLUMNS,
  Service: core.SERVICE_COLUMNS,
  StatefulSet: workload.STATEFUL_SET_COLUMNS,
  StorageClass: other.STORAGE_CLASS_COLUMNS,
  ValidatingAdmissionPolicy: other.ADMISSION_POLICY_COLUMNS,
  ValidatingAdmissionPolicyBinding: other.ADMISSION_POLICY_BINDING_COLUMNS,
  ValidatingWebhookConfiguration: other.WEBHOOK_COLUMNS,
  VolumeAttachment: other.VOLUME_ATTACHMENT_COLUMNS,
}

export const columnsOf = (kind: string): readonly PrinterColumn[] => COLUMNS[kind] ?? core.NAME_AND_AGE

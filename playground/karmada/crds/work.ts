import { ageColumn, type CustomResource, type PrinterColumn } from '../../objects/custom-resource.js'
import {
  anyObject,
  condition,
  dateTime,
  flag,
  int32,
  int64,
  integer,
  labels,
  list,
  object,
  oneOf,
  resourceList,
  text,
  withDefault,
} from '../../objects/schema.js'
import { conflictResolution, failover, nodeClaim, placement, suspensionFields } from './placement.js'

const health = oneOf('Healthy', 'Unhealthy', 'Unknown')
const componentReplicas = object({ name: text, replicas: int32 }, ['name', 'replicas'])
const targetCluster = object({ name: text, replicas: int32, components: list(componentReplicas) }, ['name'])

const requirements = { nodeClaim, priorityClassName: text, resourceRequest: resourceList }

const evictionTask = object(
  {
    clustersBeforeFailover: list(text),
    creationTimestamp: dateTime,
    fromCluster: text,
    gracePeriodSeconds: int32,
    message: { ...text, maxLength: 1024 },
    preservedLabelState: labels,
    producer: text,
    purgeMode: oneOf('Directly', 'Gracefully', 'Never'),
    reason: { ...text, minLength: 1, maxLength: 32, pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' },
    replicas: int32,
    suppressDeletion: flag,
  },
  ['fromCluster', 'producer', 'reason'],
)

const bindingSpec = object(
  {
    clusters: list(targetCluster),
    components: list(
      object(
        { name: { ...text, maxLength: 32 }, replicaRequirements: object(requirements), replicas: int32 },
        ['name', 'replicas'],
      ),
    ),
    conflictResolution,
    failover,
    gracefulEvictionTasks: list(evictionTask),
    placement,
    preserveResourcesOnDeletion: flag,
    propagateDeps: flag,
    replicaRequirements: object({ namespace: text, ...requirements }),
    replicas: int32,
    requiredBy: list(object({ clusters: list(targetCluster), name: text, namespace: text }, ['name'])),
    rescheduleTriggeredAt: dateTime,
    resource: object(
      { apiVersion: text, kind: text, name: text, namespace: text, resourceVersion: text, uid: text },
      ['apiVersion', 'kind', 'name'],
    ),
    schedulePriority: object({ priority: withDefault(0, int32) }),
    schedulerName: text,
    suspension: object({ ...suspensionFields, scheduling: flag }),
    workloadAffinityGroups: object({ affinityGroup: text, antiAffinityGroup: text }),
  },
  ['resource'],
)

const aggregatedStatus = { applied: flag, appliedMessage: text, clusterName: text, status: anyObject }

const bindingStatus = object({
  aggregatedStatus: list(object({ ...aggregatedStatus, health }, ['clusterName'])),
  conditions: list(condition),
  lastScheduledTime: dateTime,
  schedulerObservedGeneration: int64,
  schedulerObservingAffinityName: text,
})

const oldBindingSpec = object(
  {
    clusters: list(object({ name: text, replicas: int32 }, ['name'])),
    resource: object(
      {
        apiVersion: text,
        kind: text,
        name: text,
        namespace: text,
        replicas: int32,
        resourcePerReplicas: resourceList,
        resourceVersion: text,
      },
      ['apiVersion', 'kind', 'name'],
    ),
  },
  ['resource'],
)
const oldBindingStatus = object({
  aggregatedStatus: list(object(aggregatedStatus, ['clusterName'])),
  conditions: list(condition),
})

const bindingColumns: readonly PrinterColumn[] = [
  {
    name: 'SCHEDULED',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Scheduled")].status',
  },
  {
    name: 'FULLYAPPLIED',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="FullyApplied")].status',
  },
  ageColumn,
]
const bindingVersions = [
  { name: 'v1alpha1', spec: oldBindingSpec, status: oldBindingStatus, storage: false },
  { name: 'v1alpha2', spec: bindingSpec, status: bindingStatus, columns: bindingColumns },
]

const workSpec = object({
  preserveResourcesOnDeletion: flag,
  suspendDispatching: flag,
  workload: object({
    manifests: list(anyObject),
  }),
})
const workStatus = object({
  conditions: list(condition),
  manifestStatuses: list(
    object(
      {
        health,
        identifier: object(
          {
            group: text,
            kind: text,
            name: text,
            namespace: text,
            ordinal: integer,
            resource: text,
            version: text,
          },
          ['kind', 'name', 'ordinal', 'resource', 'version'],
        ),
        status: anyObject,
      },
      ['identifier'],
    ),
  ),
})

const group = 'work.karmada.io'
const categories = ['karmada-io']

/** work.karmada.io: what the scheduler decided, and what each member cluster is to run. */
export const workResources: readonly CustomResource[] = [
  {
    group,
    kind: 'ResourceBinding',
    plural: 'resourcebindings',
    shortNames: ['rb'],
    categories,
    scope: 'Namespaced',
    description: 'Binds one object of its namespace to member clusters.',
    versions: bindingVersions,
  },
  {
    group,
    kind: 'ClusterResourceBinding',
    plural: 'clusterresourcebindings',
    shortNames: ['crb'],
    categories,
    scope: 'Cluster',
    description: 'Binds one cluster-scoped object to member clusters.',
    versions: bindingVersions,
  },
  {
    group,
    kind: 'Work',
    plural: 'works',
    shortNames: ['wk'],
    categories,
    scope: 'Namespaced',
    description:
      "The manifests that one member cluster is to run; lives in the cluster's execution namespace.",
    versions: [
      {
        name: 'v1alpha1',
        spec: workSpec,
        status: workStatus,
        columns: [
          {
            name: 'WORKLOAD-KIND',
            type: 'string',
            jsonPath: '.spec.workload.manifests[*].kind',
          },
          {
            name: 'APPLIED',
            type: 'string',
            jsonPath: '.status.conditions[?(@.type=="Applied")].status',
          },
          ageColumn,
        ],
      },
    ],
  },
]

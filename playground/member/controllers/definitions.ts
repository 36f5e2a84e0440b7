import type { GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import { objectKey } from '../../../streams/object-store.js'
import type { Pod } from '../../objects/core.js'
import {
  CONTROLLER_REVISIONS,
  CRON_JOBS,
  DAEMON_SETS,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  ENDPOINTS,
  HORIZONTAL_POD_AUTOSCALERS,
  JOBS,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  REPLICA_SETS,
  RESOURCE_QUOTAS,
  SERVICES,
  STATEFUL_SETS,
  STORAGE_CLASSES,
} from '../../objects/core-types.js'
import { isWaiting, schedulePod } from '../scheduler/plan-pod.js'
import type { PersistentVolumeClaim, Service } from '../workloads.js'
import type { Autoscaler, Autoscalers } from './autoscaler.js'
import type { ControllerDefinition } from './controller.js'
import { planCronJob } from './cron-job.js'
import { planDaemonSet } from './daemon-set.js'
import { planDeployment } from './deployment.js'
import { planEndpointSlices } from './endpoint-slices.js'
import { planGoneJob, planJob } from './job.js'
import { planEndpoints, planGoneEndpoints } from './legacy-endpoints.js'
import { planNode, planPodOnNode } from './node-lifecycle.js'
import type { World } from './plan.js'
import { hasFinished } from './pods.js'
import { planReplicaSet } from './replica-set.js'
import { planResourceQuota, quotasOf } from './resource-quota.js'
import { ownerOf } from './sources.js'
import { planStatefulSet } from './stateful-set.js'
import { planClaim, planVolume } from './volume-claims.js'

/** Every collection that the controllers look at. */
export const FOLLOWED: readonly GroupVersionResource[] = [
  NODES,
  PODS,
  DEPLOYMENTS,
  REPLICA_SETS,
  STATEFUL_SETS,
  DAEMON_SETS,
  CONTROLLER_REVISIONS,
  JOBS,
  CRON_JOBS,
  SERVICES,
  ENDPOINTS,
  ENDPOINT_SLICES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  STORAGE_CLASSES,
  RESOURCE_QUOTAS,
  HORIZONTAL_POD_AUTOSCALERS,
]

const every = (type: GroupVersionResource) => (_: KubeObject, world: World) => world.all(type).map(objectKey)

/** The Deployment behind a pod's ReplicaSet: one that waits until its old pods are gone. */
function deploymentOf(pod: KubeObject, world: World): readonly string[] {
  const { namespace } = pod.metadata
  const set = world.get(REPLICA_SETS, `${namespace}/${ownerOf(pod)?.name}`)
  const owner = set && ownerOf(set)
  return owner?.kind === 'Deployment' ? [`${namespace}/${owner.name}`] : []
}

/** The Services that select a pod. */
const servicesOf = (pod: KubeObject, world: World): readonly string[] =>
  world
    .all<Service>(SERVICES)
    .filter(({ metadata, spec }) => {
      const wanted = Object.entries(spec.selector ?? {})
      const isSelected = wanted.every(([key, value]) => pod.metadata.labels?.[key] === value)
      return metadata.namespace === pod.metadata.namespace && wanted.length > 0 && isSelected
    })
    .map(objectKey)

const volumeOf = ({ metadata: { uid } }: KubeObject): readonly string[] => [`pvc-${uid}`]

/** The pods that may find a node now: when one leaves or ends, or the nodes or claims change. */
function waitingPods(changed: KubeObject, world: World): readonly string[] {
  const waiting = () => world.all<Pod>(PODS).filter(isWaiting)
  const pod = changed as Pod
  const takesRoom =
    pod.kind === 'Pod' && !hasFinished(pod) && world.get(PODS, objectKey(changed)) !== undefined
  if (!takesRoom) return waiting().map(objectKey)
  // A pod that has a node now helps those that want to be beside it.
  return pod.spec?.nodeName ? waiting().filter(wantsCompany).map(objectKey) : []
}

const wantsCompany = ({ spec }: Pod): boolean =>
  (spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0

const claimants = (claim: KubeObject, world: World): readonly string[] =>
  world
    .all<Pod>(PODS)
    .filter(pod => isWaiting(pod) && pod.metadata.namespace === claim.metadata.namespace)
    .map(objectKey)

/** The pods on a node, whose kubelet may have come back. */
const podsOn = ({ metadata }: KubeObject, world: World): readonly string[] =>
  world
    .all<Pod>(PODS)
    .filter(({ spec }) => spec?.nodeName === metadata.name)
    .map(objectKey)

type Definition = ControllerDefinition<never>
const define = <T extends KubeObject>(definition: ControllerDefinition<T>): Definition =>
  definition as unknown as Definition

/** kube-controller-manager's controllers that a member runs, and the scheduler. */
export const DEFINITIONS: readonly Definition[] = [
  define({
    name: 'deployment-controller',
    kind: 'Deployment',
    type: DEPLOYMENTS,
    plan: planDeployment,
    owns: [REPLICA_SETS],
    concerns: [[PODS, deploymentOf]],
  }),
  define({
    name: 'replicaset-controller',
    kind: 'ReplicaSet',
    type: REPLICA_SETS,
    plan: planReplicaSet,
    owns: [PODS],
  }),
  define({
    name: 'statefulset-controller',
    kind: 'StatefulSet',
    type: STATEFUL_SETS,
    plan: planStatefulSet,
    owns: [PODS, CONTROLLER_REVISIONS],
  }),
  define({
    name: 'daemonset-controller',
    kind: 'DaemonSet',
    type: DAEMON_SETS,
    plan: planDaemonSet,
    owns: [PODS, CONTROLLER_REVISIONS],
    concerns: [[NODES, every(DAEMON_SETS)]],
  }),
  define({
    name: 'job-controller',
    kind: 'Job',
    type: JOBS,
    plan: planJob,
    gone: planGoneJob,
    owns: [PODS],
  }),
  define({ name: 'cronjob-controller', kind: 'CronJob', type: CRON_JOBS, plan: planCronJob, owns: [JOBS] }),
  define({
    name: 'endpoint-slice-controller',
    kind: 'Service',
    type: SERVICES,
    plan: planEndpointSlices,
    owns: [ENDPOINT_SLICES],
    concerns: [[PODS, servicesOf]],
  }),
  define({
    name: 'endpoint-controller',
    kind: 'Service',
    type: SERVICES,
    plan: planEndpoints,
    gone: planGoneEndpoints,
    concerns: [
      [PODS, servicesOf],
      [ENDPOINTS, object => [objectKey(object)]],
    ],
  }),
  define({
    name: 'persistentvolume-controller',
    kind: 'PersistentVolumeClaim',
    type: PERSISTENT_VOLUME_CLAIMS,
    plan: planClaim as ControllerDefinition<PersistentVolumeClaim>['plan'],
    concerns: [[STORAGE_CLASSES, every(PERSISTENT_VOLUME_CLAIMS)]],
  }),
  define({
    name: 'persistentvolume-controller',
    kind: 'PersistentVolume',
    type: PERSISTENT_VOLUMES,
    plan: planVolume,
    concerns: [[PERSISTENT_VOLUME_CLAIMS, volumeOf]],
  }),
  define({
    name: 'resourcequota-controller',
    kind: 'ResourceQuota',
    type: RESOURCE_QUOTAS,
    plan: planResourceQuota,
    concerns: [
      [PODS, quotasOf],
      [SERVICES, quotasOf],
      [PERSISTENT_VOLUME_CLAIMS, quotasOf],
    ],
  }),
  define({ name: 'node-controller', kind: 'Node', type: NODES, plan: planNode }),
  define({
    name: 'taint-eviction-controller',
    kind: 'Pod',
    type: PODS,
    plan: planPodOnNode,
    concerns: [[NODES, podsOn]],
  }),
  define({
    name: 'default-scheduler',
    kind: 'Pod',
    type: PODS,
    plan: schedulePod,
    concerns: [
      [NODES, waitingPods],
      [PODS, waitingPods],
      [PERSISTENT_VOLUME_CLAIMS, claimants],
    ],
  }),
]

/** The kubelets' part: every pod on a node. */
export const kubeletDefinition = (plan: ControllerDefinition<Pod>['plan']): Definition =>
  define<Pod>({ name: 'kubelet', kind: 'Pod', type: PODS, plan, concerns: [[NODES, podsOn]] })

/** The HorizontalPodAutoscaler controller. */
export const autoscalerDefinition = ({ plan, gone }: Autoscalers): Definition =>
  define<Autoscaler>({
    name: 'horizontal-pod-autoscaler',
    kind: 'HorizontalPodAutoscaler',
    type: HORIZONTAL_POD_AUTOSCALERS,
    plan,
    gone,
  })

import type { MessageInitShape } from '@bufbuild/protobuf'
import { milliUnits } from '../../../karmada/scheduling/milli-units.js'
import type { KubeObject, OwnerReference } from '../../../manifests/kube.js'
import { parseQuantity, type Quantity, ResourceSum, wholeUnits } from '../../../manifests/quantity.js'
import {
  PodStatus_OwnedBy_Kind as OwnerKind,
  PodStatus_Phase as Phase,
  type PodSchema,
  PodStatusSchema,
} from '../../../proto/gen/kairship/core_pb.js'
import { PodSpecSchema } from '../../../proto/gen/kairship/pod_pb.js'
import type { Place } from '../../objects/object-type.js'
import type { Kind } from '../kind/kind-handlers.js'
import { kubeMessage } from '../kind/kube-message.js'
import { objectMeta } from '../kind/object-meta.js'
import { type PodUsage, readUsage } from './pod-usage.js'

type ResourceList = Readonly<Record<string, string | number>>

/** v1 Pod, as far as its figures are read from it. */
export interface Pod extends KubeObject {
  readonly spec?: {
    readonly containers?: readonly Container[]
  }
  readonly status?: {
    readonly phase?: string
    readonly containerStatuses?: readonly { readonly restartCount?: number; readonly ready?: boolean }[]
  }
}

interface Container {
  readonly resources?: { readonly requests?: ResourceList; readonly limits?: ResourceList }
}

type PodMessage = MessageInitShape<typeof PodSchema>

/** Pods. */
export const pods: Kind<Pod, PodMessage, PodUsage | undefined> = {
  type: { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true },
  message: podMessage,
  extras: readUsage,
}

/** @param usage absent where the cluster measures nothing */
export function podMessage(pod: Pod, place: Place, usage?: PodUsage): PodMessage {
  const { spec, status } = pod
  const containers = spec?.containers ?? []
  const statuses = status?.containerStatuses ?? []
  const limits = { cpu: limitOf(containers, 'cpu'), memory: limitOf(containers, 'memory') }
  const requests = new ResourceSum()
  for (const { resources } of containers) requests.add(resources?.requests ?? {})
  const used = new ResourceSum()
  for (const list of usage ?? []) used.add(list)
  return {
    metadata: objectMeta(pod, place),
    spec: kubeMessage(PodSpecSchema, spec),
    status: {
      ...kubeMessage(PodStatusSchema, status),
      ...(status?.phase === undefined && { phase: Phase.Unknown }),
      cpuRequest: milliUnits(requests.get('cpu')),
      cpuLimit: limits.cpu ? milliUnits(limits.cpu) : 0n,
      memoryRequest: wholeUnits(requests.get('memory')),
      memoryLimit: limits.memory ? wholeUnits(limits.memory) : 0n,
      cpuUsageRate: rateOf(used.get('cpu'), limits.cpu),
      memoryUsageRate: rateOf(used.get('memory'), limits.memory),
      restartCount: statuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0),
      containerTotalCount: containers.length,
      containerReadyCount: statuses.filter(({ ready }) => ready).length,
      ...ownerOf(pod),
    },
  }
}

/** The sum of the containers' limits; undefined where one of them has none, because that one may use everything. */
function limitOf(containers: readonly Container[], resource: string): Quantity | undefined {
  const limits = containers.map(({ resources }) => resources?.limits?.[resource])
  if (limits.length === 0 || limits.includes(undefined)) return undefined
  const sum = new ResourceSum()
  for (const limit of limits) if (limit !== undefined) sum.addQuantity(resource, parseQuantity(limit))
  return sum.get(resource)
}

const rateOf = (used: Quantity, limit: Quantity | undefined): number =>
  limit && limit.nano > 0n ? Number(used.nano) / Number(limit.nano) : 0

const ownerKinds: Readonly<Record<string, OwnerKind>> = {
  ReplicaSet: OwnerKind.REPLICASET,
  StatefulSet: OwnerKind.STATEFULSET,
  DaemonSet: OwnerKind.DAEMONSET,
}

/**
 * The workload that a pod belongs to. The Deployment controller names a ReplicaSet after its Deployment and its pods' label
 * `pod-template-hash`; no other controller sets that label.
 */
function ownerOf({ metadata }: Pod) {
  const owner = controllerOf(metadata.ownerReferences)
  if (!owner) return {}
  const hash = metadata.labels?.['pod-template-hash']
  if (owner.kind === 'ReplicaSet' && hash && owner.name.endsWith(`-${hash}`))
    return { ownedBy: { kind: OwnerKind.DEPLOYMENT, name: owner.name.slice(0, -hash.length - 1) } }
  return { ownedBy: { kind: ownerKinds[owner.kind] ?? OwnerKind.KIND_UNSPECIFIED, name: owner.name } }
}

/** The owner that manages an object. */
export const controllerOf = (owners: readonly OwnerReference[] | undefined): OwnerReference | undefined =>
  owners?.find(({ controller }) => controller)

import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Cluster, ClusterSpec } from '../../../karmada/objects/cluster.js'
import { parseQuantity, QuantityError } from '../../../manifests/quantity.js'
import { ClusterPhase, type ClusterSchema } from '../../../proto/gen/kairship/cluster_pb.js'
import { ConditionSchema, SortBy, TaintEffectSchema } from '../../../proto/gen/kairship/types_pb.js'
import type { Place } from '../../objects/object-type.js'
import { providerOf } from '../distribution/distribution.js'
import type { Kind } from '../kind/kind-handlers.js'
import { enumOf, kubeMessage } from '../kind/kube-message.js'
import { objectMeta } from '../kind/object-meta.js'
import { CLUSTER } from '../kind/object-types.js'

/** Where a Cluster keeps what the contract knows of it and Karmada does not. */
export const ANNOTATIONS = {
  roles: 'kairship.io/cluster-roles',
  managedBy: 'kairship.io/cluster-managed-by',
  aliasName: 'kairship.io/cluster-alias',
} as const

/** What a cluster may be for. */
export const ROLES = ['MANAGER', 'GLOBAL_SERVICE', 'WORKER', 'THIRD_PARTY'] as const

/** A Cluster as the API shows it. */
export type ClusterMessage = MessageInitShape<typeof ClusterSchema>

/** Clusters that have joined an instance. */
export const clusters: Kind<Cluster, ClusterMessage> = {
  type: CLUSTER,
  message: clusterMessage,
  sort: { [SortBy.state]: cluster => ClusterPhase[phaseOf(cluster)] },
}

/** The message of a Cluster. */
export function clusterMessage(cluster: Cluster, place: Place): ClusterMessage {
  const { spec, status = {} } = cluster
  const { allocatable = {}, allocated = {} } = status.resourceSummary ?? {}
  const annotation = (key: keyof typeof ANNOTATIONS) => cluster.metadata.annotations?.[ANNOTATIONS[key]] ?? ''
  const zones = zonesOf(spec)
  return {
    metadata: objectMeta(cluster, place),
    spec: {
      provider: providerOf(spec.provider),
      providerName: spec.provider ?? '',
      apiEndpoint: spec.apiEndpoint ?? '',
      region: spec.region ?? '',
      zone: zones[0] ?? '',
      zones: [...zones],
      roles: rolesOf(cluster),
      managedBy: annotation('managedBy'),
      aliasName: annotation('aliasName'),
      syncMode: spec.syncMode,
      ...(spec.secretRef && {
        secretRef: { name: spec.secretRef.name, namespace: spec.secretRef.namespace },
      }),
      taints: (spec.taints ?? []).map(({ key, value = '', effect }) => ({
        key,
        value,
        effect: enumOf(TaintEffectSchema, effect) ?? 0,
      })),
    },
    status: {
      kubernetesVersion: status.kubernetesVersion ?? '',
      kubeSystemId: spec.id ?? '',
      phase: phaseOf(cluster),
      cpuUsage: partOf(allocated.cpu, allocatable.cpu),
      memoryUsage: partOf(allocated.memory, allocatable.memory),
      resourceSummary: { allocatable: { ...allocatable }, allocated: { ...allocated } },
      conditions: (status.conditions ?? []).map(condition => kubeMessage(ConditionSchema, condition)),
      totalNodes: status.nodeSummary?.totalNum ?? 0,
      readyNodes: status.nodeSummary?.readyNum ?? 0,
    },
  }
}

/** How a member is, by its Ready condition: before Karmada has looked at it, it is CREATING. */
export function phaseOf({ metadata, status }: Cluster): ClusterPhase {
  if (metadata.deletionTimestamp) return ClusterPhase.DELETING
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  if (!ready) return ClusterPhase.CREATING
  return READY_PHASES[ready.status] ?? ClusterPhase.UNKNOWN
}

const READY_PHASES: Readonly<Record<string, ClusterPhase>> = {
  True: ClusterPhase.RUNNING,
  False: ClusterPhase.FAILED,
}

/** The zones of a member: Karmada's `zones`, or the one `zone` that it deprecated. */
export const zonesOf = ({ zone, zones }: ClusterSpec): readonly string[] =>
  zones?.length ? zones : zone ? [zone] : []

/** What a member is for, as its annotation says. */
export const rolesOf = ({ metadata }: Pick<Cluster, 'metadata'>): string[] =>
  (metadata.annotations?.[ANNOTATIONS.roles] ?? '').split(',').filter(role => role !== '')

/** The part that one quantity is of another, 0 to 1; 0 where either is not known. */
function partOf(used: string | undefined, whole: string | undefined): number {
  const [part, all] = [nanosOf(used), nanosOf(whole)]
  return all > 0 ? Math.min(1, part / all) : 0
}

function nanosOf(quantity: string | undefined): number {
  try {
    return quantity === undefined ? 0 : Number(parseQuantity(quantity).nano)
  } catch (error) {
    if (error instanceof QuantityError) return 0
    throw error
  }
}

import type { MessageInitShape } from '@bufbuild/protobuf'
import type { KubeObject } from '../../../manifests/kube.js'
import { WorkloadState } from '../../../proto/gen/kairship/types_pb.js'
import {
  type DaemonSetSchema,
  DaemonSetSpecSchema,
  DaemonSetStatusSchema,
} from '../../../proto/gen/kairship/workload_pb.js'
import type { Place } from '../../objects/object-type.js'
import { clusterSummaries, type Distribution, type Share, sumOf } from '../distribution/distribution.js'
import { DISTRIBUTED } from '../distribution/follow-distributed.js'
import type { Kind } from '../kind/kind-handlers.js'
import { kubeMessage } from '../kind/kube-message.js'
import { objectMeta } from '../kind/object-meta.js'
import { DAEMON_SET } from '../kind/object-types.js'
import { hasReport, isObserved } from './replicated.js'

/** apps/v1 DaemonSet, as far as its state is read from it. */
export interface DaemonSet extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: {
    readonly observedGeneration?: number
    readonly desiredNumberScheduled?: number
    readonly numberReady?: number
    readonly numberAvailable?: number
  }
}

type DaemonSetMessage = MessageInitShape<typeof DaemonSetSchema>

/** DaemonSets. */
export const daemonSets: Kind<DaemonSet, DaemonSetMessage, Distribution | undefined> = {
  type: DAEMON_SET,
  message: daemonSetMessage,
  ...DISTRIBUTED,
}

/** @param distribution absent for a DaemonSet of a member cluster */
export function daemonSetMessage(
  daemonSet: DaemonSet,
  place: Place,
  distribution?: Distribution,
): DaemonSetMessage {
  const counts = countsOf(daemonSet, distribution)
  return {
    metadata: objectMeta(daemonSet, place),
    spec: kubeMessage(DaemonSetSpecSchema, daemonSet.spec),
    status: {
      ...kubeMessage(DaemonSetStatusSchema, daemonSet.status),
      desiredNumberScheduled: counts.desired,
      numberReady: counts.ready,
      numberAvailable: counts.available,
      state: daemonSetState(daemonSet, distribution),
      clusters: distribution ? summariesOf(distribution) : [],
    },
  }
}

/** A cluster that is not reached still has the nodes that it reported last; none of their pods counts as ready. */
function countsOf({ status = {} }: DaemonSet, distribution: Distribution | undefined) {
  if (distribution?.placed !== true) {
    const { desiredNumberScheduled = 0, numberReady = 0, numberAvailable = 0 } = status
    return { desired: desiredNumberScheduled, ready: numberReady, available: numberAvailable }
  }
  const { shares } = distribution
  return {
    desired: shares.reduce((sum, share) => sum + nodesOf(share), 0),
    ready: sumOf(shares, 'numberReady'),
    available: sumOf(shares, 'numberAvailable'),
  }
}

const nodesOf = ({ status }: Share): number => {
  const nodes = status?.desiredNumberScheduled
  return typeof nodes === 'number' ? nodes : 0
}

/** The scheduler gives a DaemonSet no replicas: each node is one. */
const summariesOf = (distribution: Distribution): ReturnType<typeof clusterSummaries> =>
  clusterSummaries(distribution).map((summary, index) => {
    const share = distribution.shares[index] as Share
    return { ...summary, replicas: nodesOf(share), readyReplicas: sumOf([share], 'numberReady') }
  })

/**
 * Running when every node that should run its pod has one that is ready, of this very spec, and all its clusters have reported
 * and are reached: how many nodes the others have is not known.
 */
export function daemonSetState(daemonSet: DaemonSet, distribution?: Distribution): WorkloadState {
  if (daemonSet.metadata.deletionTimestamp) return WorkloadState.DELETING
  if (!hasReport(daemonSet, distribution)) return WorkloadState.WAITING
  const { desired, ready } = countsOf(daemonSet, distribution)
  const isKnown = distribution?.shares.every(({ reachable, status }) => reachable && status) ?? true
  return isKnown && isObserved(daemonSet) && ready >= desired
    ? WorkloadState.RUNNING
    : WorkloadState.NOT_READY
}

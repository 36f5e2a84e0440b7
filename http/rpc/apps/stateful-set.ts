import type { MessageInitShape } from '@bufbuild/protobuf'
import type { WorkloadState } from '../../../proto/gen/kairship/types_pb.js'
import {
  type StatefulSetSchema,
  StatefulSetSpecSchema,
  StatefulSetStatusSchema,
} from '../../../proto/gen/kairship/workload_pb.js'
import type { Place } from '../../objects/object-type.js'
import { clusterSummaries, type Distribution, type Share } from '../distribution/distribution.js'
import { DISTRIBUTED } from '../distribution/follow-distributed.js'
import type { Kind } from '../kind/kind-handlers.js'
import { kubeMessage } from '../kind/kube-message.js'
import { objectMeta } from '../kind/object-meta.js'
import { STATEFUL_SET } from '../kind/object-types.js'
import { countsOf, isObserved, type Replicated, replicatedState, wantedBy } from './replicated.js'

type StatefulSetMessage = MessageInitShape<typeof StatefulSetSchema>

/** StatefulSets. */
export const statefulSets: Kind<Replicated, StatefulSetMessage, Distribution | undefined> = {
  type: STATEFUL_SET,
  message: statefulSetMessage,
  ...DISTRIBUTED,
}

/** @param distribution absent for a StatefulSet of a member cluster */
export function statefulSetMessage(
  statefulSet: Replicated,
  place: Place,
  distribution?: Distribution,
): StatefulSetMessage {
  const { spec, status } = statefulSet
  const counts = countsOf(statefulSet, distribution)
  return {
    metadata: objectMeta(statefulSet, place),
    spec: kubeMessage(StatefulSetSpecSchema, { ...spec, replicas: wantedBy(statefulSet) }),
    status: {
      ...kubeMessage(StatefulSetStatusSchema, status),
      readyReplicas: counts.ready,
      availableReplicas: counts.available,
      desiredReplicas: counts.desired,
      state: statefulSetState(statefulSet, distribution),
      clusters: distribution ? clusterSummaries(distribution) : [],
    },
  }
}

/**
 * As of a Deployment, but Karmada (1.18) reports no observed generation of a StatefulSet, so that of a template stays 0. What counts is
 * which generation of the template its clusters have applied; a caller who may not read that sees only the replicas.
 */
export function statefulSetState(statefulSet: Replicated, distribution?: Distribution): WorkloadState {
  const { generation = 0 } = statefulSet.metadata
  const isCurrent = distribution
    ? distribution.shares.every(share => hasApplied(share, generation))
    : isObserved(statefulSet)
  return replicatedState(statefulSet, distribution, isCurrent)
}

/** Where a cluster reports no generation of the template, it is not waited for. */
const hasApplied = ({ status }: Share, generation: number): boolean =>
  Number(status?.resourceTemplateGeneration ?? generation) >= generation

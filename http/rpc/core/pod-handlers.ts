import {
  type CoreService,
  ListPodsForMemberClusterRequest_KindSchema,
  PodStatus_Phase as Phase,
  PodStatus_PhaseSchema,
} from '../../../proto/gen/kairship/core_pb.js'
import { SortBy } from '../../../proto/gen/kairship/types_pb.js'
import type { Objects } from '../../objects/objects.js'
import type { ServiceHandlers } from '../../operation.js'
import { kindHandlers } from '../kind-handlers.js'
import { wantedState } from '../list-by-state.js'
import { type Pod, pods } from './pod.js'
import { podsOf } from './pods-of.js'
import { wholeOf } from './workloads.js'

/** Pods of members; a control plane runs none. */
export function podHandlers(objects: Objects) {
  const of = kindHandlers(objects, { ...pods, sort: { [SortBy.state]: phaseOf } })
  return {
    async listPodsForMemberCluster(request, call) {
      const { instance, cluster, namespace, kind, kindName } = request
      const place = { instance, cluster }
      const wanted = wantedState(PodStatus_PhaseSchema, request.phase)
      const whole = await wholeOf(objects, call, place, namespace, {
        kind: ListPodsForMemberClusterRequest_KindSchema.value[kind]?.name ?? '',
        kindName,
      })
      const belongs = whole ? await podsOf(objects, call, place, whole) : () => whole === undefined
      return of.list(request, call, {
        where: pod => belongs(pod) && (wanted === undefined || phaseOf(pod) === Phase[wanted]),
      })
    },
  } satisfies Partial<ServiceHandlers<typeof CoreService>>
}

const phaseOf = ({ status }: Pod): string => status?.phase ?? 'Unknown'

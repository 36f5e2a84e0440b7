import type { DescEnum } from '@bufbuild/protobuf'
import {
  type CoreService,
  ListPodsForMemberClusterRequest_KindSchema,
  PodStatus_Phase as Phase,
  PodStatus_PhaseSchema,
  WatchPodsRequest_KindSchema,
} from '../../../proto/gen/kairship/core_pb.js'
import { SortBy } from '../../../proto/gen/kairship/types_pb.js'
import type { Call } from '../../call/call.js'
import type { ListQuery } from '../../objects/list-query.js'
import type { Objects } from '../../objects/objects.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { wantedState } from '../distribution/list-by-state.js'
import { kindHandlers } from '../kind/kind-handlers.js'
import { type PlaceFields, placeOf } from '../kind/request-fields.js'
import { watchKind } from '../kind/watch-kind.js'
import { type Pod, pods } from './pod.js'
import { podsOf } from './pods-of.js'
import { wholeOf } from './workloads.js'

/** What lists of Pods are filtered by. */
interface PodFilter {
  readonly namespace: string
  readonly kind: number
  readonly kindName: string
  readonly phase: string
}

/** Pods of members; a control plane runs none. */
export function podHandlers(objects: Objects) {
  const of = kindHandlers(objects, { ...pods, sort: { [SortBy.state]: phaseOf } })
  const filter = async (
    request: PlaceFields & PodFilter,
    call: Call,
    kinds: DescEnum,
  ): Promise<Partial<ListQuery<Pod>>> => {
    const { namespace, kind, kindName } = request
    const place = placeOf(request)
    const wanted = wantedState(PodStatus_PhaseSchema, request.phase)
    const whole = await wholeOf(objects, call, place, namespace, {
      kind: kinds.value[kind]?.name ?? '',
      kindName,
    })
    const { where: belongs, learn } = whole
      ? await podsOf(objects, call, place, whole)
      : { where: () => whole === undefined, learn: undefined }
    return {
      ...(learn && { learn }),
      where: pod => belongs(pod) && (wanted === undefined || phaseOf(pod) === Phase[wanted]),
    }
  }
  const watch = watchKind(of, 'pod')
  return {
    listPodsForMemberCluster: async (request, call) =>
      of.list(request, call, await filter(request, call, ListPodsForMemberClusterRequest_KindSchema)),

    watchPods: async (request, call) =>
      watch(request, call, await filter(request, call, WatchPodsRequest_KindSchema)),
  } satisfies Partial<ServiceHandlers<typeof CoreService>>
}

const phaseOf = ({ status }: Pod): string => status?.phase ?? 'Unknown'

import {
  type AutoscalingService,
  type ListInstanceFederatedHPAsRequest_Kind as InstanceTargetKind,
  ListFederatedHPAsRequest_Kind as TargetKind,
  ListFederatedHPAsRequest_KindSchema as TargetKindSchema,
  type WatchFederatedHPAsRequest_Kind as WatchedTargetKind,
} from '../../../proto/gen/kairship/autoscaling_pb.js'
import type { Call } from '../../call/call.js'
import { invalidFields } from '../../errors/failure.js'
import type { ListQuery } from '../../objects/list-query.js'
import type { Objects } from '../../objects/objects.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { kindHandlers } from '../kind/kind-handlers.js'
import type { ListFields } from '../kind/request-fields.js'
import { watchKind } from '../kind/watch-kind.js'
import { type FederatedHpa, federatedHpas } from './federated-hpa.js'

/** The fields by which a list says what its FederatedHPAs scale. */
interface TargetFields {
  /** Lists and watch have the same values; 0 means any. */
  readonly kind: TargetKind | InstanceTargetKind | WatchedTargetKind
  /** Empty means any. */
  readonly targetName: string
}

/** FederatedHPAs of instances. */
export function autoscalingHandlers(objects: Objects): ServiceHandlers<typeof AutoscalingService> {
  const of = kindHandlers(objects, federatedHpas)
  const watch = watchKind(of, 'fhpa')
  const list = async (request: ListFields & TargetFields, call: Call) =>
    of.list(request, call, condition(request))
  return {
    listInstanceFederatedHPAs: list,
    listFederatedHPAs: list,
    watchFederatedHPAs: async (request, call) => watch(request, call, condition(request)),
    getFederatedHPA: async (request, call) => ({ fhpa: await of.get(request, call) }),
    getFederatedHPAJSON: of.json,
    createFederatedHPA: of.create,
    updateFederatedHPA: of.update,
    deleteFederatedHPA: of.remove,
  }
}

/**
 * What a FederatedHPA must scale; nothing where anything will do, so that the index makes the page.
 * @throws Failure INVALID_ARGUMENT for a kind that the API does not have, which only gRPC can send
 */
function condition({ kind, targetName }: TargetFields): Pick<ListQuery<FederatedHpa>, 'where'> {
  const wanted = TargetKindSchema.value[kind]?.name
  if (wanted === undefined)
    throw invalidFields([{ field: 'kind', description: `is ${kind}, which is no kind of this API` }])
  const anyKind = kind === TargetKind.KIND_UNSPECIFIED
  if (anyKind && targetName === '') return {}
  return {
    where: ({ spec: { scaleTargetRef: target } = {} }) =>
      (anyKind || target?.kind === wanted) && (targetName === '' || target?.name === targetName),
  }
}

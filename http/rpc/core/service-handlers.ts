import type { DescEnum } from '@bufbuild/protobuf'
import {
  type CoreService,
  ListMemberClusterAllServicesRequest_KindSchema,
  ListMemberClusterServicesRequest_KindSchema,
  ListServicesForMemberClusterRequest_KindSchema,
  ListServicesRequest_KindSchema,
  ServiceType,
  WatchServicesRequest_KindSchema,
} from '../../../proto/gen/kairship/core_pb.js'
import type { Call } from '../../call/call.js'
import type { ListQuery } from '../../objects/list-query.js'
import type { Objects } from '../../objects/objects.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { promote } from '../create/promote.js'
import { kindHandlers } from '../kind/kind-handlers.js'
import { mergePatchedJson } from '../kind/merge-patched.js'
import { inCluster, type ListFields, type PlaceFields, placeOf } from '../kind/request-fields.js'
import { watchKind } from '../kind/watch-kind.js'
import { createWorkloadService } from './create-workload-service.js'
import { type Service, selectsPods, services } from './service.js'
import { wholeOf } from './workloads.js'

/** What lists of Services are filtered by; whichever a request has. */
interface ServiceFilter {
  readonly namespace?: string
  readonly kind?: number
  readonly kindName?: string
  readonly type?: readonly ServiceType[]
}

/** Services of instances and their members. */
export function serviceHandlers(objects: Objects) {
  const of = kindHandlers(objects, services)

  /** @param kinds the kinds that `kind` of the request may name */
  const filter = async (
    request: PlaceFields & ServiceFilter,
    call: Call,
    kinds?: DescEnum,
  ): Promise<Pick<ListQuery<Service>, 'where'>> => {
    const { namespace = '', kind = 0, kindName = '', type = [] } = request
    const whole = await wholeOf(objects, call, placeOf(request), namespace, {
      kind: kinds?.value[kind]?.name ?? '',
      kindName,
    })
    const types: readonly ServiceType[] = type.filter(one => one !== ServiceType.SERVICE_TYPE_UNSPECIFIED)
    if (whole === undefined && types.length === 0) return {}
    // None where there is no such object: no selector selects pods without labels.
    const labels = whole?.spec?.template?.metadata?.labels ?? {}
    return {
      where: service =>
        (whole === undefined || selectsPods(service, labels)) &&
        (types.length === 0 || types.includes(typeOf(service))),
    }
  }
  const list =
    (kinds?: DescEnum) =>
    async (request: ListFields & ServiceFilter, call: Call): ReturnType<typeof of.list> =>
      of.list(request, call, await filter(request, call, kinds))
  const watch = watchKind(of, 'service')

  return {
    listInstanceServices: list(),
    listServices: list(ListServicesRequest_KindSchema),
    listServicesForMemberCluster: list(ListServicesForMemberClusterRequest_KindSchema),
    listMemberClusterServices: list(ListMemberClusterServicesRequest_KindSchema),
    listMemberClusterAllServices: list(ListMemberClusterAllServicesRequest_KindSchema),
    watchServices: async (request, call) =>
      watch(request, call, await filter(inCluster(request), call, WatchServicesRequest_KindSchema)),
    getService: of.get,
    getServiceJSON: of.json,
    createService: of.create,
    updateService: of.update,
    deleteService: of.remove,

    patchService: (request, call) =>
      mergePatchedJson(objects, services, request, call, { metadata: { annotations: request.data } }),

    async promoteMemberClusterService({ instance, cluster, namespace, name, dryRun }, call) {
      const promoted = { type: services.type, key: { namespace, name } }
      await promote(objects, call, { instance, cluster }, [promoted], { dryRun })
      return {}
    },

    async createWorkloadService(request, call) {
      await createWorkloadService(objects, call, request)
      return {}
    },
  } satisfies Partial<ServiceHandlers<typeof CoreService>>
}

/** The API server sets ClusterIP where a manifest says nothing. */
const typeOf = ({ spec }: Service): ServiceType =>
  ServiceType[(spec?.type ?? 'ClusterIP') as keyof typeof ServiceType]

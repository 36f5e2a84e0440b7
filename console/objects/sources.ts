import { serviceClient } from '../../client/service-client.js'
import {
  ApiextensionsService,
  type CustomResource,
  type CustomResourceDefinition,
  CustomResourceDefinitionSpec_ResourceScope as Scope,
} from '../../proto/gen/kairship/apiextensions_pb.js'
import {
  AutoscalingService,
  type FederatedHPA,
  FederatedHPAStatus_Phase as HpaPhase,
} from '../../proto/gen/kairship/autoscaling_pb.js'
import {
  CoreService,
  type Namespace,
  type Secret,
  type Service,
  ServiceType,
} from '../../proto/gen/kairship/core_pb.js'
import {
  type FleetObject,
  FleetScope,
  FleetService,
  WatchFleetObjectsResponse_Type as FleetType,
} from '../../proto/gen/kairship/fleet_pb.js'
import { type Ingress, NetworkingService } from '../../proto/gen/kairship/networking_pb.js'
import { rest } from '../connection/rest.js'
import type { ObjectType } from '../kube/object.js'
import { failureOf } from '../live/long-list.js'
import { rpcSource } from '../live/rpc-source.js'
import type { Change, PageRequest, Source } from '../live/source.js'
import { rowKey as keyOf, type ObjectQuery, type ObjectRow } from './object-kind.js'

const core = serviceClient(CoreService, rest)
const networking = serviceClient(NetworkingService, rest)
const autoscaling = serviceClient(AutoscalingService, rest)
const extensions = serviceClient(ApiextensionsService, rest)
const fleet = serviceClient(FleetService, rest)

const only = ({ only: name }: ObjectQuery) =>
  name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }

const listOf = (wanted: ObjectQuery, page: PageRequest) => ({
  instance: wanted.instance,
  namespace: wanted.namespace ?? '',
  name: wanted.find ?? '',
  ...page,
  ...only(wanted),
})

const watchOf = (wanted: ObjectQuery, resumeToken: string) => ({
  instance: wanted.instance,
  namespace: wanted.namespace ?? '',
  name: wanted.find ?? '',
  resumeToken,
  ...only(wanted),
})

export const services = (wanted: ObjectQuery): Source<ObjectRow> =>
  rpcSource({
    list: (page, options) => core.listInstanceServices(listOf(wanted, page), options),
    watch: (token, options) => core.watchServices(watchOf(wanted, token), options),
    itemOf: ({ service }) => service,
    rowOf: ({ metadata, spec, status }: Service): ObjectRow => ({
      metadata,
      clusters: status?.clusters ?? [],
      facts: [
        ServiceType[spec?.type ?? 0] ?? '',
        (spec?.ports ?? []).map(({ port, protocol }) => `${port}/${protocol}`).join(', '),
        spec?.clusterIp ?? '',
      ],
    }),
    keyOf,
  })

export const ingresses = (wanted: ObjectQuery): Source<ObjectRow> =>
  rpcSource({
    list: (page, options) => networking.listInstanceIngresses(listOf(wanted, page), options),
    watch: (token, options) => networking.watchIngresses(watchOf(wanted, token), options),
    itemOf: ({ ingress }) => ingress,
    rowOf: ({ metadata, spec, status }: Ingress): ObjectRow => ({
      metadata,
      clusters: status?.clusters ?? [],
      facts: [spec?.ingressClassName ?? '', (spec?.rules ?? []).map(({ host }) => host || '*').join(', ')],
    }),
    keyOf,
  })

export const secrets = (wanted: ObjectQuery): Source<ObjectRow> =>
  rpcSource({
    list: (page, options) => core.listInstanceSecrets(listOf(wanted, page), options),
    watch: (token, options) => core.watchSecrets(watchOf(wanted, token), options),
    itemOf: ({ secret }) => secret,
    rowOf: ({ metadata, type, status }: Secret): ObjectRow => ({
      metadata,
      clusters: status?.clusters ?? [],
      facts: [type],
    }),
    keyOf,
  })

export const namespaces = (wanted: ObjectQuery): Source<ObjectRow> => {
  const { instance, find = '', only: name } = wanted
  return rpcSource({
    list: (page, options) => core.listNamespaces({ instance, name: name ?? find, ...page }, options),
    watch: (resumeToken, options) =>
      core.watchNamespaces({ instance, name: find, resumeToken, ...only(wanted) }, options),
    itemOf: ({ namespace }) => namespace,
    rowOf: ({ metadata, status }: Namespace): ObjectRow => ({ metadata, facts: [status?.phase ?? ''] }),
    keyOf,
  })
}

export const federatedHpas = (wanted: ObjectQuery): Source<ObjectRow> =>
  rpcSource({
    list: (page, options) => autoscaling.listInstanceFederatedHPAs(listOf(wanted, page), options),
    watch: (token, options) => autoscaling.watchFederatedHPAs(watchOf(wanted, token), options),
    itemOf: ({ fhpa }) => fhpa,
    rowOf: ({ metadata, spec, status }: FederatedHPA): ObjectRow => ({
      metadata,
      facts: [
        `${spec?.scaleTargetRef?.kind ?? ''} ${spec?.scaleTargetRef?.name ?? ''}`,
        `${status?.currentReplicas ?? 0} (${spec?.minReplicas || 1}–${spec?.maxReplicas ?? 0})`,
        HpaPhase[status?.phase ?? 0] ?? '',
      ],
    }),
    keyOf,
  })

export const definitions = (wanted: ObjectQuery): Source<ObjectRow> => {
  const { instance, find = '', only: name = '' } = wanted
  return rpcSource({
    list: (page, options) =>
      extensions.listCustomResourceDefinitions({ instance, name, fuzzyName: find, ...page }, options),
    watch: (resumeToken, options) =>
      extensions.watchCustomResourceDefinitions({ instance, name, fuzzyName: find, resumeToken }, options),
    itemOf: ({ definition }) => definition,
    rowOf: ({ metadata, spec }: CustomResourceDefinition): ObjectRow => ({
      metadata,
      facts: [
        spec?.names?.kind ?? '',
        Scope[spec?.scope ?? 0] ?? '',
        (spec?.versions ?? [])
          .filter(({ served }) => served)
          .map(({ name: version }) => version)
          .join(', '),
      ],
    }),
    keyOf,
  })
}

/** Objects of a type of a CustomResourceDefinition. */
export const customResources =
  ({ group, version, resource }: ObjectType) =>
  (wanted: ObjectQuery): Source<ObjectRow> => {
    const { instance, find = '', namespace = '' } = wanted
    const of = { instance, group, version, resource, fuzzyName: find, ...only(wanted) }
    return rpcSource({
      list: (page, options) =>
        namespace === ''
          ? extensions.listClusterCustomResources({ ...of, ...page }, options)
          : extensions.listCustomResources({ ...of, namespace, ...page }, options),
      watch: (resumeToken, options) =>
        extensions.watchCustomResources({ ...of, namespace, resumeToken }, options),
      itemOf: message => message.resource,
      rowOf: ({
        name,
        namespace: inside,
        creationTimestamp,
        labels,
        clusters,
        propagationpolicies,
      }: CustomResource) => ({
        metadata: { name, namespace: inside, creationTimestamp, labels, uid: '' },
        clusters,
        facts: [propagationpolicies.join(', ')],
      }),
      keyOf,
    })
  }

const fleetTypes: Readonly<Partial<Record<FleetType, Change<never>['type']>>> = {
  [FleetType.RESET]: 'RESET',
  [FleetType.ADDED]: 'ADDED',
  [FleetType.MODIFIED]: 'MODIFIED',
  [FleetType.DELETED]: 'DELETED',
  [FleetType.LEFT]: 'LEFT',
  [FleetType.BOOKMARK]: 'BOOKMARK',
}

/** Objects of a type without their content, so that a list of ConfigMaps does not transfer megabytes. */
export const bare =
  ({ group, version, resource }: ObjectType) =>
  ({ instance, find = '', namespace = '', ...wanted }: ObjectQuery): Source<ObjectRow> => {
    const of = {
      group,
      version,
      resource,
      scope: FleetScope.CONTROL_PLANES,
      instances: [instance],
      namespace,
      name: find,
      ...only({ instance, ...wanted }),
    }
    const rowOf = ({ metadata }: FleetObject): ObjectRow => ({ metadata, facts: [] })
    return {
      async list(page, signal) {
        const { items, pagination, places } = await fleet.listFleetObjects({ ...of, ...page }, { signal })
        const [error] = places.flatMap(place => place.error ?? [])
        if (error) throw failureOf(error)
        return { items: items.map(rowOf), total: pagination?.total ?? items.length }
      },
      async *watch(_resumeToken, signal) {
        for await (const { type, object, total, place } of fleet.watchFleetObjects(of, { signal })) {
          if (place?.error) throw failureOf(place.error)
          const change = place ? undefined : fleetTypes[type]
          if (change) yield { type: change, total, resumeToken: '', ...(object && { item: rowOf(object) }) }
        }
      },
      keyOf,
      isStable: true,
    }
  }

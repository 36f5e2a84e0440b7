import { serviceClient } from '../../client/service-client.js'
import {
  ApiextensionsService,
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
import { type Ingress, NetworkingService } from '../../proto/gen/kairship/networking_pb.js'
import { rest } from '../connection/rest.js'
import { rpcSource } from '../live/rpc-source.js'
import type { PageRequest, Source } from '../live/source.js'
import { rowKey as keyOf, nameSelector, type ObjectQuery, type ObjectRow } from './object-kind.js'

const core = serviceClient(CoreService, rest)
const networking = serviceClient(NetworkingService, rest)
const autoscaling = serviceClient(AutoscalingService, rest)
const extensions = serviceClient(ApiextensionsService, rest)

const listOf = (wanted: ObjectQuery, page: PageRequest) => ({
  instance: wanted.instance,
  namespace: wanted.namespace ?? '',
  name: wanted.find ?? '',
  ...page,
  ...nameSelector(wanted),
})

const watchOf = (wanted: ObjectQuery, resumeToken: string) => ({
  instance: wanted.instance,
  namespace: wanted.namespace ?? '',
  name: wanted.find ?? '',
  resumeToken,
  ...nameSelector(wanted),
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
      core.watchNamespaces({ instance, name: find, resumeToken, ...nameSelector(wanted) }, options),
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

/** Scopes as manifests write them. */
const scopes: Readonly<Record<Scope, string>> = {
  [Scope.RESOURCE_SCOPE_UNSPECIFIED]: '',
  [Scope.CLUSTER]: 'Cluster',
  [Scope.NAMESPACED]: 'Namespaced',
}

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
        scopes[spec?.scope ?? 0],
        (spec?.versions ?? [])
          .filter(({ served }) => served)
          .map(({ name: version }) => version)
          .join(', '),
      ],
    }),
    keyOf,
  })
}

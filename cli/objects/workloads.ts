import type { Message, MessageShape } from '@bufbuild/protobuf'
import type { GenMessage } from '@bufbuild/protobuf/codegenv2'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import { AppsService, DeploymentSchema } from '../../proto/gen/kairship/apps_pb.js'
import type { PodTemplateSpec } from '../../proto/gen/kairship/pod_pb.js'
import type { ClusterProviderSummary, ObjectMeta } from '../../proto/gen/kairship/types_pb.js'
import { DaemonSetSchema, StatefulSetSchema, WorkloadService } from '../../proto/gen/kairship/workload_pb.js'
import type { ClientContext } from '../client/client.js'
import type { ExitCode } from '../exit-code.js'
import { ageOf } from '../print/columns.js'
import { type ListedKind, type Listing, listedKind, listObjects } from './list-objects.js'

/** What the three kinds have in common. */
interface Workload {
  readonly metadata?: ObjectMeta | undefined
  readonly spec?: { readonly template?: PodTemplateSpec | undefined } | undefined
  readonly status?: { readonly clusters: readonly ClusterProviderSummary[] } | undefined
}
type WorkloadSchema = GenMessage<Workload & Message>
/** Pods that are ready, and that are wanted. */
type Counts = readonly [ready: number | undefined, wanted: number | undefined]

const workload = <S extends WorkloadSchema>(
  kind: string,
  schema: S,
  list: ListedKind['list'],
  countsOf: (message: MessageShape<S>) => Counts,
): ListedKind =>
  listedKind({
    ...{ apiVersion: 'apps/v1', kind, schema, list },
    cells: (message, now) => row(kind, message, countsOf(message), now),
  })

const listing: Listing = {
  noun: 'workload',
  header: ['NAMESPACE', 'KIND', 'NAME', 'READY', 'CLUSTERS', 'TEMPLATE IMAGES', 'AGE'],
  wideHeader: ['WHERE'],
  kinds: [
    workload(
      'Deployment',
      DeploymentSchema,
      (client, request) => jsonClient(AppsService, client).listInstanceDeployments(request),
      ({ status }) => [status?.readyReplicas, status?.desiredReplicas],
    ),
    workload(
      'StatefulSet',
      StatefulSetSchema,
      (client, request) => jsonClient(WorkloadService, client).listStatefulSets(request),
      ({ status }) => [status?.readyReplicas, status?.desiredReplicas],
    ),
    workload(
      'DaemonSet',
      DaemonSetSchema,
      (client, request) => jsonClient(WorkloadService, client).listDaemonSets(request),
      ({ status }) => [status?.numberReady, status?.desiredNumberScheduled],
    ),
  ],
}

/** `kairship workloads INSTANCE [name...]`: what runs, over all clusters of an instance. */
export const listWorkloads = (
  context: ClientContext,
  config: Config,
  names: readonly string[],
): Promise<ExitCode> => listObjects(context, config, names, listing)

function row(
  kind: string,
  { metadata, spec, status }: Workload,
  [ready = 0, wanted = 0]: Counts,
  now: number,
): readonly string[] {
  const clusters = status?.clusters ?? []
  return [
    metadata?.namespace ?? '',
    kind,
    metadata?.name ?? '',
    `${ready}/${wanted}`,
    String(clusters.length),
    [...new Set(spec?.template?.spec?.containers.map(({ image }) => image))].join(',') || '-',
    ageOf(metadata?.creationTimestamp, now),
    clusters
      .map(({ name, readyReplicas, health }) => `${name}=${readyReplicas} ${health.toLowerCase()}`)
      .join(', ') || '-',
  ]
}

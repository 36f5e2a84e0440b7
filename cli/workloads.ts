import { jsonClient } from '../client/service-client.js'
import type { Config } from '../config.js'
import { AppsService, DeploymentSchema } from '../proto/gen/kairship/apps_pb.js'
import type { PodTemplateSpec } from '../proto/gen/kairship/pod_pb.js'
import type { ClusterProviderSummary, ObjectMeta } from '../proto/gen/kairship/types_pb.js'
import { DaemonSetSchema, StatefulSetSchema, WorkloadService } from '../proto/gen/kairship/workload_pb.js'
import { ageOf } from './columns.js'
import type { ExitCode } from './exit-code.js'
import type { ClientContext } from './get-instances.js'
import { type Listing, listedKind, listObjects } from './list-objects.js'

const apiVersion = 'apps/v1'
const listing: Listing = {
  noun: 'workload',
  header: ['NAMESPACE', 'KIND', 'NAME', 'READY', 'CLUSTERS', 'IMAGES', 'AGE'],
  wideHeader: ['WHERE'],
  kinds: [
    listedKind({
      apiVersion,
      kind: 'Deployment',
      schema: DeploymentSchema,
      list: (client, instance) => jsonClient(AppsService, client).listInstanceDeployments({ instance }),
      cells: ({ metadata, spec, status }, now) =>
        row(
          'Deployment',
          { metadata, template: spec?.template, status },
          status?.readyReplicas,
          status?.desiredReplicas,
          now,
        ),
    }),
    listedKind({
      apiVersion,
      kind: 'StatefulSet',
      schema: StatefulSetSchema,
      list: (client, instance) => jsonClient(WorkloadService, client).listStatefulSets({ instance }),
      cells: ({ metadata, spec, status }, now) =>
        row(
          'StatefulSet',
          { metadata, template: spec?.template, status },
          status?.readyReplicas,
          status?.desiredReplicas,
          now,
        ),
    }),
    listedKind({
      apiVersion,
      kind: 'DaemonSet',
      schema: DaemonSetSchema,
      list: (client, instance) => jsonClient(WorkloadService, client).listDaemonSets({ instance }),
      cells: ({ metadata, spec, status }, now) =>
        row(
          'DaemonSet',
          { metadata, template: spec?.template, status },
          status?.numberReady,
          status?.desiredNumberScheduled,
          now,
        ),
    }),
  ],
}

/** `kairship workloads INSTANCE [name...]`: what runs, over all clusters of an instance. */
export const listWorkloads = (
  context: ClientContext,
  config: Config,
  names: readonly string[],
): Promise<ExitCode> => listObjects(context, config, names, listing)

/** What the three kinds have in common. */
interface Workload {
  readonly metadata: ObjectMeta | undefined
  readonly template: PodTemplateSpec | undefined
  readonly status: { readonly clusters: readonly ClusterProviderSummary[] } | undefined
}

function row(
  kind: string,
  { metadata, template, status }: Workload,
  ready = 0,
  desired = 0,
  now: number,
): readonly string[] {
  const clusters = status?.clusters ?? []
  return [
    metadata?.namespace ?? '',
    kind,
    metadata?.name ?? '',
    `${ready}/${desired}`,
    String(clusters.length),
    [...new Set(template?.spec?.containers.map(({ image }) => image))].join(',') || '-',
    ageOf(metadata?.creationTimestamp, now),
    clusters
      .map(({ name, readyReplicas, health }) => `${name}=${readyReplicas} ${health.toLowerCase()}`)
      .join(', ') || '-',
  ]
}

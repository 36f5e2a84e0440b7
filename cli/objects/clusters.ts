import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import {
  type Cluster,
  ClusterPhase,
  ClusterSchema,
  ClusterService,
} from '../../proto/gen/kairship/cluster_pb.js'
import { TaintEffect } from '../../proto/gen/kairship/types_pb.js'
import type { ClientContext } from '../client/client.js'
import type { ExitCode } from '../exit-code.js'
import { ageOf } from '../print/columns.js'
import { type Listing, listedKind, listObjects } from './list-objects.js'

const listing: Listing = {
  noun: 'cluster',
  header: ['NAME', 'READY', 'VERSION', 'NODES', 'CPU', 'MEMORY', 'TAINTS', 'AGE'],
  wideHeader: ['STATE', 'REGION', 'ENDPOINT', 'MESSAGE'],
  kinds: [
    listedKind({
      apiVersion: 'cluster.karmada.io/v1alpha1',
      kind: 'Cluster',
      schema: ClusterSchema,
      list: (client, request) => jsonClient(ClusterService, client).listJoinedClusters(request),
      cells,
    }),
  ],
}

/** `kairship clusters INSTANCE [name...]`: the member clusters of an instance. */
export const listClusters = (
  context: ClientContext,
  config: Config,
  names: readonly string[],
): Promise<ExitCode> => listObjects(context, config, names, listing)

/** CPU and memory are what pods have requested of what is allocatable. */
function cells({ metadata, spec, status }: Cluster, now: number): readonly string[] {
  const ready = status?.conditions.find(({ type }) => type === 'Ready')
  return [
    metadata?.name ?? '',
    ready?.status || 'Unknown',
    status?.kubernetesVersion || '-',
    status ? `${status.readyNodes}/${status.totalNodes}` : '-',
    status ? percent(status.cpuUsage) : '-',
    status ? percent(status.memoryUsage) : '-',
    spec?.taints
      .map(({ key, value, effect }) => `${key}${value && `=${value}`}:${TaintEffect[effect]}`)
      .join(',') || '-',
    ageOf(metadata?.creationTimestamp, now),
    ClusterPhase[status?.phase ?? ClusterPhase.UNKNOWN].toLowerCase(),
    spec?.region || '-',
    spec?.apiEndpoint || '-',
    (ready?.status !== 'True' && ready?.message) || '-',
  ]
}

const percent = (part: number): string => `${Math.round(part * 100)}%`

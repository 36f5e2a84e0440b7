import { serviceClient } from '../../client/service-client.js'
import type { Deployment } from '../../proto/gen/kairship/apps_pb.js'
import { AppsService } from '../../proto/gen/kairship/apps_pb.js'
import type { DaemonSet, StatefulSet } from '../../proto/gen/kairship/workload_pb.js'
import { WorkloadService } from '../../proto/gen/kairship/workload_pb.js'
import { rest } from '../connection/rest.js'
import { changesOf } from '../live/changes.js'
import type { Source } from '../live/live-page.js'
import { type ListSearch, ROWS } from '../parts/list-search.js'
import { type Workload, type WorkloadKind, workloadKey } from './workload.js'

const [apps, others] = [serviceClient(AppsService, rest), serviceClient(WorkloadService, rest)]

/** What is asked for: an instance's workloads whose name contains a text, or one of them. */
interface Wanted extends ListSearch {
  readonly instance: string
  /** Only this one. */
  readonly namespace?: string
  readonly only?: string
}

/** The workloads of a kind, a page of them. */
export const workloads = (kind: WorkloadKind, wanted: Wanted): Source<Workload> => sources[kind](wanted)

const sources: Readonly<Record<WorkloadKind, (wanted: Wanted) => Source<Workload>>> = {
  deployments: wanted => ({
    async list(signal) {
      const { items, pagination } = await apps.listInstanceDeployments(listOf(wanted), { signal })
      return { items: items.map(ofDeployment), total: pagination?.total ?? items.length }
    },
    watch: (resumeToken, signal) =>
      changesOf(
        apps.watchDeployments(watchOf(wanted, resumeToken), { signal }),
        ({ deployment }) => deployment && ofDeployment(deployment),
      ),
    keyOf: workloadKey,
  }),
  statefulsets: wanted => ({
    async list(signal) {
      const { items, pagination } = await others.listStatefulSets(listOf(wanted), { signal })
      return { items: items.map(ofStatefulSet), total: pagination?.total ?? items.length }
    },
    watch: (resumeToken, signal) =>
      changesOf(
        others.watchStatefulSets(watchOf(wanted, resumeToken), { signal }),
        ({ statefulSet }) => statefulSet && ofStatefulSet(statefulSet),
      ),
    keyOf: workloadKey,
  }),
  daemonsets: wanted => ({
    async list(signal) {
      const { items, pagination } = await others.listDaemonSets(listOf(wanted), { signal })
      return { items: items.map(ofDaemonSet), total: pagination?.total ?? items.length }
    },
    watch: (resumeToken, signal) =>
      changesOf(
        others.watchDaemonSets(watchOf(wanted, resumeToken), { signal }),
        ({ daemonSet }) => daemonSet && ofDaemonSet(daemonSet),
      ),
    keyOf: workloadKey,
  }),
}

const listOf = ({ instance, find = '', page = 1 }: Wanted) => ({ instance, name: find, page, pageSize: ROWS })

const watchOf = ({ instance, find = '', namespace = '', only }: Wanted, resumeToken: string) => ({
  instance,
  namespace,
  name: find,
  resumeToken,
  ...(only !== undefined && { fieldSelector: `metadata.name=${only}` }),
})

const ofDeployment = ({ metadata, status }: Deployment): Workload => ({
  metadata,
  state: status?.state ?? 0,
  ready: status?.readyReplicas ?? 0,
  desired: status?.desiredReplicas ?? 0,
  clusters: status?.clusters ?? [],
})

const ofStatefulSet = ({ metadata, status }: StatefulSet): Workload => ({
  metadata,
  state: status?.state ?? 0,
  ready: status?.readyReplicas ?? 0,
  desired: status?.desiredReplicas ?? 0,
  clusters: status?.clusters ?? [],
})

const ofDaemonSet = ({ metadata, status }: DaemonSet): Workload => ({
  metadata,
  state: status?.state ?? 0,
  ready: status?.numberReady ?? 0,
  desired: status?.desiredNumberScheduled ?? 0,
  clusters: status?.clusters ?? [],
})

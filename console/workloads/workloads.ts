import { serviceClient } from '../../client/service-client.js'
import type { Deployment } from '../../proto/gen/kairship/apps_pb.js'
import { AppsService } from '../../proto/gen/kairship/apps_pb.js'
import {
  BatchService,
  type CronJob,
  CronJobStatus_CronJobState as CronJobState,
  type Job,
  JobStatus_JobState as JobState,
} from '../../proto/gen/kairship/batch_pb.js'
import { WorkloadState as State } from '../../proto/gen/kairship/types_pb.js'
import type { DaemonSet, StatefulSet } from '../../proto/gen/kairship/workload_pb.js'
import { WorkloadService } from '../../proto/gen/kairship/workload_pb.js'
import { rest } from '../connection/rest.js'
import { type WorkloadKind, workloadType } from '../kube/workload-kinds.js'
import { ofAnyLength } from '../live/long-list.js'
import { rpcSource } from '../live/rpc-source.js'
import type { PageRequest, Source } from '../live/source.js'
import type { ListSearch } from '../tables/list-search.js'
import { workloadKey as keyOf, type Workload, type WorkloadState } from './workload.js'

const apps = serviceClient(AppsService, rest)
const others = serviceClient(WorkloadService, rest)
const batch = serviceClient(BatchService, rest)

/** A query for an instance's workloads whose name contains a text, or for one workload. */
interface WorkloadQuery extends ListSearch {
  readonly instance: string
  /** Only of this namespace. */
  readonly namespace?: string
  /** Only the workload of this name. */
  readonly only?: string
}

/** The workloads of a kind, live also in a list that is too long for a Watch. */
export const workloads = (kind: WorkloadKind, wanted: WorkloadQuery): Source<Workload> =>
  ofAnyLength(sources[kind](wanted), workloadType(kind), wanted)

const sources: Readonly<Record<WorkloadKind, (wanted: WorkloadQuery) => Source<Workload>>> = {
  deployments: wanted =>
    rpcSource({
      list: (page, options) => apps.listInstanceDeployments(listOf(wanted, page), options),
      watch: (token, options) => apps.watchDeployments(watchOf(wanted, token), options),
      itemOf: ({ deployment }) => deployment,
      rowOf: ofDeployment,
      keyOf,
    }),
  statefulsets: wanted =>
    rpcSource({
      list: (page, options) => others.listStatefulSets(listOf(wanted, page), options),
      watch: (token, options) => others.watchStatefulSets(watchOf(wanted, token), options),
      itemOf: ({ statefulSet }) => statefulSet,
      rowOf: ofStatefulSet,
      keyOf,
    }),
  daemonsets: wanted =>
    rpcSource({
      list: (page, options) => others.listDaemonSets(listOf(wanted, page), options),
      watch: (token, options) => others.watchDaemonSets(watchOf(wanted, token), options),
      itemOf: ({ daemonSet }) => daemonSet,
      rowOf: ofDaemonSet,
      keyOf,
    }),
  jobs: wanted =>
    rpcSource({
      list: (page, options) => batch.listInstanceJobs(listOf(wanted, page), options),
      watch: (token, options) => batch.watchJobs(watchOf(wanted, token), options),
      itemOf: ({ job }) => job,
      rowOf: ofJob,
      keyOf,
    }),
  cronjobs: wanted =>
    rpcSource({
      list: (page, options) => batch.listInstanceCronJobs(listOf(wanted, page), options),
      watch: (token, options) => batch.watchCronJobs(watchOf(wanted, token), options),
      itemOf: ({ cronjob }) => cronjob,
      rowOf: ofCronJob,
      keyOf,
    }),
}

const listOf = ({ instance, find = '', namespace = '', only }: WorkloadQuery, page: PageRequest) => ({
  instance,
  name: find,
  namespace,
  ...page,
  ...(only !== undefined && { fieldSelector: `metadata.name=${only}` }),
})

const watchOf = ({ instance, find = '', namespace = '', only }: WorkloadQuery, resumeToken: string) => ({
  instance,
  namespace,
  name: find,
  resumeToken,
  ...(only !== undefined && { fieldSelector: `metadata.name=${only}` }),
})

const states: Readonly<Record<State, WorkloadState>> = {
  [State.UNSPECIFIED]: 'waiting',
  [State.RUNNING]: 'running',
  [State.DELETING]: 'deleting',
  [State.NOT_READY]: 'notReady',
  [State.STOPPED]: 'stopped',
  [State.WAITING]: 'waiting',
}

const stateOf = (state: State | undefined): WorkloadState => states[state ?? State.UNSPECIFIED] ?? 'waiting'

const ofDeployment = ({ metadata, spec, status }: Deployment): Workload => ({
  metadata,
  state: stateOf(status?.state),
  ready: status?.readyReplicas ?? 0,
  desired: status?.desiredReplicas ?? 0,
  clusters: status?.clusters ?? [],
  isPaused: spec?.paused ?? false,
})

const ofStatefulSet = ({ metadata, status }: StatefulSet): Workload => ({
  metadata,
  state: stateOf(status?.state),
  ready: status?.readyReplicas ?? 0,
  desired: status?.desiredReplicas ?? 0,
  clusters: status?.clusters ?? [],
  isPaused: false,
})

const ofDaemonSet = ({ metadata, status }: DaemonSet): Workload => ({
  metadata,
  state: stateOf(status?.state),
  ready: status?.numberReady ?? 0,
  desired: status?.desiredNumberScheduled ?? 0,
  clusters: status?.clusters ?? [],
  isPaused: false,
})

const jobStates: Readonly<Record<JobState, WorkloadState>> = {
  [JobState.JOB_STATE_UNSPECIFIED]: 'waiting',
  [JobState.Waiting]: 'waiting',
  [JobState.Running]: 'running',
  [JobState.Completed]: 'completed',
  [JobState.Deleting]: 'deleting',
  [JobState.Failed]: 'failed',
}

const ofJob = ({ metadata, spec, status }: Job): Workload => ({
  metadata,
  state: jobStates[status?.phase ?? JobState.JOB_STATE_UNSPECIFIED] ?? 'waiting',
  ready: status?.succeed ?? 0,
  desired: Math.max(1, spec?.completions ?? 0),
  clusters: status?.clusters ?? [],
  isPaused: spec?.suspend ?? false,
})

const cronJobStates: Readonly<Record<CronJobState, WorkloadState>> = {
  [CronJobState.CRONJOB_STATE_UNSPECIFIED]: 'waiting',
  [CronJobState.Waiting]: 'waiting',
  [CronJobState.Activated]: 'running',
  [CronJobState.Stopped]: 'stopped',
  [CronJobState.Deleting]: 'deleting',
}

const ofCronJob = ({ metadata, spec, status, availed, total }: CronJob): Workload => ({
  metadata,
  state: cronJobStates[status?.phase ?? CronJobState.CRONJOB_STATE_UNSPECIFIED] ?? 'waiting',
  ready: availed,
  desired: total,
  clusters: status?.clusters ?? [],
  isPaused: spec?.paused ?? false,
  ...(spec?.schedule && { note: spec.schedule }),
})

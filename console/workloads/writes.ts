import { serviceClient } from '../../client/service-client.js'
import { AppsService } from '../../proto/gen/kairship/apps_pb.js'
import { BatchService } from '../../proto/gen/kairship/batch_pb.js'
import type { ListRevisionsResponse } from '../../proto/gen/kairship/revision_pb.js'
import { WorkloadService } from '../../proto/gen/kairship/workload_pb.js'
import { rest } from '../connection/rest.js'
import type { WorkloadKind } from '../kube/workload-kinds.js'

const apps = serviceClient(AppsService, rest)
const others = serviceClient(WorkloadService, rest)
const batch = serviceClient(BatchService, rest)

/** The fields by which requests name a workload. */
export interface WorkloadName {
  readonly instance: string
  readonly namespace: string
  readonly name: string
}

/** The fields of a rollback request. */
interface Rollback extends WorkloadName {
  readonly revision: string
  readonly resourceVersion: string
  readonly dryRun: boolean
}

/** The writes of a kind beside editing and deleting. A missing one is not possible for the kind. */
interface Writes {
  readonly scale?: (request: WorkloadName & { readonly replicas: number }) => Promise<unknown>
  readonly restart?: (request: WorkloadName) => Promise<unknown>
  readonly pause?: (request: WorkloadName) => Promise<unknown>
  readonly resume?: (request: WorkloadName) => Promise<unknown>
  readonly revisions?: (request: WorkloadName, signal: AbortSignal) => Promise<ListRevisionsResponse>
  readonly rollBack?: (request: Rollback) => Promise<unknown>
}

/** Each write is one request and is never retried by itself. */
export const writes: Readonly<Record<WorkloadKind, Writes>> = {
  deployments: {
    scale: request => apps.scaleDeployment(request),
    restart: request => apps.restartDeployment(request),
    pause: request => apps.pauseDeployment(request),
    resume: request => apps.resumeDeployment(request),
    revisions: (request, signal) => apps.listDeploymentRevisions(request, { signal }),
    rollBack: request => apps.rollbackDeployment(request),
  },
  statefulsets: {
    scale: request => others.scaleStatefulSet(request),
    restart: request => others.restartStatefulSet(request),
    revisions: (request, signal) => others.listStatefulSetRevisions(request, { signal }),
    rollBack: request => others.rollbackStatefulSet(request),
  },
  daemonsets: {
    restart: request => others.restartDaemonSet(request),
    revisions: (request, signal) => others.listDaemonSetRevisions(request, { signal }),
    rollBack: request => others.rollbackDaemonSet(request),
  },
  jobs: { restart: request => batch.restartJob(request) },
  cronjobs: {
    pause: request => batch.pauseCronJob(request),
    resume: request => batch.resumeCronJob(request),
  },
}

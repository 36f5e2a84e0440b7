import type { BatchService } from '../../../proto/gen/kairship/batch_pb.js'
import {
  CronJobStatus_CronJobStateSchema,
  JobStatus_JobStateSchema,
} from '../../../proto/gen/kairship/batch_pb.js'
import type { Call } from '../../call/call.js'
import { invalidFields } from '../../errors/failure.js'
import { manifestOf } from '../../objects/manifest.js'
import type { Place } from '../../objects/object-type.js'
import type { Objects } from '../../objects/objects.js'
import { sideCall } from '../../objects/side-call.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { inState, listByState } from '../distribution/list-by-state.js'
import { kindHandlers } from '../kind/kind-handlers.js'
import { mergePatched } from '../kind/merge-patched.js'
import { inCluster, type KeyFields, placeOf } from '../kind/request-fields.js'
import { watchKind } from '../kind/watch-kind.js'
import { type CronJob, cronJobState, cronJobs } from './cron-job.js'
import { jobState, jobs } from './job.js'
import { restartJob } from './restart-job.js'

/** Jobs and CronJobs of instances, and the Jobs that CronJobs start in members. */
export function batchHandlers(objects: Objects): ServiceHandlers<typeof BatchService> {
  const job = kindHandlers(objects, jobs)
  const cronJob = kindHandlers(objects, cronJobs)
  const jobStates = { type: jobs.type, schema: JobStatus_JobStateSchema, of: jobState }
  const cronJobStates = {
    ...{ type: cronJobs.type, of: cronJobState },
    schema: CronJobStatus_CronJobStateSchema,
  }
  const listJobs = listByState(objects, job, jobStates)
  const listCronJobs = listByState(objects, cronJob, cronJobStates)
  const watchJobs = watchKind(job, 'job')
  const watchCronJobs = watchKind(cronJob, 'cronjob')
  /** The condition that a CronJob has started a Job. @throws StatusError 404 for one that is not there */
  const startedBy = async (
    place: Place,
    { namespace, cronjob: name }: { readonly namespace: string; readonly cronjob: string },
    call: Call,
  ) => {
    const owner = await objects.get<CronJob>(sideCall(call), place, cronJobs.type, { namespace, name })
    return { ownerUid: owner.metadata.uid ?? '' }
  }
  const suspended = async (request: KeyFields, call: Call, suspend: boolean) => ({
    cronjob: await mergePatched(objects, cronJobs, request, call, { spec: { suspend } }),
  })
  return {
    listInstanceJobs: listJobs,
    listJobs,
    async watchJobs(request, call) {
      const { cronjob, namespace, phase } = request
      if (cronjob && !namespace)
        throw invalidFields([
          { field: 'namespace', description: 'is required with cronjob: it is the CronJob’s, too' },
        ])
      const started = cronjob
        ? await startedBy(placeOf(inCluster(request)), { namespace, cronjob }, call)
        : {}
      return watchJobs(request, call, started, inState(jobStates, phase))
    },
    getJob: job.get,
    getJobJSON: job.json,
    createJob: job.create,
    deleteJob: job.remove,

    async restartJob(request, call) {
      const stored = await restartJob(objects, call, request)
      return { job: jobs.message(stored, placeOf(request), { placed: false, shares: [] }) }
    },

    listInstanceCronJobs: listCronJobs,
    listCronJobs,
    watchCronJobs: async (request, call) =>
      watchCronJobs(request, call, {}, inState(cronJobStates, request.phase)),
    getCronJob: cronJob.get,
    getCronJobJSON: cronJob.json,
    createCronJob: cronJob.create,
    deleteCronJob: cronJob.remove,

    updateCronJob({ instance, namespace, data }, call) {
      const { metadata } = manifestOf(data, { type: cronJobs.type, namespace })
      call.about(metadata)
      return cronJob.update({ instance, namespace, name: metadata.name, data }, call)
    },

    pauseCronJob: (request, call) => suspended(request, call, request.paused ?? true),
    resumeCronJob: (request, call) => suspended(request, call, request.paused ?? false),

    async listJobsByCronJobsName(request, call) {
      const { cluster } = request
      const started = await startedBy(placeOf(request), request, call)
      const { items, pagination } = await listJobs(request, call, started)
      return { cluster, jobs: items, pagination }
    },
  }
}

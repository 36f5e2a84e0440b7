import type { BatchService } from '../../../proto/gen/kairship/batch_pb.js'
import {
  CronJobStatus_CronJobStateSchema,
  JobStatus_JobStateSchema,
} from '../../../proto/gen/kairship/batch_pb.js'
import type { Call } from '../../call.js'
import { manifestOf } from '../../objects/manifest.js'
import type { Objects } from '../../objects/objects.js'
import type { ServiceHandlers } from '../../operation.js'
import { kindHandlers } from '../kind/kind-handlers.js'
import { inState, listByState } from '../kind/list-by-state.js'
import { mergePatched } from '../kind/merge-patched.js'
import { type KeyFields, placeOf } from '../kind/request-fields.js'
import { watchKind } from '../kind/watch-kind.js'
import { sideCall } from '../side-call.js'
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
  const suspended = async (request: KeyFields, call: Call, suspend: boolean) => ({
    cronjob: await mergePatched(objects, cronJobs, request, call, { spec: { suspend } }),
  })
  return {
    listInstanceJobs: listJobs,
    listJobs,
    watchJobs: async (request, call) => watchJobs(request, call, {}, inState(jobStates, request.phase)),
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
      const { instance, cluster, namespace, cronjob } = request
      const owner = await objects.get<CronJob>(sideCall(call), { instance, cluster }, cronJobs.type, {
        namespace,
        name: cronjob,
      })
      const { items, pagination } = await listJobs(request, call, { ownerUid: owner.metadata.uid ?? '' })
      return { cluster, jobs: items, pagination }
    },
  }
}

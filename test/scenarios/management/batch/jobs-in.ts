import type { BatchService } from '../../../../proto/gen/kairship/batch_pb.js'
import { type ManagedWorld, TYPES } from '../../support/managed-world.js'
import { requestsTo } from '../requests.js'

/** A template of pods that end. */
export const pods = {
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox:1.37' }] },
}

/** The manifest of a Job of four pods, two at once. */
export const job = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, ...metadata },
  spec: { parallelism: 2, completions: 4, template: pods, ...spec },
})

/** The manifest of a CronJob that runs every five minutes. */
export const cronJob = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name, ...metadata },
  spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: pods } }, ...spec },
})

/** When finished Jobs were seen. */
export const FINISHED_AT = '2026-11-20T10:00:00Z'

/** The status of a Job that is finished. */
export const complete = {
  succeeded: 4,
  startTime: FINISHED_AT,
  completionTime: FINISHED_AT,
  conditions: ['SuccessCriteriaMet', 'Complete'].map(type => ({
    type,
    status: 'True',
    lastProbeTime: FINISHED_AT,
    lastTransitionTime: FINISHED_AT,
  })),
}

/** Makes Jobs and CronJobs through the API. */
export function jobsIn(world: ManagedWorld<typeof BatchService>) {
  const { at } = requestsTo(world)
  const createJob = async (name: string, spec?: object, metadata?: object) =>
    JSON.parse(
      (await world.calls.rest('createJob', { ...at(), data: JSON.stringify(job(name, spec, metadata)) }))
        .data,
    )
  const createCronJob = async (name: string, spec?: object) =>
    JSON.parse(
      (await world.calls.rest('createCronJob', { ...at(), data: JSON.stringify(cronJob(name, spec)) })).data,
    )
  /** What a member's Job controller would report. */
  const report = (name: string, status: object) =>
    world.patch(world.control, TYPES.jobs, { namespace: 'default', name }, { status }, 'status')
  return { createJob, createCronJob, report }
}

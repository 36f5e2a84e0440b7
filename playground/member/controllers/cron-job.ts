import { JOBS } from '../../objects/core-types.js'
import { timestamp } from '../../objects/timestamp.js'
import { type CronJob, controllerReference, type Job } from '../workloads.js'
import { isOver } from './job.js'
import type { Change, Note, Plan, World } from './plan.js'
import { note, warning } from './pods.js'
import { lastDue, parseSchedule, type Schedule, ScheduleError } from './schedule.js'

/** setTimeout's longest pause is 24.8 days: look again before. */
const LONGEST_PAUSE = 86_400_000

/** The CronJob controller: a Job whenever the schedule says so. */
export function planCronJob(cron: CronJob, world: World): Plan {
  const jobs = world.owned<Job>(JOBS, cron)
  const status = statusOf(cron, jobs)
  const seen = completed(cron, jobs)
  if (cron.metadata.deletionTimestamp) return { status }
  const forgotten = history(cron, jobs)
  const idle = { changes: forgotten, status, notes: seen }
  if (cron.spec.suspend) return idle
  const schedule = scheduleOf(cron)
  if ('reason' in schedule) return { ...idle, notes: [...seen, schedule] }
  const again = untilNext(schedule, world.now)
  const due = dueTime(cron, schedule, world.now)
  if (due === undefined) return { ...idle, again }
  const run = runOf(cron, due, jobs, world.now)
  return {
    changes: [...forgotten, ...run.changes],
    status: run.isTaken ? { ...status, lastScheduleTime: timestamp(due) } : status,
    notes: [...seen, ...run.notes],
    again,
  }
}

type Status = NonNullable<CronJob['status']>

function statusOf(cron: CronJob, jobs: readonly Job[]): Status {
  const { lastScheduleTime, lastSuccessfulTime } = cron.status ?? {}
  const ends = jobs.flatMap(({ status }) => (status?.completionTime ? [status.completionTime] : []))
  const last = [...(lastSuccessfulTime ? [lastSuccessfulTime] : []), ...ends].sort().at(-1)
  const active = jobs
    .filter(job => !isOver(job))
    .map(({ apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } }) => ({
      apiVersion,
      kind,
      namespace,
      name,
      uid,
      resourceVersion: knownVersion(cron, uid) ?? resourceVersion,
    }))
  return {
    ...(active.length > 0 && { active }),
    ...(lastScheduleTime && { lastScheduleTime }),
    ...(last && { lastSuccessfulTime: last }),
  }
}

/** A reference keeps the version at which it was made: the Job's own changes are no news of the CronJob. */
function knownVersion({ status }: CronJob, uid: string | undefined): string | undefined {
  const known = (status?.active ?? []) as readonly { uid?: string; resourceVersion?: string }[]
  return known.find(one => one.uid === uid)?.resourceVersion
}

function completed({ status }: CronJob, jobs: readonly Job[]): readonly Note[] {
  const active = (status?.active ?? []) as readonly { uid?: string }[]
  return jobs
    .filter(job => isOver(job) && active.some(({ uid }) => uid === job.metadata.uid))
    .map(job => {
      const condition = job.status?.conditions?.find(
        one => one.status === 'True' && (one.type === 'Complete' || one.type === 'Failed'),
      )
      const message = `Saw completed job: ${job.metadata.name}, condition: ${condition?.type ?? ''}`
      return note('SawCompletedJob', message)
    })
}

function scheduleOf({ spec }: CronJob): Schedule | Note {
  try {
    return parseSchedule(spec.schedule, spec.timeZone)
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error
    return warning('UnparseableSchedule', `unparseable schedule: "${spec.schedule}" : ${error.message}`)
  }
}

const untilNext = (schedule: Schedule, now: number): number =>
  Math.min(LONGEST_PAUSE, Math.max(1, (schedule.next(now) ?? now + LONGEST_PAUSE) - now))

/** The run that is due and has not been taken care of. */
function dueTime(cron: CronJob, schedule: Schedule, now: number): number | undefined {
  const from = Date.parse(cron.status?.lastScheduleTime ?? cron.metadata.creationTimestamp ?? '') || now
  const { startingDeadlineSeconds: deadline } = cron.spec
  return lastDue(schedule, deadline === undefined ? from : Math.max(from, now - deadline * 1000), now)
}

interface Run {
  readonly changes: readonly Change[]
  readonly notes: readonly Note[]
  /** True when this time is taken care of, and need not be looked at again. */
  readonly isTaken: boolean
}

function runOf(cron: CronJob, due: number, jobs: readonly Job[], now: number): Run {
  const { startingDeadlineSeconds: deadline, concurrencyPolicy } = cron.spec
  const active = jobs.filter(job => !isOver(job))
  const job = jobAt(cron, due)
  if (jobs.some(({ metadata }) => metadata.name === job.metadata.name))
    return { changes: [], notes: [], isTaken: true }
  if (deadline !== undefined && due + deadline * 1000 < now) {
    const message = `Missed scheduled time to start a job: ${new Date(due).toUTCString()}`
    return { changes: [], notes: [warning('MissSchedule', message)], isTaken: false }
  }
  if (concurrencyPolicy === 'Forbid' && active.length > 0) {
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid'
    return { changes: [], notes: [note('JobAlreadyActive', message)], isTaken: false }
  }
  const replaced = concurrencyPolicy === 'Replace' ? active : []
  const created: Change = {
    create: JOBS,
    object: job,
    noted: ({ metadata }) => note('SuccessfulCreate', `Created job ${metadata.name}`),
  }
  return { ...removal(replaced), changes: [...removal(replaced).changes, created], isTaken: true }
}

const removal = (jobs: readonly Job[]) => ({
  changes: jobs.map((object): Change => ({ remove: JOBS, object })),
  notes: jobs.map(({ metadata }) => note('SuccessfulDelete', `Deleted job ${metadata.name}`)),
})

/** The Job of one time: its name follows from the minute, so that no time has two. */
function jobAt(cron: CronJob, due: number): Job {
  const { metadata = {}, spec } = cron.spec.jobTemplate
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...(metadata.labels && { labels: metadata.labels }),
      namespace: cron.metadata.namespace ?? '',
      name: `${cron.metadata.name}-${Math.floor(due / 60_000)}`,
      annotations: {
        ...metadata.annotations,
        'batch.kubernetes.io/cronjob-scheduled-timestamp': timestamp(due),
      },
      ownerReferences: [controllerReference(cron)],
    },
    spec,
  }
}

/** Ended Jobs beyond those that are kept, the oldest first. */
function history({ spec }: CronJob, jobs: readonly Job[]): readonly Change[] {
  const start = ({ status, metadata }: Job) => status?.startTime ?? metadata.creationTimestamp ?? ''
  const ended = (type: string) =>
    jobs
      .filter(
        job =>
          !job.metadata.deletionTimestamp &&
          job.status?.conditions?.some(one => one.type === type && one.status === 'True'),
      )
      .sort((one, other) => (start(one) < start(other) ? -1 : 1))
  const surplus = (type: string, most: number) => ended(type).slice(0, Math.max(0, ended(type).length - most))
  const forgotten = [
    ...surplus('Complete', spec.successfulJobsHistoryLimit ?? 3),
    ...surplus('Failed', spec.failedJobsHistoryLimit ?? 1),
  ]
  return forgotten.map(object => ({ remove: JOBS, object }))
}

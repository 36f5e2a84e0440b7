import type { Pod } from '../../objects/core.js'
import { JOBS, PODS } from '../../objects/core-types.js'
import { timestamp } from '../../objects/timestamp.js'
import type { Job, JobStatus, WorkloadCondition } from '../workloads.js'
import {
  INDEX,
  indexOf,
  isTracked,
  orphans,
  type Tally,
  TRACKING,
  tallyOf,
  untracked,
  writeRanges,
} from './job-tracking.js'
import type { Change, Note, Plan, World } from './plan.js'
import {
  createPod,
  deletePods,
  isActive,
  isReady,
  isTerminating,
  nonZero,
  note,
  podOf,
  warning,
} from './pods.js'

/** Between a failure and the next attempt: doubling from the first to the last, milliseconds. */
const BACKOFF = { first: 10_000, last: 600_000 } as const

/** A way for a Job to end. */
interface End {
  readonly type: 'Complete' | 'Failed'
  readonly reason: string
  readonly message: string
}

const ENDS = {
  completions: {
    type: 'Complete',
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
  },
  backoff: {
    type: 'Failed',
    reason: 'BackoffLimitExceeded',
    message: 'Job has reached the specified backoff limit',
  },
  deadline: {
    type: 'Failed',
    reason: 'DeadlineExceeded',
    message: 'Job was active longer than specified deadline',
  },
} as const satisfies Record<string, End>

const isTrue = ({ status = {} }: Job, type: string): boolean =>
  status.conditions?.some(one => one.type === type && one.status === 'True') ?? false

/** True when a Job has completed or failed for good. */
export const isOver = (job: Job): boolean => isTrue(job, 'Complete') || isTrue(job, 'Failed')

/** The job controller: pods until enough have succeeded, or too many have failed. */
export function planJob(job: Job, world: World): Plan {
  const pods = world.owned<Pod>(PODS, job)
  if (isOver(job)) return leftovers(job, pods, world.now)
  const tally = tallyOf(job, pods)
  const active = pods.filter(isActive)
  const total = {
    succeeded:
      job.spec.completionMode === 'Indexed'
        ? tally.indexes.size
        : tally.succeeded + (tally.uncounted.succeeded?.length ?? 0),
    failed: tally.failed + (tally.uncounted.failed?.length ?? 0),
  }
  const end = endOf(job, total, pods, active, world.now)
  const suspended = job.spec.suspend === true
  const { changes, notes, again } =
    job.metadata.deletionTimestamp !== undefined
      ? { changes: [], notes: [], again: undefined }
      : end || suspended
        ? { ...deletePods(active), again: undefined }
        : manage(job, total, tally, pods, active, world.now)
  const isCounted = tally.uncounted.succeeded === undefined && tally.uncounted.failed === undefined
  const isIdle = active.length === 0 && !pods.some(isTerminating) && isCounted
  const conditions = conditionsOf(job, end, isIdle, world.now)
  const startTime = suspended ? undefined : (job.status?.startTime ?? timestamp(world.now))
  const isComplete = end?.type === 'Complete' && isIdle
  const status: JobStatus = {
    ...(startTime && { startTime }),
    ...(isComplete && { completionTime: job.status?.completionTime ?? timestamp(world.now) }),
    ...nonZero({
      active: end || suspended ? 0 : active.length,
      succeeded: tally.succeeded,
      failed: tally.failed,
    }),
    ready: end ? 0 : active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
    ...(tally.indexes.size > 0 && { completedIndexes: writeRanges(tally.indexes) }),
    uncountedTerminatedPods: tally.uncounted,
    ...(conditions.length > 0 && { conditions }),
  }
  return {
    changes: [...tally.changes, ...changes],
    status,
    notes: [...notes, ...endNotes(job, end, isIdle), ...suspension(job)],
    ...lookAgain(job, again, world.now),
  }
}

interface Total {
  readonly succeeded: number
  readonly failed: number
}

function endOf(
  job: Job,
  { succeeded, failed }: Total,
  pods: readonly Pod[],
  active: readonly Pod[],
  now: number,
): End | undefined {
  const decided = job.status?.conditions?.find(
    ({ type }) => type === 'SuccessCriteriaMet' || type === 'FailureTarget',
  )
  if (decided?.type === 'SuccessCriteriaMet') return ENDS.completions
  if (decided) return Object.values(ENDS).find(({ reason }) => reason === decided.reason) ?? ENDS.backoff
  const { completions, backoffLimit = 6, activeDeadlineSeconds, template } = job.spec
  const restarts = active.flatMap(({ status }) => status?.containerStatuses ?? [])
  const restarted = restarts.reduce((sum, { restartCount }) => sum + restartCount, 0)
  const isRestarting = template.spec?.restartPolicy === 'OnFailure'
  if (failed > backoffLimit || (isRestarting && restarted > 0 && restarted >= backoffLimit))
    return ENDS.backoff
  const start = Date.parse(job.status?.startTime ?? '')
  if (activeDeadlineSeconds !== undefined && now >= start + activeDeadlineSeconds * 1000 && !job.spec.suspend)
    return ENDS.deadline
  const isDone =
    completions === undefined
      ? succeeded > 0 && active.length === 0 && !pods.some(pod => isTerminating(pod))
      : succeeded >= completions
  return isDone ? ENDS.completions : undefined
}

/** As many pods as may run side by side. */
function manage(
  job: Job,
  total: Total,
  tally: Tally,
  pods: readonly Pod[],
  active: readonly Pod[],
  now: number,
): {
  readonly changes: readonly Change[]
  readonly notes: readonly Note[]
  readonly again: number | undefined
} {
  const { parallelism = 1, completions } = job.spec
  const left =
    completions === undefined
      ? total.succeeded > 0
        ? active.length
        : parallelism
      : completions - total.succeeded
  const wanted = Math.max(0, Math.min(parallelism, left))
  if (active.length > wanted)
    return { ...deletePods(active.slice(0, active.length - wanted)), again: undefined }
  // A pod that is going away holds its place until it is gone.
  const missing = wanted - active.length - pods.filter(pod => isTerminating(pod) && isTracked(pod)).length
  if (missing <= 0) return { changes: [], notes: [], again: undefined }
  const wait = backoff(pods, total.failed, now)
  if (wait > 0) return { changes: [], notes: [], again: wait }
  const indexes = job.spec.completionMode === 'Indexed' ? freeIndexes(job, tally, active) : undefined
  const count = indexes ? Math.min(missing, indexes.length) : missing
  const changes = Array.from({ length: count }, (_, position) => createPod(jobPod(job, indexes?.[position])))
  return { changes, notes: [], again: undefined }
}

function freeIndexes({ spec }: Job, { indexes }: Tally, active: readonly Pod[]): readonly number[] {
  const taken = new Set([...indexes, ...active.map(indexOf)])
  return Array.from({ length: spec.completions ?? 0 }, (_, index) => index).filter(index => !taken.has(index))
}

/** Milliseconds until a failed Job may try again. */
function backoff(pods: readonly Pod[], failed: number, now: number): number {
  const ends = pods.filter(({ status }) => status?.phase === 'Failed').map(finishedAt)
  if (failed === 0 || ends.length === 0) return 0
  const pause = Math.min(BACKOFF.first * 2 ** (failed - 1), BACKOFF.last)
  return Math.max(0, Math.max(...ends) + pause - now)
}

function finishedAt({ status, metadata }: Pod): number {
  const ends = (status?.containerStatuses ?? []).map(({ state }) =>
    Date.parse((state.terminated as { finishedAt?: string } | undefined)?.finishedAt ?? ''),
  )
  const known = ends.filter(Number.isFinite)
  return known.length > 0 ? Math.max(...known) : Date.parse(metadata.creationTimestamp ?? '') || 0
}

function jobPod(job: Job, index: number | undefined): Pod {
  const { name } = job.metadata
  const pod = podOf(job, job.spec.template, {
    generateName: index === undefined ? `${name}-` : `${name}-${index}-`,
  })
  const finalizers = [...(pod.metadata.finalizers ?? []), TRACKING]
  if (index === undefined) return { ...pod, metadata: { ...pod.metadata, finalizers } }
  const variable = {
    name: 'JOB_COMPLETION_INDEX',
    valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } },
  }
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      finalizers,
      labels: { ...pod.metadata.labels, [INDEX]: String(index) },
      annotations: { ...pod.metadata.annotations, [INDEX]: String(index) },
    },
    spec: {
      ...pod.spec,
      hostname: `${name}-${index}`,
      containers: (pod.spec?.containers ?? []).map(one => ({ ...one, env: [...(one.env ?? []), variable] })),
    },
  }
}

/** What is decided is said at once; that the Job is over only when its last pod is counted. */
function conditionsOf(
  job: Job,
  end: End | undefined,
  isIdle: boolean,
  now: number,
): readonly WorkloadCondition[] {
  let conditions = job.status?.conditions ?? []
  const set = (type: string, status: 'True' | 'False', reason: string, message: string) => {
    const current = conditions.find(one => one.type === type)
    if (current?.status === status && current.reason === reason) return
    const time = timestamp(now)
    const made = { type, status, reason, message, lastProbeTime: time, lastTransitionTime: time }
    conditions = [...conditions.filter(one => one !== current), made]
  }
  if (end)
    set(end.type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget', 'True', end.reason, end.message)
  if (end && isIdle) set(end.type, 'True', end.reason, end.message)
  if (!end && job.spec.suspend) set('Suspended', 'True', 'JobSuspended', 'Job suspended')
  if (!job.spec.suspend && isTrue(job, 'Suspended')) set('Suspended', 'False', 'JobResumed', 'Job resumed')
  return conditions
}

const endNotes = (job: Job, end: End | undefined, isIdle: boolean): readonly Note[] =>
  !end || !isIdle || isOver(job)
    ? []
    : [end.type === 'Complete' ? note('Completed', 'Job completed') : warning(end.reason, end.message)]

function suspension(job: Job): readonly Note[] {
  if (isTrue(job, 'Suspended') === (job.spec.suspend === true)) return []
  return [job.spec.suspend ? note('Suspended', 'Job suspended') : note('Resumed', 'Job resumed')]
}

function lookAgain(job: Job, again: number | undefined, now: number): Pick<Plan, 'again'> {
  const { activeDeadlineSeconds } = job.spec
  const start = Date.parse(job.status?.startTime ?? '') || now
  const deadline =
    activeDeadlineSeconds === undefined ? undefined : Math.max(0, start + activeDeadlineSeconds * 1000 - now)
  const waits = [again, deadline].filter(wait => wait !== undefined && wait > 0) as number[]
  return waits.length === 0 ? {} : { again: Math.min(...waits) }
}

/** What a Job that is over still has to do: let go of its pods, and go itself when its time has come. */
function leftovers(job: Job, pods: readonly Pod[], now: number): Plan {
  const changes = pods.filter(isTracked).map(untracked)
  const { ttlSecondsAfterFinished: ttl } = job.spec
  if (ttl === undefined || job.metadata.deletionTimestamp) return { changes }
  const ended = job.status?.conditions?.find(({ type }) => type === 'Complete' || type === 'Failed')
  const left = (Date.parse(ended?.lastTransitionTime ?? '') || now) + ttl * 1000 - now
  return left > 0 ? { changes, again: left } : { changes: [...changes, { remove: JOBS, object: job }] }
}

/** What is left of Jobs that are gone. */
export const planGoneJob = (_key: string, world: World): Plan => ({
  changes: orphans(
    world.all<Pod>(PODS),
    new Set(world.all<Job>(JOBS).map(({ metadata }) => metadata.uid ?? '')),
  ),
})

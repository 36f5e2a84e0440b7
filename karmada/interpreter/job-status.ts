import type { MemberStatus, Status } from '../objects/member-status.js'
import type { Resource } from './workload.js'

interface JobStatus {
  readonly active?: number
  readonly succeeded?: number
  readonly failed?: number
  readonly startTime?: string
  readonly completionTime?: string
  readonly conditions?: readonly JobCondition[]
}

interface JobCondition {
  readonly type: string
  readonly status: string
}

/**
 * A Job's status (`helper.ParsingJobStatus` of Karmada): failed as soon as one member's part failed, complete when all are.
 * A Job that is finished stays as it is.
 */
export function aggregatedJobStatus(
  { status = {} }: Resource,
  members: readonly MemberStatus[],
  now: string,
): Status {
  const before = status as JobStatus
  if (finishOf(before)) return status
  const parts = members.map(({ clusterName, status }) => ({
    clusterName,
    part: status as JobStatus | undefined,
  }))
  const known = parts.flatMap(({ part }) => (part ? [part] : []))
  const sum = (field: 'active' | 'succeeded' | 'failed') =>
    known.reduce((total, part) => total + (part[field] ?? 0), 0)
  const failed = parts.filter(({ part }) => part && finishOf(part) === 'Failed')
  const startTime = before.startTime ?? timeOfAll(members, known, 'startTime', times => times[0])
  const completionTime = timeOfAll(members, known, 'completionTime', times => times.at(-1))
  const conditions = [
    ...(failed.length > 0
      ? [
          condition(
            'Failed',
            'JobFailed',
            `Job executed failed in member clusters ${failed.map(({ clusterName }) => clusterName).join(',')}`,
          ),
        ]
      : []),
    ...completions(members, known),
  ]
  return {
    active: sum('active'),
    succeeded: sum('succeeded'),
    failed: sum('failed'),
    ...(startTime && { startTime }),
    ...(completionTime && { completionTime }),
    ...(conditions.length > 0 && {
      conditions: conditions.map(one => ({ ...one, lastProbeTime: now, lastTransitionTime: now })),
    }),
  }
}

function completions(members: readonly MemberStatus[], known: readonly JobStatus[]): readonly object[] {
  const complete = known.filter(part => finishOf(part) === 'Complete')
  if (complete.length === 0 || complete.length !== members.length) return []
  const met = known.filter(({ conditions = [] }) => conditions.some(isTrue('SuccessCriteriaMet')))
  return [
    condition('Complete', 'Completed', 'Job completed'),
    ...(met.length === members.length
      ? [
          condition(
            'SuccessCriteriaMet',
            'CompletionsReached',
            'All member clusters have met success criteria',
          ),
        ]
      : []),
  ]
}

const condition = (type: string, reason: string, message: string) => ({
  type,
  status: 'True',
  reason,
  message,
})

const isTrue =
  (type: string) =>
  (one: JobCondition): boolean =>
    one.type === type && one.status === 'True'

const finishOf = ({ conditions = [] }: JobStatus): string | undefined =>
  conditions.find(one => isTrue('Complete')(one) || isTrue('Failed')(one))?.type

/** A time that all members report; undefined while one does not. */
function timeOfAll(
  members: readonly MemberStatus[],
  known: readonly JobStatus[],
  field: 'startTime' | 'completionTime',
  choose: (sorted: readonly string[]) => string | undefined,
): string | undefined {
  const times = known.flatMap(part => part[field] ?? []).sort()
  return times.length === members.length ? choose(times) : undefined
}

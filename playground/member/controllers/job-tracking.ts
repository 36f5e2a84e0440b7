import type { Pod } from '../../objects/core.js'
import { PODS } from '../../objects/core-types.js'
import type { Job, JobStatus } from '../workloads.js'
import type { Change } from './plan.js'
import { hasFinished, hasSucceeded, isTerminating } from './pods.js'

/** Holds a pod until its end is counted. */
export const TRACKING = 'batch.kubernetes.io/job-tracking'
export const INDEX = 'batch.kubernetes.io/job-completion-index'

export const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(TRACKING) ?? false

/** Lets go of a pod. */
export const untracked = (pod: Pod): Change => ({
  update: PODS,
  object: {
    ...pod,
    metadata: {
      ...pod.metadata,
      finalizers: (pod.metadata.finalizers ?? []).filter(one => one !== TRACKING),
    },
  },
})

/** Ended pods of a Job: those counted for good, those noted and not counted yet, and what has to be written to go on. */
export interface Tally {
  readonly succeeded: number
  readonly failed: number
  readonly uncounted: NonNullable<JobStatus['uncountedTerminatedPods']>
  /** Pods whose uid the stored status has: they may go. */
  readonly changes: readonly Change[]
  /** Of Indexed jobs: the indexes that are done. */
  readonly indexes: ReadonlySet<number>
}

/**
 * Counts each ended pod exactly once, also across a crash: its uid goes into the status, then its finalizer goes, then it
 * becomes part of the number.
 */
export function tallyOf({ status = {}, spec }: Job, pods: readonly Pod[]): Tally {
  const tracked = pods.filter(isTracked)
  const held = new Set(tracked.map(({ metadata }) => metadata.uid))
  const noted = status.uncountedTerminatedPods ?? {}
  const isNoted = new Set([...(noted.succeeded ?? []), ...(noted.failed ?? [])])
  // A pod that is deleted counts as failed at once: one without a node would never say how it ended.
  const ended = tracked.filter(
    pod => (hasFinished(pod) || isTerminating(pod)) && !isNoted.has(pod.metadata.uid ?? ''),
  )
  const kind = (name: 'succeeded' | 'failed') => {
    const before = noted[name] ?? []
    const still = before.filter(uid => held.has(uid))
    const fresh = ended.filter(pod => hasSucceeded(pod) === (name === 'succeeded'))
    return {
      counted: (status[name] ?? 0) + before.length - still.length,
      uncounted: [...still, ...fresh.map(({ metadata }) => metadata.uid ?? '')],
    }
  }
  const [succeeded, failed] = [kind('succeeded'), kind('failed')]
  const done = pods.filter(pod => hasSucceeded(pod)).map(indexOf)
  return {
    succeeded: succeeded.counted,
    failed: failed.counted,
    uncounted: {
      ...(succeeded.uncounted.length > 0 && { succeeded: succeeded.uncounted }),
      ...(failed.uncounted.length > 0 && { failed: failed.uncounted }),
    },
    changes: tracked.filter(({ metadata }) => isNoted.has(metadata.uid ?? '')).map(untracked),
    indexes:
      spec.completionMode === 'Indexed'
        ? new Set([...readRanges(status.completedIndexes ?? ''), ...done.filter(index => index >= 0)])
        : new Set(),
  }
}

export const indexOf = ({ metadata }: Pod): number => Number(metadata.annotations?.[INDEX] ?? -1)

/** `0-2,5` → 0, 1, 2, 5. */
function readRanges(text: string): readonly number[] {
  return text.split(',').flatMap(part => {
    const [first, last = first] = part.split('-').map(Number)
    if (part === '' || first === undefined || last === undefined) return []
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset)
  })
}

/** 0, 1, 2, 5 → `0-2,5`, as a Job's status has it. */
export function writeRanges(numbers: ReadonlySet<number>): string {
  const parts: [number, number][] = []
  for (const number of [...numbers].sort((one, other) => one - other)) {
    const last = parts.at(-1)
    if (last && last[1] === number - 1) last[1] = number
    else parts.push([number, number])
  }
  return parts
    .map(([from, to]) => (from === to ? `${from}` : to === from + 1 ? `${from},${to}` : `${from}-${to}`))
    .join(',')
}

/** Removes the finalizer from the pods of a deleted Job: they are not counted any more. */
export function orphans(pods: readonly Pod[], jobs: ReadonlySet<string>): readonly Change[] {
  const isOrphan = (pod: Pod) => {
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller)
    return isTracked(pod) && (owner?.kind !== 'Job' || !jobs.has(owner.uid))
  }
  return pods.filter(pod => isOrphan(pod) && (isTerminating(pod) || hasFinished(pod))).map(untracked)
}

import type { Pod } from '../../objects/core.js'
import { PODS } from '../../objects/core-types.js'
import type { ControllerRevision, StatefulSet } from '../workloads.js'
import { type Change, type Note, type Plan, sooner, type World } from './plan.js'
import { availableIn, hasFinished, isTerminating, nonZero, note } from './pods.js'
import { forgottenRevisions, REVISION_LABEL, revisionsOf } from './revisions.js'
import { firstOrdinal, missingClaims, ordinalOf, statefulPod, surplusClaims } from './stateful-pods.js'

interface Step {
  readonly changes: readonly Change[]
  readonly notes?: readonly Note[]
}

/** The StatefulSet controller: pods with names that stay, one after the other unless the set says otherwise. */
export function planStatefulSet(set: StatefulSet, world: World): Plan {
  const pods = world.owned<Pod>(PODS, set)
  const revisions = revisionsOf(set, world)
  const update = revisions.present
  const current =
    revisions.all.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update
  const { status, again } = statusOf(set, pods, current, update, world.now)
  if (set.metadata.deletionTimestamp) return { status }
  const step = nextStep(set, pods, current, update, world)
  const inUse = ({ metadata: { name } }: ControllerRevision) =>
    [current, update].some(one => one.metadata.name === name) ||
    pods.some(({ metadata }) => metadata.labels?.[REVISION_LABEL] === name)
  return {
    changes: [...revisions.changes, ...step.changes, ...forgottenRevisions(set, revisions.all, inUse)],
    status,
    notes: step.notes ?? [],
    ...(again !== undefined && { again }),
  }
}

const wantedOf = ({ spec }: StatefulSet): number => spec.replicas ?? 1
const isMade = (pod: Pod): boolean => pod.metadata.uid !== undefined
const isHealthy = (pod: Pod, set: StatefulSet, now: number): boolean =>
  !isTerminating(pod) && availableIn(pod, set.spec.minReadySeconds ?? 0, now) === 0
const revisionOf = (pod: Pod): string => pod.metadata.labels?.[REVISION_LABEL] ?? ''

function nextStep(
  set: StatefulSet,
  pods: readonly Pod[],
  current: ControllerRevision,
  update: ControllerRevision,
  world: World,
): Step {
  const first = firstOrdinal(set)
  const end = first + wantedOf(set)
  const isOrdered = set.spec.podManagementPolicy !== 'Parallel'
  const byOrdinal = new Map(pods.map(pod => [ordinalOf(pod), pod]))
  const wanted = Array.from({ length: end - first }, (_, index) => {
    const ordinal = first + index
    return byOrdinal.get(ordinal) ?? statefulPod(set, ordinal, revisionFor(set, ordinal, current, update))
  })
  const condemned = pods
    .filter(pod => ordinalOf(pod) < first || ordinalOf(pod) >= end)
    .sort((one, other) => ordinalOf(other) - ordinalOf(one))
  return (
    growth(set, wanted, isOrdered, world) ??
    shrinkage(set, condemned, wanted, isOrdered, world) ??
    rollover(set, wanted, update, world.now)
  )
}

/** A new pod is of the old revision below the partition, and while the set has not finished its update up there. */
function revisionFor(
  set: StatefulSet,
  ordinal: number,
  current: ControllerRevision,
  update: ControllerRevision,
): ControllerRevision {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {}
  if (type === 'OnDelete') return update
  const below =
    ordinal < firstOrdinal(set) + (rollingUpdate?.partition ?? 0) ||
    (rollingUpdate?.partition === undefined &&
      ordinal < firstOrdinal(set) + (set.status?.currentReplicas ?? 0))
  return below ? current : update
}

function growth(
  set: StatefulSet,
  wanted: readonly Pod[],
  isOrdered: boolean,
  world: World,
): Step | undefined {
  const changes: Change[] = []
  const notes: Note[] = []
  for (const pod of wanted) {
    if (isMade(pod) && hasFinished(pod)) {
      if (!isTerminating(pod)) changes.push({ remove: PODS, object: pod })
      if (isOrdered) return { changes, notes }
    } else if (!isMade(pod)) {
      changes.push(...missingClaims(set, ordinalOf(pod), world), {
        create: PODS,
        object: pod,
        noted: ({ metadata: { name } }) =>
          note('SuccessfulCreate', `create Pod ${name} in StatefulSet ${set.metadata.name} successful`),
      })
      if (isOrdered) return { changes, notes }
    } else if (isOrdered && !isHealthy(pod, set, world.now)) return { changes, notes }
  }
  return changes.length > 0 ? { changes, notes } : undefined
}

function shrinkage(
  set: StatefulSet,
  condemned: readonly Pod[],
  wanted: readonly Pod[],
  isOrdered: boolean,
  world: World,
): Step | undefined {
  const changes: Change[] = []
  const notes: Note[] = []
  const firstUnhealthy = [...wanted, ...[...condemned].reverse()].find(pod => !isHealthy(pod, set, world.now))
  for (const pod of condemned) {
    if (isTerminating(pod)) {
      if (isOrdered) return { changes, notes }
      continue
    }
    if (isOrdered && !isHealthy(pod, set, world.now) && pod !== firstUnhealthy) return { changes, notes }
    changes.push({ remove: PODS, object: pod }, ...surplusClaims(set, ordinalOf(pod), world))
    notes.push(deleted(set, pod))
    if (isOrdered) return { changes, notes }
  }
  return changes.length > 0 ? { changes, notes } : undefined
}

/** From the last to the partition, one at a time: a pod of another revision goes, and its successor must be available. */
function rollover(set: StatefulSet, wanted: readonly Pod[], update: ControllerRevision, now: number): Step {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {}
  if (type === 'OnDelete') return { changes: [] }
  for (const pod of wanted.slice(rollingUpdate?.partition ?? 0).reverse()) {
    if (revisionOf(pod) !== update.metadata.name && !isTerminating(pod))
      return { changes: [{ remove: PODS, object: pod }], notes: [deleted(set, pod)] }
    if (!isHealthy(pod, set, now)) return { changes: [] }
  }
  return { changes: [] }
}

const deleted = (set: StatefulSet, { metadata: { name } }: Pod): Note =>
  note('SuccessfulDelete', `delete Pod ${name} in StatefulSet ${set.metadata.name} successful`)

function statusOf(
  set: StatefulSet,
  pods: readonly Pod[],
  current: ControllerRevision,
  update: ControllerRevision,
  now: number,
) {
  const waits = pods.map(pod => availableIn(pod, set.spec.minReadySeconds ?? 0, now))
  const running = pods.filter(pod => !isTerminating(pod))
  const of = (revision: ControllerRevision) =>
    running.filter(pod => revisionOf(pod) === revision.metadata.name).length
  const counts = {
    replicas: pods.length,
    readyReplicas: waits.filter(wait => wait !== undefined).length,
    currentReplicas: of(current),
    updatedReplicas: of(update),
  }
  const wanted = wantedOf(set)
  const isComplete =
    set.spec.updateStrategy?.type !== 'OnDelete' &&
    [counts.updatedReplicas, counts.readyReplicas, counts.replicas].every(count => count === wanted)
  const { replicas, ...others } = isComplete ? { ...counts, currentReplicas: counts.updatedReplicas } : counts
  const again = waits.reduce((least, wait) => (wait ? sooner(least, wait) : least), undefined)
  return {
    status: {
      observedGeneration: set.metadata.generation ?? 0,
      replicas,
      ...nonZero(others),
      availableReplicas: waits.filter(wait => wait === 0).length,
      currentRevision: (isComplete ? update : current).metadata.name,
      updateRevision: update.metadata.name,
      collisionCount: set.status?.collisionCount ?? 0,
    },
    again,
  }
}

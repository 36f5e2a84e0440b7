import type { Instance } from '../manifests/instance.js'
import { canonical } from './canonical.js'
import { type ConditionFact, statusOf } from './conditions.js'
import { exists, type Facts, isAssessed, isClaimed, isDistinct, specProblem } from './facts.js'
import type { Knowledge } from './knowledge.js'
import { type Keeper, untried } from './task.js'

/** What each keeper should make true now, spelled so that any difference that matters changes it; undefined: nothing. */
export type Wanted = Partial<Record<Keeper, string>>

const revisionOf = (object: Facts['registration']): string =>
  object === undefined
    ? 'unseen'
    : object === 'absent'
      ? 'absent'
      : `${object.revision}${object.deleting ? ' deleting' : ''}`

/**
 * Pure: from all that is known to all that should be. Nothing is wanted of what must not be touched yet: no object is
 * made outside before the CR carries our finalizer, nor for an instance whose control plane belongs to an elder one, nor
 * against facts that were not seen since contact was made.
 */
export function wantedOf(knowledge: Knowledge): Wanted {
  const { instance, facts } = knowledge
  const wanted: { -readonly [K in Keeper]?: string } = {}
  if (isSayable(knowledge)) wanted.status = canonical(statusOf(knowledge))
  if (knowledge.phase === 'deleting') return wanted
  if (specProblem(instance)) return wanted
  wanted.finalizer = 'held'
  if (!isClaimed(instance)) return wanted
  const { spec } = instance
  if (spec.install && facts.installation) wanted.installation = canonical(spec.install)
  const { credentials, controlPlane, virtualCluster, registration, roleBindings } = facts
  if (!credentials?.ok || !controlPlane?.ok || !isDistinct(facts)) return wanted
  if (virtualCluster)
    wanted.virtualCluster = canonical([credentials.fingerprint, controlPlane.id, spec.index])
  if (registration && exists(virtualCluster))
    wanted.registration = canonical([spec.alias, credentials.endpoint])
  if (roleBindings) wanted.roleBindings = canonical([controlPlane.id, roleBindings.revision])
  return wanted
}

/**
 * Whether the status may be written: when all is assessed, or when there is none yet and the finalizer is in place or
 * cannot be put there. Before that, two writes would chase each other over one version of the CR.
 */
function isSayable({ instance, facts, work, phase }: Knowledge): boolean {
  const claimed = isClaimed(instance) || phase === 'deleting'
  if (!claimed) return specProblem(instance) !== undefined || work.finalizer?.failure !== undefined
  return isAssessed(facts) || !instance.status?.phase
}

/** What our watches show of each keeper's work, in the same spelling as the outcome of its effect. */
export function observedOf(
  { instance, facts }: Pick<Knowledge, 'instance' | 'facts'>,
  keeper: Keeper,
): string {
  switch (keeper) {
    case 'finalizer':
      return isClaimed(instance) ? 'held' : 'missing'
    case 'installation':
      return revisionOf(facts.installation)
    case 'virtualCluster':
      return revisionOf(facts.virtualCluster)
    case 'registration':
      return revisionOf(facts.registration)
    case 'roleBindings':
      // What stands there is not known, only that it was disturbed (`roleBindings.disturbed`); the effect looks for itself.
      return 'unwatched'
    case 'status':
      return statusRevision(instance)
  }
}

/** Objects are immutable, and the revision of one is asked for by several guards on every event. */
const revisions = new WeakMap<object, string>()

/** A CR's status without the times, which say when and not what. */
export function statusRevision({ status = {} }: Pick<Instance, 'status'>): string {
  const known = revisions.get(status)
  if (known !== undefined) return known
  const revision = timelessRevision(status)
  revisions.set(status, revision)
  return revision
}

function timelessRevision(status: NonNullable<Instance['status']>): string {
  const { conditions, ...rest } = status
  const timeless = conditions?.map(
    ({ type, status, reason, message }): ConditionFact => ({ type, status, reason, message }),
  )
  return canonical(timeless ? { ...rest, conditions: timeless } : rest)
}

/**
 * Whether a keeper has work to do. It has none if what it wants was made and our watch shows exactly what the making
 * left behind, or shows the wanted itself.
 */
export function isDue(knowledge: Knowledge, keeper: Keeper): boolean {
  const wanted = knowledge.wanted[keeper]
  if (wanted === undefined) return false
  const observed = observedOf(knowledge, keeper)
  const { tried, outcome } = knowledge.work[keeper] ?? untried
  return observed !== wanted && !(tried === wanted && outcome === observed)
}

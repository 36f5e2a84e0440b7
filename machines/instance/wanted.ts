import type { Instance } from '../../manifests/instance.js'
import { canonical, sameText } from '../canonical.js'
import type { InstanceContext, Wanted } from './context.js'
import {
  exists,
  type Facts,
  isAssessed,
  isClaimed,
  isDistinct,
  isKarmada,
  isReachedWithCurrent,
  mayHaveRoleBindings,
  specProblem,
} from './facts.js'
import type { ConditionFact } from './requirements.js'
import { statusOf } from './status.js'
import { type Reconciler, untried } from './task.js'

const revisionOf = (object: Facts['registration']): string =>
  object === undefined
    ? 'unseen'
    : object === 'absent'
      ? 'absent'
      : `${object.revision}${object.deleting ? ' deleting' : ''}`

/**
 * Pure: from all that is known to all that should be. Nothing is made outside
 * - before the CR carries our finalizer,
 * - for a control plane that an older Instance manages, or of which that is not known,
 * - for a cluster that is no Karmada,
 * - while what answers under the current kubeconfig is not known to be this control plane,
 * - where the watch that would show it is silent.
 */
export function wantedOf(context: InstanceContext): Wanted {
  const { instance, facts } = context
  const wanted: { -readonly [K in Reconciler]?: string } = {}
  if (mayWriteStatus(context)) wanted.status = sameText(context.wanted.status, canonical(statusOf(context)))
  if (context.phase === 'deleting') return wanted
  if (specProblem(instance)) return wanted
  wanted.finalizer = 'held'
  if (!isClaimed(instance)) return wanted
  const { spec } = instance
  if (spec.install && facts.installation) wanted.installation = canonical(spec.install)
  const { credentials, controlPlane, virtualCluster, registration, roleBindings } = facts
  if (!credentials?.ok || !controlPlane?.ok || !isDistinct(facts) || !isReachedWithCurrent(facts))
    return wanted
  // Rights that were given inside can be taken back whatever became of the aggregated API.
  if (roleBindings && (isKarmada(facts) || mayHaveRoleBindings(instance)))
    wanted.roleBindings = canonical([controlPlane.id, roleBindings.revision])
  if (!isKarmada(facts)) return wanted
  if (virtualCluster)
    wanted.virtualCluster = canonical([credentials.fingerprint, controlPlane.id, spec.index])
  if (registration && exists(virtualCluster))
    wanted.registration = canonical([spec.alias, credentials.endpoint])
  return wanted
}

/**
 * Whether the status may be written: when all is assessed, or when there is none yet and the finalizer is in place or
 * cannot be put there. Before that, two writes would chase each other over one version of the CR.
 */
function mayWriteStatus({ instance, facts, work, phase }: InstanceContext): boolean {
  const claimed = isClaimed(instance) || phase === 'deleting'
  if (!claimed) return specProblem(instance) !== undefined || work.finalizer?.failure !== undefined
  return isAssessed(facts) || !instance.status?.phase
}

/** What our watches show of each reconciler's work, in the same spelling as the outcome of its effect. */
export function observedOf(
  { instance, facts }: Pick<InstanceContext, 'instance' | 'facts'>,
  reconciler: Reconciler,
): string {
  switch (reconciler) {
    case 'finalizer':
      return isClaimed(instance) ? 'held' : 'missing'
    case 'installation':
      return revisionOf(facts.installation)
    case 'virtualCluster':
      return revisionOf(facts.virtualCluster)
    case 'registration':
      return revisionOf(facts.registration)
    case 'roleBindings':
      // The present RBAC is not known, only that it was changed (`roleBindings.rbacChanged`); the effect looks for itself.
      return 'unwatched'
    case 'status':
      return statusRevision(instance)
  }
}

/** Objects are immutable, and several guards compare the revision of one on every event. */
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
 * Whether a reconciler has work to do. It has none if what it wants was made and our watch shows exactly what the making
 * left behind, or shows the wanted itself.
 */
export function isDue(context: InstanceContext, reconciler: Reconciler): boolean {
  const wanted = context.wanted[reconciler]
  if (wanted === undefined) return false
  const observed = observedOf(context, reconciler)
  const { tried, outcome } = context.work[reconciler] ?? untried
  return observed !== wanted && !(tried === wanted && outcome === observed)
}

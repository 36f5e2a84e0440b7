import { bindingName } from '../names.js'
import {
  type Binding,
  bindingScopeOf,
  type FullBindingStatus,
  isPlaced,
} from '../objects/resource-binding.js'
import { targetsOf } from '../propagation/work-of.js'
import { QUOTA_EXCEEDED } from '../quota/usage.js'
import { schedule } from '../scheduling/schedule.js'
import { schedulingTrigger } from '../scheduling/triggers.js'
import { broken, done, type Finding, type LinkedObject, linkTo, nameOf, quoting, waiting } from './link.js'
import { missingClusters, missingText } from './missing-clusters.js'
import type { Propagated } from './propagated.js'
import { fixOfRefusals, refusalCounts } from './refusals.js'

/** Whether the template has its binding. */
export function bindingLink({ template, binding }: Propagated): Finding {
  if (!template) return waiting('NoTemplate', 'There is no template to bind.')
  const expected = expectedBinding(template.kind, template.metadata)
  if (!binding)
    return waiting(
      'NoBindingYet',
      `Karmada has not made ${nameOf(expected)} yet.`,
      expected,
      'If this lasts longer than a few seconds, see whether karmada-controller-manager runs.',
    )
  const object = linkTo(binding)
  const { resource } = binding.spec
  if (
    resource.kind !== template.kind ||
    resource.apiVersion.split('/')[0] !== template.apiVersion.split('/')[0]
  )
    return broken(
      'BindingOfOtherType',
      `${nameOf(object)} belongs to a ${resource.kind} of ${resource.apiVersion}: kinds of one name share the name of their bindings.`,
      'Rename one of the two objects.',
      object,
    )
  if (resource.uid !== undefined && resource.uid !== template.metadata.uid)
    return waiting(
      'BindingOfEarlierObject',
      `${nameOf(object)} belongs to an earlier object of this name, and goes with it.`,
      object,
    )
  if (binding.metadata.deletionTimestamp)
    return waiting('BindingDeleting', `${nameOf(object)} is being deleted.`, object)
  return done('Bound', `${nameOf(object)} says what is to be propagated.`, object)
}

/** Whether the scheduler has chosen clusters, and if not, which filter refused which cluster. */
export function schedulingLink(propagated: Propagated): Finding {
  const { binding, clusters, bindings = [], areClustersUnlisted = false } = propagated
  if (!binding) return waiting('NoBinding', 'There is no binding to schedule.')
  const object = linkTo(binding)
  const { spec, status, metadata } = binding
  if (spec.suspension?.scheduling)
    return broken(
      'SchedulingSuspended',
      'Scheduling is suspended.',
      'Clear spec.suspension.scheduling of the binding.',
      object,
    )
  if (!isPlaced(binding)) return followingLink(binding, object)
  const { schedulerName = 'default-scheduler' } = spec
  const condition = status?.conditions?.find(({ type }) => type === 'Scheduled')
  const missing = areClustersUnlisted ? [] : missingClusters(binding.spec.placement, clusters)
  if (condition?.status === 'False' && areClustersUnlisted && condition.reason !== QUOTA_EXCEEDED)
    return quoting(
      condition.message,
      broken(condition.reason, `${condition.message} ${UNLISTED}`, FIX_OF_UNLISTED, object),
    )
  if (condition?.status === 'False') {
    const { verdicts } = schedule(binding.spec, status ?? {}, clusters, { bindings: () => bindings })
    const counts = condition.reason === QUOTA_EXCEEDED ? '' : refusalCounts(verdicts)
    const found = broken(
      condition.reason,
      `${condition.message}${counts ? ` Now ${counts}.` : ''}${missingText(missing)}`,
      fixOfRefusals(condition.reason, verdicts, missing),
      object,
    )
    return quoting(condition.message, found)
  }
  const targets = targetsOf(binding)
  if (condition?.status !== 'True' && targets.length === 0)
    return waiting(
      'NotScheduledYet',
      `${schedulerName} has not chosen clusters yet.`,
      object,
      schedulerName === 'default-scheduler'
        ? 'If this lasts longer than a few seconds, see whether karmada-scheduler runs.'
        : `See whether the scheduler ${schedulerName} runs: the policy names it.`,
    )
  if (targets.length === 0)
    return broken(
      'NoClusters',
      'It was scheduled, and no cluster runs any of it.',
      'See whether the template wants replicas, and whether its clusters were removed or drained.',
      object,
    )
  if (isBehind(status, metadata.generation) && schedulingTrigger(binding, clusters))
    return waiting('NotScheduledYet', `${schedulerName} has not looked at the last change yet.`, object)
  return done('Scheduled', `It goes to ${clusterList(targets)}.${missingText(missing)}`, object)
}

const UNLISTED =
  'Which filters refuse which clusters is unknown: it takes the right to list clusters.cluster.karmada.io, which the caller lacks.'
const FIX_OF_UNLISTED =
  'Correct the policy as the message says, or have it traced by a caller who may list clusters.cluster.karmada.io.'

/** A binding that was attached to what a workload needs is not scheduled: it goes where the workload goes. */
function followingLink(binding: Binding, object: LinkedObject): Finding {
  const targets = targetsOf(binding)
  const owners = (binding.spec.requiredBy ?? []).map(({ name }) => name).join(', ')
  if (targets.length > 0)
    return done('FollowsWorkloads', `It goes where ${owners} goes: ${clusterList(targets)}.`, object)
  return owners
    ? waiting('WorkloadsNotScheduled', `It goes where ${owners} goes, which has no clusters yet.`, object)
    : waiting('NeededByNothing', 'No policy places it, and no workload needs it.', object)
}

const isBehind = (status: FullBindingStatus | undefined, generation = 0): boolean =>
  (status?.schedulerObservedGeneration ?? 0) < generation

const clusterList = (targets: readonly { readonly name: string; readonly replicas?: number }[]): string =>
  targets.map(({ name, replicas }) => (replicas ? `${name} (${replicas})` : name)).join(', ')

function expectedBinding(kind: string, metadata: { name: string; namespace?: string }): LinkedObject {
  const scope = bindingScopeOf({ apiVersion: '', kind: '', metadata })
  return {
    apiVersion: `${scope.type.group}/${scope.type.version}`,
    kind: scope.kind,
    ...(metadata.namespace && { namespace: metadata.namespace }),
    name: bindingName(kind, metadata.name),
  }
}

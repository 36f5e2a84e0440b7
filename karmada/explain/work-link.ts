import type { Condition } from '../../manifests/kube.js'
import { executionNamespace, workName } from '../names.js'
import type { Cluster } from '../objects/cluster.js'
import type { Work } from '../objects/work.js'
import { targetsOf, workOf } from '../propagation/work-of.js'
import { broken, done, type Finding, type LinkedObject, linkTo, nameOf, quoting, waiting } from './link.js'
import type { Propagated } from './propagated.js'
import { NOT_REPORTED, unreachableBecause } from './unreachable.js'

/** Whether a cluster has its Work, and whether Karmada could apply it there. */
export function workLink(propagated: Propagated, name: string): Finding {
  const { template, clusters, works } = propagated
  const cluster = clusters.find(({ metadata }) => metadata.name === name)
  if (!cluster)
    return broken(
      'ClusterNotFound',
      `Cluster ${name} is not joined any more.`,
      'Join it again, or change the placement.',
      { apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', name },
    )
  const namespace = executionNamespace(name)
  const expected: LinkedObject = {
    apiVersion: 'work.karmada.io/v1alpha1',
    kind: 'Work',
    namespace,
    name: template ? workName(template.kind, template.metadata.name, template.metadata.namespace) : '',
  }
  const work = works.find(one => one.metadata.namespace === namespace && one.metadata.name === expected.name)
  const problem = overrideProblem(propagated, cluster, work)
  if (problem !== undefined)
    return quoting(
      problem,
      broken(
        'OverrideFailed',
        `An override policy cannot be applied: ${problem}.${work ? ' The cluster keeps what it had before.' : ''}`,
        `Correct the override policy; Karmada ${work ? 'does not change the' : 'makes no'} Work for the cluster until it can be applied.`,
        expected,
      ),
    )
  if (work) return appliedLink(work, cluster)
  return waiting(
    'NoWorkYet',
    `Karmada has not made ${nameOf(expected)} yet.`,
    expected,
    'If this lasts longer than a few seconds, see whether karmada-controller-manager runs.',
  )
}

/** Why an override cannot be applied: it keeps Karmada from making the Work, or from changing it. */
function overrideProblem(
  { binding, template, overrides }: Propagated,
  cluster: Cluster,
  work: Work | undefined,
): string | undefined {
  const target = binding && targetsOf(binding).find(one => one.name === cluster.metadata.name)
  if (!binding || !template || !target) return undefined
  try {
    workOf(binding, template, target, cluster, overrides, work)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function appliedLink(work: Work, cluster: Cluster): Finding {
  const object = linkTo(work)
  if (work.metadata.deletionTimestamp)
    return waiting('WorkDeleting', `${nameOf(object)} is being deleted.`, object)
  const applied = conditionOf(work.status?.conditions, 'Applied')
  if (work.spec.suspendDispatching)
    return broken(
      'DispatchingSuspended',
      'Dispatching is suspended: the cluster keeps what it has.',
      'Clear suspension.dispatching of the policy, or the cluster in dispatchingOnClusters.',
      object,
    )
  const unreachable = unreachableBecause(cluster)
  if (applied?.status === 'False')
    return quoting(
      applied.message,
      broken(applied.reason, applied.message, unreachable ? READY_FIX : applyFix(applied.message), object),
    )
  if (unreachable !== undefined) {
    const found = broken(
      'ClusterNotReady',
      `Cluster ${cluster.metadata.name} is not ready: ${unreachable}.${applied ? ' It had the object when it was last reached.' : ''}`,
      READY_FIX,
      object,
    )
    return unreachable === NOT_REPORTED ? found : quoting(unreachable, found)
  }
  if (!applied) return waiting('NotAppliedYet', 'Karmada has not applied it to the cluster yet.', object)
  return done('Applied', 'Karmada applied it to the cluster.', object)
}

const READY_FIX =
  'See the conditions of the Cluster, and whether its API server can be reached from the control plane.'

/** Karmada's own words for what keeps it from applying an object, and what helps. */
function applyFix(message: string): string {
  if (/already exist|conflict/i.test(message))
    return 'The member has an object of this name that Karmada did not make: set conflictResolution: Overwrite in the policy to take it over, or delete it there.'
  if (/no matches for kind|could not find the requested resource/i.test(message))
    return 'The member does not serve this type: install its definition there.'
  if (/forbidden/i.test(message))
    return 'The member’s API server refuses Karmada: see its admission rules, quotas and Karmada’s rights.'
  if (/namespaces? .* not found/i.test(message))
    return 'The namespace is missing in the member: let Karmada propagate it, or create it there.'
  return 'Correct the template or its overrides as the member’s API server says.'
}

const conditionOf = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find(one => one.type === type)

import type { DuplicateReason } from '../../manifests/instance.js'
import type { Condition } from '../../manifests/kube.js'
import type { Failure } from '../failure.js'
import type { InstanceContext } from './context.js'
import { type Answer, exists, type Facts, type FirstInstance, isClaimed, specProblem } from './facts.js'
import { leftInside } from './left-behind.js'
import { untried } from './task.js'

/** A condition without its times, which only the one who writes it down knows. */
export type ConditionFact = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

/** Whether something holds, and why. */
export type Judgement = Omit<ConditionFact, 'type'>

/** The requirements of an instance, one condition each. */
export type RequirementName =
  | 'Accepted'
  | 'Installed'
  | 'CredentialsResolved'
  | 'ControlPlaneHealthy'
  | 'AggregatedAPIHealthy'
  | 'VirtualClusterSynced'
  | 'Registered'
  | 'RoleBindingsMaterialized'
  | 'CallersImpersonated'
  | 'StatisticsCurrent'

interface Requirement {
  readonly name: RequirementName
  /**
   * `required`: without it there is no ready. `explains`: what does not hold because of it is required. `informs`: kept
   * current and reported.
   */
  readonly role: 'required' | 'explains' | 'informs'
  /** Whether it concerns this instance; it does unless stated. */
  readonly concerns?: (context: InstanceContext) => boolean
  readonly judge: (context: InstanceContext) => Judgement
}

const holds = (reason: string, message: string): Judgement => ({ status: 'True', reason, message })
const broken = ({ reason, message }: Pick<Failure, 'message'> & { readonly reason: string }): Judgement => ({
  status: 'False',
  reason,
  message,
})
const unknown = (message: string, reason = 'NotYetObserved'): Judgement => ({
  status: 'Unknown',
  reason,
  message,
})

/**
 * All requirements, each after those that it rests on: the first that does not hold is the root cause of the others. Both
 * `ready` and the conditions are read from here.
 */
const requirements: readonly Requirement[] = [
  { name: 'Accepted', role: 'required', judge: accepted },
  {
    name: 'Installed',
    role: 'explains',
    concerns: ({ instance }) => instance.spec?.install !== undefined,
    judge: context =>
      outside(context, 'installation', {
        what: 'the Karmada object',
        withoutVerdict: broken({
          reason: 'Progressing',
          message: 'karmada-operator has not reported yet',
        }),
      }),
  },
  {
    name: 'CredentialsResolved',
    role: 'required',
    judge: ({ facts }) =>
      answered(facts.credentials, {
        waiting: 'the Secret was not read yet',
        good: ({ endpoint }) => ['Resolved', `the kubeconfig leads to ${endpoint}`],
      }),
  },
  {
    name: 'ControlPlaneHealthy',
    role: 'required',
    judge: ({ facts }) =>
      answered(facts.controlPlane, {
        waiting: 'the control plane was not reached yet',
        good: ({ kubernetesVersion }) => ['Healthy', `/readyz answers ok, Kubernetes ${kubernetesVersion}`],
      }),
  },
  {
    name: 'AggregatedAPIHealthy',
    role: 'required',
    judge: ({ facts }) =>
      answered(facts.aggregatedApi, {
        waiting: 'cluster.karmada.io was not probed yet',
        good: () => ['Healthy', 'cluster.karmada.io is served'],
      }),
  },
  {
    name: 'VirtualClusterSynced',
    role: 'required',
    judge: context =>
      confirmedByCanary(
        outside(context, 'virtualCluster', {
          what: 'the PediaCluster',
          withoutVerdict: broken({
            reason: 'NotYetSynced',
            message: 'Container Management has not reported yet',
          }),
        }),
        context.facts.index,
      ),
  },
  {
    name: 'Registered',
    role: 'required',
    judge: context =>
      outside(context, 'registration', {
        what: 'the InstanceRegistration',
        withoutVerdict: holds('Published', 'published; Global Management has not answered'),
      }),
  },
  { name: 'RoleBindingsMaterialized', role: 'informs', judge: roleBindings },
  {
    name: 'CallersImpersonated',
    role: 'informs',
    concerns: context =>
      context.facts.impersonation !== undefined || writtenOf(context, 'CallersImpersonated') !== undefined,
    judge: context =>
      context.facts.impersonation === undefined
        ? lastWritten(context, 'CallersImpersonated', unknown('no caller has come yet'))
        : answered(context.facts.impersonation, {
            waiting: '',
            good: () => ['Allowed', 'the control plane lets Kairship impersonate callers'],
          }),
  },
  {
    name: 'StatisticsCurrent',
    role: 'informs',
    judge: context =>
      context.facts.statistics === undefined
        ? lastWritten(context, 'StatisticsCurrent', unknown('not gathered yet'))
        : answered(context.facts.statistics, {
            waiting: '',
            good: () => ['Current', 'statistics follow the control plane'],
          }),
  },
]

/** A requirement as it stands. */
export interface Judged extends Judgement {
  readonly name: RequirementName
  readonly role: Requirement['role']
}

/** Contexts are immutable, and a guard, the status and the view ask on every event. */
const judged = new WeakMap<InstanceContext, readonly Judged[]>()

/** Pure: how all requirements stand, causes first. */
export function judgementsOf(context: InstanceContext): readonly Judged[] {
  const known = judged.get(context)
  if (known) return known
  const found = requirements
    .filter(({ concerns }) => concerns?.(context) ?? true)
    .map(({ name, role, judge }) => ({ name, role, ...judge(context) }))
  judged.set(context, found)
  return found
}

/** The next context, of which is known that it stands as the one before: what its requirements are judged by did not change. */
export function judgedAs(next: InstanceContext, before: InstanceContext): InstanceContext {
  const known = judged.get(before)
  if (known) judged.set(next, known)
  return next
}

/**
 * Pure: what keeps an instance from being ready, the root cause first; empty when nothing does. What explains a missing
 * requirement is among them.
 */
export function missingOf(context: InstanceContext): readonly Judged[] {
  const missing = judgementsOf(context).filter(({ role, status }) => role !== 'informs' && status !== 'True')
  return missing.some(({ role }) => role === 'required') ? missing : []
}

/** The three facts of the design and what they rest on, observed since contact was made. */
export const isWhole = (context: InstanceContext): boolean => missingOf(context).length === 0

function answered<T>(
  answer: Answer<T> | undefined,
  { waiting, good }: { waiting: string; good: (answer: T) => [reason: string, message: string] },
): Judgement {
  if (answer === undefined) return unknown(waiting)
  return answer.ok ? holds(...good(answer)) : broken(answer.failure)
}

function accepted({ instance, facts, work }: InstanceContext): Judgement {
  const problem = specProblem(instance)
  if (problem) return broken({ reason: 'InvalidSpec', message: problem })
  const first = facts.duplicate?.first
  if (first) return broken(duplicate(first))
  // Also when no success was seen: an attempt whose answer was lost failed, and may have been executed.
  if (isClaimed(instance)) return holds('Accepted', 'the instance is under management')
  if (work.finalizer?.failure) return broken(work.finalizer.failure)
  return unknown('waiting for our finalizer', 'AwaitingFinalizer')
}

/** True whatever stands there: of a plain cluster the older Instance manages nothing, and is the first all the same. */
function duplicate({ name, shares }: FirstInstance): {
  readonly reason: DuplicateReason
  readonly message: string
} {
  const leadsTo = (what: string) =>
    `the kubeconfig of instance ${name}, which is older, leads to ${what}; delete one of the two`
  return shares === 'endpoint'
    ? { reason: 'DuplicateEndpoint', message: leadsTo('the same endpoint') }
    : {
        reason: 'DuplicateControlPlane',
        message: leadsTo('the same control plane (same kube-system uid)'),
      }
}

/**
 * So many writes in a row may fail before an object that is seen to be well counts as broken, in an instance that is ready:
 * the API server of the host may be restarting, and what the object does does not depend on the write.
 */
const FAILED_WRITES_TOLERATED = 2

/** An object of ours outside: made, watched, and judged by its owner. */
function outside(
  { facts, work, phase }: InstanceContext,
  of: 'installation' | 'virtualCluster' | 'registration',
  { what, withoutVerdict }: { what: string; withoutVerdict: Judgement },
): Judgement {
  const object = facts[of]
  const { failure, attempts } = work[of] ?? untried
  const tolerated = phase === 'ready' && attempts <= FAILED_WRITES_TOLERATED && exists(object)
  const silence = facts.silence?.[of]
  if (silence) return unknown(silence.message, silence.reason)
  if (failure && !tolerated) return broken(failure)
  if (object === undefined) return unknown(`${what} was not observed yet`)
  if (object === 'absent') return broken({ reason: 'NotCreated', message: `${what} does not exist yet` })
  if (object.deleting) return broken({ reason: 'Deleting', message: `${what} is being deleted` })
  if (!object.verdict) return withoutVerdict
  const { holds: good, reason, message } = object.verdict
  return good ? holds(reason, message) : broken({ reason, message })
}

/** What an index claims of itself holds as far as the canary does not contradict it. */
function confirmedByCanary(claimed: Judgement, index: Facts['index']): Judgement {
  if (claimed.status !== 'True' || index === undefined) return claimed
  if (!index.ok) return broken(index.failure)
  if (index.unmeasured === undefined) return claimed
  return { ...claimed, message: `${claimed.message}; how far behind is not measured: ${index.unmeasured}` }
}

const writtenOf = ({ instance }: InstanceContext, name: RequirementName) =>
  instance.status?.conditions?.find(({ type }) => type === name)

/** What an earlier leader found out is kept until this process has probed. */
function lastWritten(context: InstanceContext, name: RequirementName, otherwise: Judgement): Judgement {
  const before = writtenOf(context, name)
  if (!before) return otherwise
  const { status, reason, message } = before
  return { status, reason, message }
}

function roleBindings(context: InstanceContext): Judgement {
  const { facts, work, phase } = context
  const name = 'RoleBindingsMaterialized'
  if (phase === 'deleting') {
    const removal = work.removingRoleBindings?.failure
    if (removal) return broken({ reason: 'RemovalAbandoned', message: leftInside(removal) })
    return lastWritten(context, name, unknown('being removed', 'Deleting'))
  }
  const { failure, outcome } = work.roleBindings ?? {}
  if (failure) return broken(failure)
  if (outcome === undefined)
    return lastWritten(context, name, unknown('waiting for the control plane and for Global Management'))
  const { count = 0 } = facts.roleBindings ?? {}
  return holds('Materialized', `${count} role ${count === 1 ? 'binding' : 'bindings'} in effect inside`)
}

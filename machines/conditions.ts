import type { InstancePhase, InstanceStatus } from '../manifests/instance.js'
import type { Condition } from '../manifests/kube.js'
import type { InstanceState } from '../ports/fleet.js'
import { type Answer, type Facts, isClaimed, specProblem } from './facts.js'
import type { Failure } from './failure.js'
import type { Knowledge } from './knowledge.js'
import type { Step } from './task.js'

/** A condition without its times, which only the one who writes it down knows. */
export type ConditionFact = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

/** The status without its times. */
export type StatusFact = Omit<InstanceStatus, 'conditions'> & {
  readonly conditions: readonly ConditionFact[]
}

/** The conditions of an Instance, in the order in which they come true. */
export type ConditionType =
  | 'Accepted'
  | 'CredentialsResolved'
  | 'Installed'
  | 'ControlPlaneHealthy'
  | 'AggregatedAPIHealthy'
  | 'VirtualClusterSynced'
  | 'Registered'
  | 'RoleBindingsMaterialized'
  | 'StatisticsCurrent'
  | 'Ready'

/** Without one of these there is no ready; the others are kept current and only told. */
const required: readonly ConditionType[] = [
  'Accepted',
  'CredentialsResolved',
  'ControlPlaneHealthy',
  'AggregatedAPIHealthy',
  'VirtualClusterSynced',
  'Registered',
]

const holds = (type: ConditionType, reason: string, message: string): ConditionFact => ({
  type,
  status: 'True',
  reason,
  message,
})
const broken = (
  type: ConditionType,
  { reason, message }: Pick<Failure, 'message'> & { reason: string },
): ConditionFact => ({
  type,
  status: 'False',
  reason,
  message,
})
const unknown = (type: ConditionType, message: string, reason = 'NotYetObserved'): ConditionFact => ({
  type,
  status: 'Unknown',
  reason,
  message,
})

const answered = <T>(
  type: ConditionType,
  answer: Answer<T> | undefined,
  { waiting, good }: { waiting: string; good: (answer: T) => [reason: string, message: string] },
): ConditionFact =>
  answer === undefined
    ? unknown(type, waiting)
    : answer.ok
      ? holds(type, ...good(answer))
      : broken(type, answer.failure)

function accepted({ instance, facts, work }: Knowledge): ConditionFact {
  const problem = specProblem(instance)
  if (problem) return broken('Accepted', { reason: 'InvalidSpec', message: problem })
  const elder = facts.duplicate?.elder
  if (elder)
    return elder.shares === 'endpoint'
      ? broken('Accepted', {
          reason: 'DuplicateEndpoint',
          message: `instance ${elder.name} already manages this endpoint and is older; delete one of the two`,
        })
      : broken('Accepted', {
          reason: 'DuplicateControlPlane',
          message: `instance ${elder.name} already manages this control plane (same kube-system uid) and is older; delete one of the two`,
        })
  // Whoever put it there: a try whose answer was lost failed, and may have done it.
  if (isClaimed(instance)) return holds('Accepted', 'Accepted', 'the instance is under management')
  if (work.finalizer?.failure) return broken('Accepted', work.finalizer.failure)
  return unknown('Accepted', 'waiting for our finalizer', 'AwaitingFinalizer')
}

/** An object of ours outside: made, watched, and judged by its owner. */
function outside(
  type: ConditionType,
  of: 'installation' | 'virtualCluster' | 'registration',
  {
    facts,
    work,
    what,
    unspoken,
  }: Pick<Knowledge, 'facts' | 'work'> & { what: string; unspoken: ConditionFact },
): ConditionFact {
  const object = facts[of]
  const failure = work[of]?.failure
  const silence = facts.silence?.[of]
  if (silence) return unknown(type, silence.message, silence.reason)
  if (failure) return broken(type, failure)
  if (object === undefined) return unknown(type, `nothing heard of ${what} yet`)
  if (object === 'absent')
    return broken(type, { reason: 'NotCreated', message: `${what} does not exist yet` })
  if (object.deleting) return broken(type, { reason: 'Deleting', message: `${what} is being deleted` })
  if (!object.verdict) return unspoken
  const { holds: good, reason, message } = object.verdict
  return good ? holds(type, reason, message) : broken(type, { reason, message })
}

/** What an index claims of itself holds as far as the canary does not contradict it. */
function borneOut(claimed: ConditionFact, index: Facts['index']): ConditionFact {
  if (claimed.status !== 'True' || index === undefined) return claimed
  if (!index.ok) return broken('VirtualClusterSynced', index.failure)
  if (index.unmeasured === undefined) return claimed
  return { ...claimed, message: `${claimed.message}; how far behind is not measured: ${index.unmeasured}` }
}

/** What the leader found out before must not be lost just because this process has not asked yet. */
function remembered({ instance }: Knowledge, otherwise: ConditionFact): ConditionFact {
  const before = instance.status?.conditions?.find(({ type }) => type === otherwise.type)
  if (!before) return otherwise
  const { type, status, reason, message } = before
  return { type, status, reason, message }
}

/** What could not be removed from an unreachable control plane is left behind, and said so. */
const abandoned = (failure: Failure): ConditionFact =>
  broken('RoleBindingsMaterialized', {
    reason: 'RemovalAbandoned',
    message: `RBAC objects labelled kairship.io/role-binding and the ConfigMap kairship-index-canary in kube-system were left inside: ${failure.message}`,
  })

function roleBindings(knowledge: Knowledge): ConditionFact {
  const { facts, work, phase } = knowledge
  const type = 'RoleBindingsMaterialized'
  if (phase === 'deleting') {
    const removal = work.removingRoleBindings?.failure
    return removal ? abandoned(removal) : remembered(knowledge, unknown(type, 'being removed', 'Deleting'))
  }
  const mine = work.roleBindings
  if (mine?.failure) return broken(type, mine.failure)
  if (mine?.outcome === undefined)
    return remembered(knowledge, unknown(type, 'waiting for the control plane and for Global Management'))
  const { count = 0 } = facts.roleBindings ?? {}
  return holds(type, 'Materialized', `${count} role ${count === 1 ? 'binding' : 'bindings'} in effect inside`)
}

const stepNames: Record<Step, string> = {
  unpublishing: 'withdrawing the registration',
  removingRoleBindings: 'removing role bindings',
  deletingVirtualCluster: 'deleting the virtual cluster',
  uninstalling: 'uninstalling the control plane',
  releasing: 'removing the finalizer',
}

function ready({ phase, work }: Knowledge, parts: readonly ConditionFact[]): ConditionFact {
  if (phase === 'deleting') {
    const stuck = (Object.keys(stepNames) as Step[]).findLast(step => work[step]?.failure)
    const why = stuck ? `${stepNames[stuck]}: ${work[stuck]?.failure?.message}` : 'cleaning up'
    return broken('Ready', { reason: 'Deleting', message: why })
  }
  const missing = brokenParts(parts)
  const [first] = missing
  if (!first) return holds('Ready', 'Ready', 'reads, writes and synchronization work')
  return broken('Ready', {
    reason: first.reason,
    message: missing.map(({ type, message }) => `${type}: ${message}`).join('; '),
  })
}

/** The required conditions that do not hold; empty is what makes an instance ready. */
export const brokenParts = (parts: readonly ConditionFact[]): readonly ConditionFact[] =>
  parts.filter(({ type, status }) => status !== 'True' && required.includes(type as ConditionType))

/** Knowledge is immutable, and its conditions are asked for by a guard, the status and the view on every event. */
const drawn = new WeakMap<Knowledge, readonly ConditionFact[]>()

/** Pure: what is known, as conditions in a fixed order, `Ready` last. */
export function conditionsOf(knowledge: Knowledge): readonly ConditionFact[] {
  const conditions = drawn.get(knowledge) ?? conditionsDrawnFrom(knowledge)
  drawn.set(knowledge, conditions)
  return conditions
}

function conditionsDrawnFrom(knowledge: Knowledge): readonly ConditionFact[] {
  const { instance, facts, work } = knowledge
  const parts = [
    accepted(knowledge),
    answered('CredentialsResolved', facts.credentials, {
      waiting: 'the Secret was not read yet',
      good: ({ endpoint }) => ['Resolved', `connected to ${endpoint}`],
    }),
    ...(instance.spec?.install
      ? [
          outside('Installed', 'installation', {
            facts,
            work,
            what: 'the Karmada object',
            unspoken: broken('Installed', {
              reason: 'Progressing',
              message: 'karmada-operator has not reported yet',
            }),
          }),
        ]
      : []),
    answered('ControlPlaneHealthy', facts.controlPlane, {
      waiting: 'the control plane was not reached yet',
      good: ({ kubernetesVersion }) => ['Healthy', `/readyz answers ok, Kubernetes ${kubernetesVersion}`],
    }),
    answered('AggregatedAPIHealthy', facts.aggregatedApi, {
      waiting: 'cluster.karmada.io was not asked yet',
      good: () => ['Healthy', 'cluster.karmada.io is served'],
    }),
    borneOut(
      outside('VirtualClusterSynced', 'virtualCluster', {
        facts,
        work,
        what: 'the PediaCluster',
        unspoken: broken('VirtualClusterSynced', {
          reason: 'NotYetSynced',
          message: 'Container Management has not reported yet',
        }),
      }),
      facts.index,
    ),
    outside('Registered', 'registration', {
      facts,
      work,
      what: 'the InstanceRegistration',
      unspoken: holds('Registered', 'Published', 'published; Global Management has not answered'),
    }),
    roleBindings(knowledge),
    facts.statistics === undefined
      ? remembered(knowledge, unknown('StatisticsCurrent', 'not gathered yet'))
      : answered('StatisticsCurrent', facts.statistics, {
          waiting: '',
          good: () => ['Current', 'statistics follow the control plane'],
        }),
  ]
  return [...parts, ready(knowledge, parts)]
}

/** The three facts of the design and what they rest on, observed since contact was made. */
export const isWhole = (knowledge: Knowledge): boolean => brokenParts(conditionsOf(knowledge)).length === 0

const phases: Record<InstanceState, InstancePhase> = {
  registering: 'Registering',
  virtualClusterSynced: 'VirtualClusterSynced',
  ready: 'Ready',
  degraded: 'Degraded',
  deleting: 'Deleting',
}

/** What the control plane notes of itself, else what was installed; many an adopted Karmada tells nobody. */
const karmadaVersionIn = ({ controlPlane, installation }: Facts): string | undefined =>
  (controlPlane?.ok ? controlPlane.karmadaVersion : undefined) ??
  (typeof installation === 'object' ? installation.version : undefined)

/** Pure: the status that should stand in the CR. What is not known now keeps the value it had. */
export function statusOf(knowledge: Knowledge): StatusFact {
  const { instance, facts, phase } = knowledge
  const before = instance.status ?? {}
  const { credentials, controlPlane, statistics } = facts
  const known = {
    observedGeneration: instance.metadata.generation ?? before.observedGeneration,
    phase: phases[phase],
    endpoint: credentials?.ok ? credentials.endpoint : before.endpoint,
    controlPlaneID: controlPlane?.ok ? controlPlane.id : before.controlPlaneID,
    kubernetesVersion: controlPlane?.ok ? controlPlane.kubernetesVersion : before.kubernetesVersion,
    karmadaVersion: karmadaVersionIn(facts) ?? before.karmadaVersion,
    summary: statistics?.ok ? statistics.summary : before.summary,
  }
  const entries = Object.entries(known).filter(([, value]) => value !== undefined)
  return {
    ...(Object.fromEntries(entries) as Omit<StatusFact, 'conditions'>),
    conditions: conditionsOf(knowledge),
  }
}

/** Gives conditions their times: `lastTransitionTime` is kept while `status` stays the same. */
export function stamped(
  facts: readonly ConditionFact[],
  {
    before = [],
    now,
    generation,
  }: { before: readonly Condition[] | undefined; now: string; generation: number | undefined },
): readonly Condition[] {
  return facts.map(fact => {
    const last = before.find(({ type }) => type === fact.type)
    const lastTransitionTime = last?.status === fact.status ? last.lastTransitionTime : now
    return {
      ...fact,
      lastTransitionTime,
      ...(generation !== undefined && { observedGeneration: generation }),
    }
  })
}

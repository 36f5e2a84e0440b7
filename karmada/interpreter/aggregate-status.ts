import type { MemberStatus, Status } from '../objects/member-status.js'
import { aggregatedJobStatus } from './job-status.js'
import { mergedIngress } from './load-balancer.js'
import { type Resource, typeOf } from './workload.js'

/** @param now when a condition that is new began, RFC 3339 */
type Aggregate = (template: Resource, members: readonly MemberStatus[], now: string) => Status

/** The highest-ranking phase of any member is the phase of all. */
const PHASES = {
  pod: ['Failed', 'Pending', 'Running', 'Succeeded'],
  volume: ['Failed', 'Pending', 'Available', 'Bound', 'Released'],
} as const

const rules: Readonly<Record<string, Aggregate>> = {
  'apps/v1 Deployment': summed(
    ...['replicas', 'readyReplicas', 'updatedReplicas', 'availableReplicas', 'unavailableReplicas'],
  ),
  'apps/v1 ReplicaSet': summed('replicas', 'readyReplicas', 'availableReplicas'),
  'apps/v1 StatefulSet': summed(
    ...['availableReplicas', 'currentReplicas', 'readyReplicas', 'replicas', 'updatedReplicas'],
  ),
  'apps/v1 DaemonSet': summed(
    ...['currentNumberScheduled', 'desiredNumberScheduled', 'numberAvailable', 'numberMisscheduled'],
    ...['numberReady', 'updatedNumberScheduled', 'numberUnavailable'],
  ),
  'batch/v1 Job': aggregatedJobStatus,
  'batch/v1 CronJob': (_, members) => ({
    active: known(members).flatMap(({ active }) => (active as readonly unknown[] | undefined) ?? []),
    ...latest(members, 'lastScheduleTime'),
    ...latest(members, 'lastSuccessfulTime'),
  }),
  'v1 Service': ({ spec, status = {} }, members) =>
    spec?.type === 'LoadBalancer' ? { loadBalancer: { ingress: mergedIngress(ingressOf(members)) } } : status,
  'networking.k8s.io/v1 Ingress': (_, members) => ({
    loadBalancer: { ingress: mergedIngress(ingressOf(members)) },
  }),
  'v1 Pod': (_, members) => ({
    ...phaseOf(members, PHASES.pod),
    containerStatuses: containersOf(members, 'containerStatuses'),
    initContainerStatuses: containersOf(members, 'initContainerStatuses'),
  }),
  'v1 PersistentVolume': (_, members) => phaseOf(members, PHASES.volume),
  'v1 PersistentVolumeClaim': (_, members) => {
    const phases = known(members).map(({ phase = '' }) => phase)
    // The last member that is not bound has the word, but one that lost its volume before it.
    const unbound = phases.findLast(phase => phase !== 'Bound')
    return { phase: phases.includes('Lost') ? 'Lost' : (unbound ?? 'Bound') }
  },
  'policy/v1 PodDisruptionBudget': (_, members) => ({
    ...sums(members, ['currentHealthy', 'desiredHealthy', 'expectedPods', 'disruptionsAllowed']),
    disruptedPods: Object.fromEntries(
      members.flatMap(({ clusterName, status }) =>
        Object.entries((status?.disruptedPods as object | undefined) ?? {}).map(([pod, time]) => [
          `${clusterName}/${pod}`,
          time as unknown,
        ]),
      ),
    ),
  }),
  'autoscaling/v2 HorizontalPodAutoscaler': (_, members) =>
    sums(members, ['currentReplicas', 'desiredReplicas']),
}

/**
 * A template's status made of what its members report (`AggregateStatus`).
 * @param now the time of new conditions, RFC 3339
 * @returns undefined for kinds whose template keeps its status
 */
export const aggregatedStatus = (
  template: Resource,
  members: readonly MemberStatus[],
  now: string,
): Status | undefined => rules[typeOf(template)]?.(template, members, now)

/** Adds up; the template's generation counts as observed when every member has observed what was made of it. */
function summed(...fields: readonly string[]): Aggregate {
  return ({ apiVersion, kind, metadata, status = {} }, members) => {
    const { generation = 0 } = metadata
    // Karmada compares a StatefulSet's generation in the member with that of the member itself.
    const isOfMember = `${apiVersion} ${kind}` === 'apps/v1 StatefulSet'
    const isCaughtUp = ({ status: member }: MemberStatus): boolean =>
      member !== undefined &&
      count(member.observedGeneration) >= count(member.generation) &&
      count(member.resourceTemplateGeneration) >= (isOfMember ? count(member.generation) : generation)
    const observedGeneration = members.every(isCaughtUp) ? generation : count(status.observedGeneration)
    return { ...status, ...sums(members, fields), observedGeneration }
  }
}

const sums = (members: readonly MemberStatus[], fields: readonly string[]): Status =>
  Object.fromEntries(
    fields.map(field => [field, known(members).reduce((sum, status) => sum + count(status[field]), 0)]),
  )

const count = (value: unknown): number => (typeof value === 'number' ? value : 0)

const known = (members: readonly MemberStatus[]): readonly Status[] =>
  members.flatMap(({ status }) => (status ? [status] : []))

const ingressOf = (members: readonly MemberStatus[]): readonly unknown[] =>
  known(members).flatMap(
    ({ loadBalancer }) => (loadBalancer as { ingress?: unknown[] } | undefined)?.ingress ?? [],
  )

function latest(members: readonly MemberStatus[], field: string): Status {
  const times = known(members).flatMap(status => (typeof status[field] === 'string' ? [status[field]] : []))
  const last = times.sort().at(-1)
  return last === undefined ? {} : { [field]: last }
}

function phaseOf(members: readonly MemberStatus[], ranking: readonly string[]): Status {
  const phases = new Set(members.map(({ status }) => (status ? status.phase : 'Pending')))
  const phase = ranking.find(one => phases.has(one))
  return phase === undefined ? {} : { phase }
}

const containersOf = (members: readonly MemberStatus[], field: string): readonly Status[] =>
  known(members)
    .flatMap(status => (status[field] as readonly Status[] | undefined) ?? [])
    .map(({ ready = false, state = {} }) => ({ ready, state }))

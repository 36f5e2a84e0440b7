import type { KubeObject } from '../../manifests/kube.js'
import { bindingName } from '../names.js'
import type { Binding } from '../objects/resource-binding.js'
import { sameJson } from '../same-json.js'

/** `workloadrebalancers.apps.karmada.io/v1alpha1`. */
export const REBALANCERS = {
  group: 'apps.karmada.io',
  version: 'v1alpha1',
  resource: 'workloadrebalancers',
} as const

/** apps.karmada.io/v1alpha1 WorkloadRebalancer: has workloads scheduled as if for the first time, once. */
export interface WorkloadRebalancer extends KubeObject {
  readonly spec: {
    readonly workloads: readonly Workload[]
    readonly ttlSecondsAfterFinished?: number
  }
  readonly status?: RebalancerStatus
}

export interface RebalancerStatus {
  readonly observedWorkloads?: readonly ObservedWorkload[]
  readonly observedGeneration?: number
  readonly finishTime?: string
}

export interface Workload {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

export interface ObservedWorkload {
  readonly workload: Workload
  readonly result?: 'Failed' | 'Successful'
  readonly reason?: 'ReferencedBindingNotFound'
}

/** The workloads of a rebalancer with what became of each so far: those done before stay, also when they are no longer named. */
export function observedWorkloads({ spec, status }: WorkloadRebalancer): readonly ObservedWorkload[] {
  const before = status?.observedWorkloads ?? []
  const isNamed = ({ workload }: ObservedWorkload) => spec.workloads.some(one => sameJson(one, workload))
  const kept = before.filter(one => isNamed(one) || one.result === 'Successful')
  const added = spec.workloads.filter(
    (one, at) =>
      spec.workloads.findIndex(other => sameJson(other, one)) === at &&
      !before.some(({ workload }) => sameJson(workload, one)),
  )
  return [...kept, ...added.map(workload => ({ workload }))].sort((a, b) =>
    textOf(a.workload) < textOf(b.workload) ? -1 : 1,
  )
}

const textOf = ({ apiVersion, kind, namespace = '', name }: Workload): string =>
  `${apiVersion} ${kind} ${namespace} ${name}`

/** Where a workload's binding is. */
export const bindingPlaceOf = ({ kind, namespace, name }: Workload) => ({
  name: bindingName(kind, name),
  ...(namespace && { namespace }),
})

/** The binding with the request to be rescheduled; the same object when it has a later request. */
export function rescheduled(binding: Binding, { metadata }: WorkloadRebalancer): Binding {
  const { rescheduleTriggeredAt: before } = binding.spec
  const { creationTimestamp: now = '' } = metadata
  if (before !== undefined && Date.parse(now) <= Date.parse(before)) return binding
  return { ...binding, spec: { ...binding.spec, rescheduleTriggeredAt: now } }
}

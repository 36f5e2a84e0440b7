import type { KubeObject } from '../../../manifests/kube.js'
import type { Pod, PodTemplate } from '../../objects/core.js'
import { PODS } from '../../objects/core-types.js'
import { controllerReference, type IntOrPercent } from '../workloads.js'
import type { Change, Note, Plan } from './plan.js'

/** The condition of a pod, if it is true: since when, in milliseconds. */
function trueSince(pod: Pod, type: string): number | undefined {
  const condition = pod.status?.conditions?.find(one => one.type === type)
  if (condition?.status !== 'True') return undefined
  return Date.parse(condition.lastTransitionTime ?? '') || 0
}

export const isReady = (pod: Pod): boolean => trueSince(pod, 'Ready') !== undefined
export const isTerminating = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined
export const hasSucceeded = ({ status }: Pod): boolean => status?.phase === 'Succeeded'
export const hasFailed = ({ status }: Pod): boolean => status?.phase === 'Failed'
export const hasFinished = (pod: Pod): boolean => hasSucceeded(pod) || hasFailed(pod)
export const isActive = (pod: Pod): boolean => !hasFinished(pod) && !isTerminating(pod)

/**
 * Ready for at least as many seconds as its workload asks for.
 * @returns 0 when available, the milliseconds until it is, or undefined while it is not ready
 */
export function availableIn(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const since = trueSince(pod, 'Ready')
  if (since === undefined) return undefined
  return minReadySeconds === 0 ? 0 : Math.max(0, since + minReadySeconds * 1000 - now)
}

/** How many pods are ready, and available; and when the next becomes available. */
export function countPods(pods: readonly Pod[], minReadySeconds: number, now: number) {
  const waits = pods.map(pod => availableIn(pod, minReadySeconds, now)).filter(wait => wait !== undefined)
  const later = waits.filter(wait => wait > 0)
  return {
    ready: waits.length,
    available: waits.length - later.length,
    again: later.length === 0 ? undefined : Math.min(...later),
  }
}

/** A pod as a controller makes it of its owner's template. */
export function podOf(owner: KubeObject, template: PodTemplate, name: Partial<Pod['metadata']>): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      namespace: owner.metadata.namespace ?? '',
      ...name,
      ownerReferences: [controllerReference(owner)],
    } as Pod['metadata'],
    ...(template.spec && { spec: template.spec }),
  }
}

/** A pod to make, and what its owner says of it. */
export const createPod = (pod: Pod): Change => ({
  create: PODS,
  object: pod,
  noted: ({ metadata }) => note('SuccessfulCreate', `Created pod: ${metadata.name}`),
})

/** Pods to delete, and what their owner says of them. */
export const deletePods = (pods: readonly Pod[]): Required<Pick<Plan, 'changes' | 'notes'>> => ({
  changes: pods.map(object => ({ remove: PODS, object })),
  notes: pods.map(({ metadata }) => note('SuccessfulDelete', `Deleted pod: ${metadata.name}`)),
})

export const note = (reason: string, message: string): Note => ({ type: 'Normal', reason, message })
export const warning = (reason: string, message: string): Note => ({ type: 'Warning', reason, message })

/** An absolute number, or a share of `total`. */
export function scaled(value: IntOrPercent | undefined, total: number, round: 'up' | 'down'): number {
  if (typeof value !== 'string') return value ?? 0
  const share = (Number.parseInt(value, 10) * total) / 100
  return round === 'up' ? Math.ceil(share) : Math.floor(share)
}

/** Fields that are not zero: Kubernetes leaves zeros of most statuses out. */
export const nonZero = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0))

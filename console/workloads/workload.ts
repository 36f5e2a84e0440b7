import type { ClusterProviderSummary, ObjectMeta } from '../../proto/gen/kairship/types_pb.js'
import type { ObjectType } from '../kube/object.js'

/** The kinds of workloads, as addresses name them. */
export const workloadKinds = {
  deployments: { kind: 'Deployment', apiVersion: 'apps/v1' },
  statefulsets: { kind: 'StatefulSet', apiVersion: 'apps/v1' },
  daemonsets: { kind: 'DaemonSet', apiVersion: 'apps/v1' },
  jobs: { kind: 'Job', apiVersion: 'batch/v1' },
  cronjobs: { kind: 'CronJob', apiVersion: 'batch/v1' },
} as const

export type WorkloadKind = keyof typeof workloadKinds

export const isWorkloadKind = (text: unknown): text is WorkloadKind =>
  typeof text === 'string' && Object.hasOwn(workloadKinds, text)

/** The type of a kind's objects. */
export function workloadType(kind: WorkloadKind): ObjectType {
  const { kind: name, apiVersion } = workloadKinds[kind]
  const [group = '', version = ''] = apiVersion.split('/')
  return { group, version, resource: kind, kind: name, isNamespaced: true }
}

/** How a workload is, over all its clusters. */
export type WorkloadState =
  | 'running'
  | 'notReady'
  | 'waiting'
  | 'stopped'
  | 'deleting'
  | 'completed'
  | 'failed'

/** A workload as lists show it, whatever its kind. */
export interface Workload {
  readonly metadata: ObjectMeta | undefined
  readonly state: WorkloadState
  /** Replicas or pods; of a CronJob the clusters that have it. */
  readonly ready: number
  readonly desired: number
  readonly clusters: readonly ClusterProviderSummary[]
  /** Whether it is paused: a rollout that is held, or a schedule. */
  readonly isPaused: boolean
  /** Of its own kind: a CronJob's schedule. */
  readonly note?: string
}

export const workloadKey = ({ metadata }: Workload): string => `${metadata?.namespace}/${metadata?.name}`

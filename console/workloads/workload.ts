import type { ClusterProviderSummary, ObjectMeta, WorkloadState } from '../../proto/gen/kairship/types_pb.js'

/** The kinds of workloads that run pods until they are deleted, as addresses name them. */
export const workloadKinds = {
  deployments: { kind: 'Deployment', apiVersion: 'apps/v1' },
  statefulsets: { kind: 'StatefulSet', apiVersion: 'apps/v1' },
  daemonsets: { kind: 'DaemonSet', apiVersion: 'apps/v1' },
} as const

export type WorkloadKind = keyof typeof workloadKinds

export const isWorkloadKind = (text: unknown): text is WorkloadKind =>
  typeof text === 'string' && Object.hasOwn(workloadKinds, text)

/** A workload as lists show it, whatever its kind. */
export interface Workload {
  readonly metadata: ObjectMeta | undefined
  readonly state: WorkloadState
  readonly ready: number
  readonly desired: number
  readonly clusters: readonly ClusterProviderSummary[]
}

export const workloadKey = ({ metadata }: Workload): string => `${metadata?.namespace}/${metadata?.name}`

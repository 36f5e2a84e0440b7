import type { ClusterProviderSummary, ObjectMeta } from '../../proto/gen/kairship/types_pb.js'

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

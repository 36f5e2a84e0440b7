import type { ClusterProviderSummary, ObjectMeta } from '../../proto/gen/kairship/types_pb.js'

/** The state of a workload over all its clusters. */
export type WorkloadState =
  | 'running'
  | 'notReady'
  | 'waiting'
  | 'stopped'
  | 'deleting'
  | 'completed'
  | 'failed'

/** A workload of any kind, as lists show it. */
export interface Workload {
  readonly metadata: ObjectMeta | undefined
  readonly state: WorkloadState
  /** Ready replicas or pods; of a CronJob the number of clusters that have it. */
  readonly ready: number
  readonly desired: number
  readonly clusters: readonly ClusterProviderSummary[]
  /** A rollout is paused, or a schedule suspended. */
  readonly isPaused: boolean
  /** A detail of its kind, such as a CronJob's schedule. */
  readonly note?: string
}

export const workloadKey = ({ metadata }: Workload): string => `${metadata?.namespace}/${metadata?.name}`

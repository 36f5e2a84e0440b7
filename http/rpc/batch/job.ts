import type { MessageInitShape } from '@bufbuild/protobuf'
import type { KubeObject } from '../../../manifests/kube.js'
import {
  type JobSchema,
  JobSpecSchema,
  JobStatusSchema,
  JobStatus_JobState as State,
} from '../../../proto/gen/kairship/batch_pb.js'
import type { Place } from '../../objects/object-type.js'
import { clusterSummaries, type Distribution, sumOf } from '../distribution/distribution.js'
import { DISTRIBUTED } from '../distribution/follow-distributed.js'
import type { Kind } from '../kind/kind-handlers.js'
import { kubeMessage } from '../kind/kube-message.js'
import { milliseconds, objectMeta } from '../kind/object-meta.js'

/** batch/v1 Job, as far as its state is read from it. */
export interface Job extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: {
    readonly active?: number
    readonly succeeded?: number
    readonly failed?: number
    readonly startTime?: string
    readonly completionTime?: string
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

type JobMessage = MessageInitShape<typeof JobSchema>

/** Jobs. */
export const jobs: Kind<Job, JobMessage, Distribution | undefined> = {
  type: { group: 'batch', version: 'v1', resource: 'jobs', kind: 'Job', namespaced: true },
  message: jobMessage,
  ...DISTRIBUTED,
}

/** @param distribution absent for a Job of a member cluster */
export function jobMessage(job: Job, place: Place, distribution?: Distribution): JobMessage {
  const { spec, status = {} } = job
  return {
    metadata: objectMeta(job, place),
    spec: kubeMessage(JobSpecSchema, spec),
    status: {
      ...kubeMessage(JobStatusSchema, status),
      succeed: status.succeeded ?? 0,
      active: activePods(job, distribution),
      phase: jobState(job, distribution),
      clusters: distribution ? clusterSummaries(distribution) : [],
    },
    executionTimestamp: milliseconds(status.startTime),
  }
}

/** How a Job stands. One that is finished stays so, whatever becomes of its clusters. */
export function jobState(job: Job, distribution?: Distribution): State {
  const { metadata, status } = job
  const isTrue = (wanted: string) =>
    (status?.conditions ?? []).some(({ type, status }) => type === wanted && status === 'True')
  if (metadata.deletionTimestamp) return State.Deleting
  if (isTrue('Failed')) return State.Failed
  if (isTrue('Complete')) return State.Completed
  return activePods(job, distribution) > 0 ? State.Running : State.Waiting
}

const activePods = ({ status }: Job, distribution: Distribution | undefined): number =>
  distribution?.placed === true ? sumOf(distribution.shares, 'active') : (status?.active ?? 0)

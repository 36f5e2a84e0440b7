import type { MessageInitShape } from '@bufbuild/protobuf'
import { podSpecOf } from '../../../karmada/interpreter/workload.js'
import type { KubeObject } from '../../../manifests/kube.js'
import {
  type CronJobSchema,
  CronJobSpecSchema,
  CronJobStatus_CronJobState as State,
} from '../../../proto/gen/kairship/batch_pb.js'
import type { Place } from '../../objects/object-type.js'
import { clusterSummaries, type Distribution } from '../distribution/distribution.js'
import { DISTRIBUTED } from '../distribution/follow-distributed.js'
import type { Kind } from '../kind/kind-handlers.js'
import { kubeMessage } from '../kind/kube-message.js'
import { milliseconds, objectMeta } from '../kind/object-meta.js'

/** batch/v1 CronJob, as far as its state is read from it. */
export interface CronJob extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>> & { readonly suspend?: boolean }
  readonly status?: {
    readonly lastScheduleTime?: string
    readonly active?: readonly { readonly name?: string }[]
  }
}

type CronJobMessage = MessageInitShape<typeof CronJobSchema>

/** CronJobs. */
export const cronJobs: Kind<CronJob, CronJobMessage, Distribution | undefined> = {
  type: { group: 'batch', version: 'v1', resource: 'cronjobs', kind: 'CronJob', namespaced: true },
  message: cronJobMessage,
  ...DISTRIBUTED,
}

/** @param distribution absent for a CronJob of a member cluster */
export function cronJobMessage(cronJob: CronJob, place: Place, distribution?: Distribution): CronJobMessage {
  const { spec, status } = cronJob
  const shares = distribution?.shares ?? []
  return {
    metadata: objectMeta(cronJob, place),
    spec: { ...kubeMessage(CronJobSpecSchema, spec), paused: spec?.suspend ?? false },
    status: {
      phase: cronJobState(cronJob, distribution),
      conditions: (status?.active ?? []).map(({ name = '' }) => ({ jobName: name })),
      clusters: distribution ? clusterSummaries(distribution) : [],
    },
    availed: shares.filter(({ applied, reachable }) => applied && reachable).length,
    total: shares.length,
    executionTimestamp: milliseconds(status?.lastScheduleTime),
    images: imagesOf(cronJob),
  }
}

/** Activated when a cluster that Karmada reaches runs it; in a member, always. */
export function cronJobState({ metadata, spec }: CronJob, distribution?: Distribution): State {
  if (metadata.deletionTimestamp) return State.Deleting
  if (spec?.suspend) return State.Stopped
  if (!distribution || distribution.placed === 'unknown') return State.Activated
  return distribution.shares.some(({ applied, reachable }) => applied && reachable)
    ? State.Activated
    : State.Waiting
}

/** Each image once, in the order of the containers, init containers first. */
function imagesOf(cronJob: CronJob): string[] {
  const { initContainers = [], containers = [] } = (podSpecOf(cronJob) ?? {}) as WithImages
  return [...new Set([...initContainers, ...containers].flatMap(({ image }) => image ?? []))]
}

interface WithImages {
  readonly initContainers?: readonly { readonly image?: string }[]
  readonly containers?: readonly { readonly image?: string }[]
}

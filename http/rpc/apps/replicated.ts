import type { KubeObject } from '../../../manifests/kube.js'
import { WorkloadState } from '../../../proto/gen/kairship/types_pb.js'
import { type Distribution, sumOf } from '../distribution/distribution.js'

/** apps/v1 Deployment and StatefulSet, as far as their state is read from them. */
export interface Replicated extends KubeObject {
  readonly spec?: { readonly replicas?: number }
  readonly status?: {
    readonly observedGeneration?: number
    readonly readyReplicas?: number
    readonly availableReplicas?: number
  }
}

/** The API server sets one replica where a manifest says nothing. */
export const wantedBy = ({ spec }: Replicated): number => spec?.replicas ?? 1

/**
 * How many replicas are wanted, ready and available: of a template over the clusters that it was given to, ready and available
 * only where Karmada reaches them.
 */
export function countsOf(workload: Replicated, distribution: Distribution | undefined) {
  const { readyReplicas = 0, availableReplicas = 0 } = workload.status ?? {}
  if (distribution?.placed !== true)
    return { desired: wantedBy(workload), ready: readyReplicas, available: availableReplicas }
  const { shares } = distribution
  return {
    desired: shares.reduce((sum, { replicas }) => sum + replicas, 0),
    ready: sumOf(shares, 'readyReplicas'),
    available: sumOf(shares, 'availableReplicas'),
  }
}

/**
 * Running when all wanted replicas are ready, of this very spec, in clusters that Karmada reaches.
 * @param isCurrent whether what was reported is about this very spec
 */
export function replicatedState(
  workload: Replicated,
  distribution?: Distribution,
  isCurrent = isObserved(workload),
): WorkloadState {
  const { metadata } = workload
  const { desired, ready } = countsOf(workload, distribution)
  if (metadata.deletionTimestamp) return WorkloadState.DELETING
  if (wantedBy(workload) === 0) return WorkloadState.STOPPED
  if (!hasReport(workload, distribution)) return WorkloadState.WAITING
  return isCurrent && ready >= desired ? WorkloadState.RUNNING : WorkloadState.NOT_READY
}

/** Whether the status is about this very spec. */
export const isObserved = ({
  metadata,
  status,
}: KubeObject & { readonly status?: { readonly observedGeneration?: number } }): boolean =>
  (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0)

/** Whether anything was reported of it: by one of its clusters, or by the control plane of a member. */
export function hasReport(
  { status }: { readonly status?: { readonly observedGeneration?: number } },
  distribution: Distribution | undefined,
): boolean {
  if (distribution && distribution.placed !== 'unknown')
    return distribution.shares.some(share => share.status !== undefined)
  return status?.observedGeneration !== undefined
}

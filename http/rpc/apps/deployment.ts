import type { MessageInitShape } from '@bufbuild/protobuf'
import type { KubeObject } from '../../../manifests/kube.js'
import {
  type DeploymentSchema,
  DeploymentSpecSchema,
  DeploymentStatusSchema,
} from '../../../proto/gen/kairship/apps_pb.js'
import { WorkloadState } from '../../../proto/gen/kairship/types_pb.js'
import type { Place } from '../../objects/object-type.js'
import { clusterSummaries, type Distribution, sumOf } from '../distribution.js'
import { DISTRIBUTED } from '../follow-distributed.js'
import type { Kind } from '../kind-handlers.js'
import { kubeMessage } from '../kube-message.js'
import { objectMeta } from '../object-meta.js'

/** apps/v1 Deployment, as far as its state is read from it. */
export interface Deployment extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly paused?: boolean }
  readonly status?: {
    readonly observedGeneration?: number
    readonly readyReplicas?: number
    readonly availableReplicas?: number
  }
}

type DeploymentMessage = MessageInitShape<typeof DeploymentSchema>

/** Deployments. */
export const deployments: Kind<Deployment, DeploymentMessage, Distribution | undefined> = {
  type: {
    ...{ group: 'apps', version: 'v1', resource: 'deployments' },
    ...{ kind: 'Deployment', namespaced: true },
  },
  message: deploymentMessage,
  ...DISTRIBUTED,
}

/** Set by the Deployment controller of a member. */
const REVISION = 'deployment.kubernetes.io/revision'

/** @param distribution absent for a Deployment of a member cluster */
export function deploymentMessage(
  deployment: Deployment,
  place: Place,
  distribution?: Distribution,
): DeploymentMessage {
  const { metadata, spec, status } = deployment
  const counts = countsOf(deployment, distribution)
  return {
    metadata: objectMeta(deployment, place),
    spec: kubeMessage(DeploymentSpecSchema, { ...spec, replicas: wantedBy(deployment) }),
    status: {
      ...kubeMessage(DeploymentStatusSchema, status),
      readyReplicas: counts.ready,
      availableReplicas: counts.available,
      desiredReplicas: counts.desired,
      state: deploymentState(deployment, distribution),
      clusters: distribution ? clusterSummaries(distribution) : [],
    },
    revision: BigInt(/^\d{1,18}$/.exec(metadata.annotations?.[REVISION] ?? '')?.[0] ?? 0),
  }
}

/** The API server sets one replica where a manifest says nothing. */
const wantedBy = ({ spec }: Deployment): number => spec?.replicas ?? 1

function countsOf(deployment: Deployment, distribution: Distribution | undefined) {
  const { readyReplicas = 0, availableReplicas = 0 } = deployment.status ?? {}
  if (distribution?.placed !== true)
    return { desired: wantedBy(deployment), ready: readyReplicas, available: availableReplicas }
  const { shares } = distribution
  return {
    desired: shares.reduce((sum, { replicas }) => sum + replicas, 0),
    ready: sumOf(shares, 'readyReplicas'),
    available: sumOf(shares, 'availableReplicas'),
  }
}

/** Running when all wanted replicas are ready, of this very spec, in clusters that Karmada reaches. */
export function deploymentState(deployment: Deployment, distribution?: Distribution): WorkloadState {
  const { metadata, status } = deployment
  const { desired, ready } = countsOf(deployment, distribution)
  if (metadata.deletionTimestamp) return WorkloadState.DELETING
  if (wantedBy(deployment) === 0) return WorkloadState.STOPPED
  if (!hasReport(deployment, distribution)) return WorkloadState.WAITING
  const isObserved = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  return isObserved && ready >= desired ? WorkloadState.RUNNING : WorkloadState.NOT_READY
}

function hasReport({ status }: Deployment, distribution: Distribution | undefined): boolean {
  if (distribution && distribution.placed !== 'unknown')
    return distribution.shares.some(share => share.status !== undefined)
  return status?.observedGeneration !== undefined
}

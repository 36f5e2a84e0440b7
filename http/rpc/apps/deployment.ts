import type { MessageInitShape } from '@bufbuild/protobuf'
import {
  type DeploymentSchema,
  DeploymentSpecSchema,
  DeploymentStatusSchema,
} from '../../../proto/gen/kairship/apps_pb.js'
import type { Place } from '../../objects/object-type.js'
import { clusterSummaries, type Distribution } from '../distribution/distribution.js'
import { DISTRIBUTED } from '../distribution/follow-distributed.js'
import type { Kind } from '../kind/kind-handlers.js'
import { kubeMessage } from '../kind/kube-message.js'
import { objectMeta } from '../kind/object-meta.js'
import { DEPLOYMENT } from '../kind/object-types.js'
import { countsOf, type Replicated, replicatedState, wantedBy } from './replicated.js'

/** apps/v1 Deployment, as far as its state is read from it. */
export interface Deployment extends Replicated {
  readonly spec?: { readonly replicas?: number; readonly paused?: boolean }
}

type DeploymentMessage = MessageInitShape<typeof DeploymentSchema>

/** Deployments. */
export const deployments: Kind<Deployment, DeploymentMessage, Distribution | undefined> = {
  type: DEPLOYMENT,
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
      state: replicatedState(deployment, distribution),
      clusters: distribution ? clusterSummaries(distribution) : [],
    },
    revision: BigInt(/^\d{1,18}$/.exec(metadata.annotations?.[REVISION] ?? '')?.[0] ?? 0),
  }
}

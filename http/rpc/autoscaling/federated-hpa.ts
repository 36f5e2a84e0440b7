import type { MessageInitShape } from '@bufbuild/protobuf'
import type { KubeObject } from '../../../manifests/kube.js'
import {
  type FederatedHPASchema,
  FederatedHPASpecSchema,
  FederatedHPAStatusSchema,
  FederatedHPAStatus_Phase as Phase,
} from '../../../proto/gen/kairship/autoscaling_pb.js'
import { SortBy } from '../../../proto/gen/kairship/types_pb.js'
import type { Place } from '../../objects/object-type.js'
import type { Kind } from '../kind/kind-handlers.js'
import { kubeMessage } from '../kind/kube-message.js'
import { objectMeta } from '../kind/object-meta.js'

/** autoscaling.karmada.io/v1alpha1 FederatedHPA, as far as its target, metrics and state are read from it. */
export interface FederatedHpa extends KubeObject {
  readonly spec?: {
    readonly scaleTargetRef?: { readonly kind?: string; readonly name?: string }
    readonly metrics?: readonly Metric[]
  }
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
    readonly currentMetrics?: readonly Metric[]
  }
}

/** autoscaling/v2 MetricSpec or MetricStatus. */
interface Metric {
  readonly resource?: { readonly name?: string }
  readonly containerResource?: { readonly name?: string }
}

type FederatedHpaMessage = MessageInitShape<typeof FederatedHPASchema>

/** FederatedHPAs. Karmada itself acts on them, so they have no distribution. */
export const federatedHpas: Kind<FederatedHpa, FederatedHpaMessage> = {
  type: {
    ...{ group: 'autoscaling.karmada.io', version: 'v1alpha1', resource: 'federatedhpas' },
    ...{ kind: 'FederatedHPA', namespaced: true },
  },
  message: federatedHpaMessage,
  sort: { [SortBy.state]: hpa => Phase[federatedHpaPhase(hpa)] },
}

/** A FederatedHPA as the API shows it. */
export function federatedHpaMessage(hpa: FederatedHpa, place: Place): FederatedHpaMessage {
  const { spec, status } = hpa
  return {
    metadata: objectMeta(hpa, place),
    spec: kubeMessage(FederatedHPASpecSchema, { ...spec, metrics: withResourceNames(spec?.metrics) }),
    status: {
      ...kubeMessage(FederatedHPAStatusSchema, {
        ...status,
        currentMetrics: withResourceNames(status?.currentMetrics),
      }),
      phase: federatedHpaPhase(hpa),
    },
  }
}

/** The conditions without which Karmada's controller does not scale; ScalingLimited only says that it would like to more. */
const NEEDED = ['AbleToScale', 'ScalingActive']

/** Ready when Karmada says that it can scale the target and has a metric to scale it by. */
export function federatedHpaPhase({ status }: FederatedHpa): Phase {
  const conditions = status?.conditions ?? []
  if (conditions.length === 0) return Phase.PHASE_UNSPECIFIED
  const isTrue = (wanted: string) =>
    conditions.some(({ type, status }) => type === wanted && status === 'True')
  return NEEDED.every(isTrue) ? Phase.Ready : Phase.NotReady
}

/** The contract's `name` is one of two; `resourceName` is any. */
const withResourceNames = (metrics: readonly Metric[] = []): readonly object[] =>
  metrics.map(({ resource, containerResource, ...metric }) => ({
    ...metric,
    ...(resource && { resource: { ...resource, resourceName: resource.name } }),
    ...(containerResource && {
      containerResource: { ...containerResource, resourceName: containerResource.name },
    }),
  }))

import type { MessageInitShape } from '@bufbuild/protobuf'
import { claimOf } from '../../../karmada/matching/policies.js'
import type { Binding } from '../../../karmada/objects/resource-binding.js'
import {
  BindingSpecSchema,
  BindingStatusSchema,
  type ResourceBindingSchema,
} from '../../../proto/gen/kairship/propagation_pb.js'
import type { Place } from '../../objects/object-type.js'
import type { Kind } from '../kind/kind-handlers.js'
import { kubeMessage } from '../kind/kube-message.js'
import { objectMeta } from '../kind/object-meta.js'
import { CLUSTER_RESOURCE_BINDING, RESOURCE_BINDING } from '../kind/object-types.js'

/** ResourceBindings and ClusterResourceBindings have the same fields. */
type BindingMessage = Pick<MessageInitShape<typeof ResourceBindingSchema>, 'metadata' | 'spec' | 'status'>

/** ResourceBindings. */
export const resourceBindings: Kind<Binding, BindingMessage> = {
  type: RESOURCE_BINDING,
  message: bindingMessage,
}

/** ClusterResourceBindings. */
export const clusterResourceBindings: typeof resourceBindings = {
  ...resourceBindings,
  type: CLUSTER_RESOURCE_BINDING,
}

export function bindingMessage(binding: Binding, place: Place): BindingMessage {
  const { spec, status } = binding
  const claim = claimOf(binding)
  return {
    metadata: objectMeta(binding, place),
    spec: {
      ...kubeMessage(BindingSpecSchema, spec),
      ...(claim && { policy: { kind: claim.kind, namespace: claim.namespace ?? '', name: claim.name } }),
    },
    status: {
      ...kubeMessage(BindingStatusSchema, status),
      aggregatedStatus: (status?.aggregatedStatus ?? []).map(report => ({
        clusterName: report.clusterName,
        status: report.status ? JSON.stringify(report.status) : '',
        applied: report.applied ?? false,
        appliedMessage: report.appliedMessage ?? '',
        health: report.health ?? '',
      })),
    },
  }
}

/** What lists of bindings are filtered by. Empty texts mean any. */
export interface BindingFilter {
  readonly kind: string
  readonly kindName: string
  readonly targetCluster: string
}

/** Whether a binding is of the wanted templates and cluster. */
export const isWanted =
  ({ kind, kindName, targetCluster }: BindingFilter) =>
  ({ spec }: Binding): boolean =>
    (!kind || spec.resource.kind === kind) &&
    (!kindName || spec.resource.name === kindName) &&
    (!targetCluster || goesTo(spec, targetCluster))

/** A template also goes where those go that need it. */
const goesTo = ({ clusters = [], requiredBy = [] }: Binding['spec'], wanted: string): boolean =>
  [...clusters, ...requiredBy.flatMap(other => other.clusters ?? [])].some(({ name }) => name === wanted)

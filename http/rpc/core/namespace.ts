import type { MessageInitShape } from '@bufbuild/protobuf'
import { isReservedNamespace } from '../../../karmada/matching/propagated.js'
import type { KubeObject } from '../../../manifests/kube.js'
import {
  type NamespaceSchema,
  NamespaceSpecSchema,
  NamespaceStatusSchema,
} from '../../../proto/gen/kairship/core_pb.js'
import type { Place } from '../../objects/object-type.js'
import type { Kind } from '../kind/kind-handlers.js'
import { kubeMessage } from '../kind/kube-message.js'
import { objectMeta } from '../kind/object-meta.js'
import { NAMESPACE } from '../kind/object-types.js'

/** v1 Namespace. */
export interface Namespace extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] }
  readonly status?: { readonly phase?: string }
}

type NamespaceMessage = MessageInitShape<typeof NamespaceSchema>

/** Namespaces. */
export const namespaces: Kind<Namespace, NamespaceMessage> = {
  type: NAMESPACE,
  message: namespaceMessage,
}

export function namespaceMessage(namespace: Namespace, place: Place): NamespaceMessage {
  return {
    metadata: objectMeta(namespace, place),
    spec: kubeMessage(NamespaceSpecSchema, namespace.spec),
    status: kubeMessage(NamespaceStatusSchema, namespace.status),
    system: isReservedNamespace(namespace.metadata.name),
  }
}

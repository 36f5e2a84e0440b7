import type { MessageInitShape } from '@bufbuild/protobuf'
import type { KubeObject } from '../../../manifests/kube.js'
import { type ServiceSchema, ServiceSpecSchema } from '../../../proto/gen/kairship/core_pb.js'
import type { Place } from '../../objects/object-type.js'
import { clusterSummaries, type Distribution } from '../distribution/distribution.js'
import { DISTRIBUTED } from '../distribution/follow-distributed.js'
import type { Kind } from '../kind/kind-handlers.js'
import { kubeMessage } from '../kind/kube-message.js'
import { objectMeta } from '../kind/object-meta.js'

/** v1 Service, as far as its selector and type are read from it. */
export interface Service extends KubeObject {
  readonly spec?: { readonly type?: string; readonly selector?: Readonly<Record<string, string>> }
}

type ServiceMessage = MessageInitShape<typeof ServiceSchema>

/** Services. */
export const services: Kind<Service, ServiceMessage, Distribution | undefined> = {
  type: { group: '', version: 'v1', resource: 'services', kind: 'Service', namespaced: true },
  message: serviceMessage,
  ...DISTRIBUTED,
}

/** @param distribution absent for a Service of a member cluster */
export function serviceMessage(service: Service, place: Place, distribution?: Distribution): ServiceMessage {
  return {
    metadata: objectMeta(service, place),
    spec: kubeMessage(ServiceSpecSchema, service.spec),
    status: { clusters: distribution ? clusterSummaries(distribution) : [] },
  }
}

/** Whether a Service sends to pods with these labels. One without a selector sends to none that it chose. */
export function selectsPods({ spec }: Service, labels: Readonly<Record<string, string>>): boolean {
  const selector = Object.entries(spec?.selector ?? {})
  return selector.length > 0 && selector.every(([key, value]) => labels[key] === value)
}

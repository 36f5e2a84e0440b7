import type { MessageInitShape } from '@bufbuild/protobuf'
import type { KubeObject } from '../../../manifests/kube.js'
import { ConfigMapSchema } from '../../../proto/gen/kairship/core_pb.js'
import type { Place } from '../../objects/object-type.js'
import { clusterSummaries, type Distribution } from '../distribution/distribution.js'
import { DISTRIBUTED } from '../distribution/follow-distributed.js'
import type { Kind } from '../kind/kind-handlers.js'
import { kubeMessage } from '../kind/kube-message.js'
import { objectMeta } from '../kind/object-meta.js'

type ConfigMapMessage = MessageInitShape<typeof ConfigMapSchema>

/** ConfigMaps. */
export const configMaps: Kind<KubeObject, ConfigMapMessage, Distribution | undefined> = {
  type: { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true },
  message: configMapMessage,
  ...DISTRIBUTED,
}

/** @param distribution absent for a ConfigMap of a member cluster */
export function configMapMessage(
  configMap: KubeObject,
  place: Place,
  distribution?: Distribution,
): ConfigMapMessage {
  return {
    ...kubeMessage(ConfigMapSchema, configMap),
    metadata: objectMeta(configMap, place),
    status: { clusters: distribution ? clusterSummaries(distribution) : [] },
  }
}

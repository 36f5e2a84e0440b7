import type { CoreService } from '../../../proto/gen/kairship/core_pb.js'
import type { Objects } from '../../objects/objects.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { kindHandlers } from '../kind/kind-handlers.js'
import { mergePatchedJson } from '../kind/merge-patched.js'
import { watchKind } from '../kind/watch-kind.js'
import { configMaps } from './config-map.js'

/** ConfigMaps of instances. */
export function configMapHandlers(objects: Objects) {
  const of = kindHandlers(objects, configMaps)
  return {
    listInstanceConfigMaps: of.list,
    listConfigMaps: of.list,
    watchConfigMaps: watchKind(of, 'configMap'),
    getConfigMap: of.get,
    getConfigMapJSON: of.json,
    createConfigMap: of.create,
    updateConfigMap: of.update,
    deleteConfigMap: of.remove,

    patchConfigMap: (request, call) =>
      mergePatchedJson(objects, configMaps, request, call, { data: request.data }),
  } satisfies Partial<ServiceHandlers<typeof CoreService>>
}

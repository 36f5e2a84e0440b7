import type { CoreService } from '../../../proto/gen/kairship/core_pb.js'
import { invalidFields } from '../../errors/failure.js'
import type { Objects } from '../../objects/objects.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { kindHandlers } from '../kind/kind-handlers.js'
import { mergePatchedJson } from '../kind/merge-patched.js'
import { watchKind } from '../kind/watch-kind.js'
import { listedSecrets, secrets } from './secret.js'

/** Secrets of instances and their members. Only what names one Secret answers with its values. */
export function secretHandlers(objects: Objects) {
  const of = kindHandlers(objects, secrets)
  const listed = kindHandlers(objects, listedSecrets)
  return {
    listInstanceSecrets: listed.list,
    listSecrets: listed.list,
    listSecretsForMemberCluster: listed.list,
    watchSecrets: watchKind(listed, 'secret'),
    getSecret: of.get,
    getSecretJSON: of.json,
    createSecret: of.create,
    updateSecret: of.update,
    deleteSecret: of.remove,

    patchSecret(request, call) {
      refuseUnencoded(request.data)
      return mergePatchedJson(objects, secrets, request, call, { data: request.data })
    },
  } satisfies Partial<ServiceHandlers<typeof CoreService>>
}

/** API servers repeat a patch that they cannot read, values and all. @throws Failure INVALID_ARGUMENT */
function refuseUnencoded(data: Readonly<Record<string, string>>): void {
  const wrong = Object.keys(data).filter(key => !BASE64.test((data[key] ?? '').replaceAll(/[\r\n]/g, '')))
  if (wrong.length > 0)
    throw invalidFields(wrong.map(key => ({ field: `data[${key}]`, description: 'is not base64' })))
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

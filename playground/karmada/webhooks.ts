import { randomUUID } from 'node:crypto'
import { mutated } from '../../karmada/admission/mutate.js'
import { withTaintTimes } from '../../karmada/admission/taint-times.js'
import { deletionRefusal, writeRefusal } from '../../karmada/admission/validate.js'
import type { KubeObject } from '../../manifests/kube.js'
import type { JsonObject } from '../apimachinery/json.js'
import type { Webhooks } from '../apiserver/admission/webhooks.js'

const asObject = (object: JsonObject): KubeObject => object as unknown as KubeObject

/** What karmada-webhook and the registry of `clusters` make of what is written, and what they refuse. @param now RFC 3339 */
export const karmadaWebhooks = (now: () => string): Webhooks => ({
  mutate: (object, old) => {
    const made = mutated(asObject(object), randomUUID, old ? 'UPDATE' : 'CREATE')
    return withTaintTimes(made, now) as unknown as JsonObject
  },
  validate: (object, old) => writeRefusal(asObject(object), old && asObject(old)),
  validateDeletion: object => deletionRefusal(asObject(object)),
})

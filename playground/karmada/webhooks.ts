import { randomUUID } from 'node:crypto'
import { mutated } from '../../karmada/admission/mutate.js'
import { withTaintTimes } from '../../karmada/admission/taint-times.js'
import { deletionRefusal, type Refusal, writeRefusal } from '../../karmada/admission/validate.js'
import { readPolicy } from '../../karmada/objects/policy-shape.js'
import type { KubeObject } from '../../manifests/kube.js'
import type { JsonObject } from '../apimachinery/json.js'
import type { Webhooks } from '../apiserver/admission/webhooks.js'
import { customStatus } from '../apiserver/api-status.js'

const asObject = (object: JsonObject): KubeObject => object as unknown as KubeObject

/** Refuses what contradicts other objects of the control plane. */
export interface Refuser {
  refusal(object: KubeObject, old: KubeObject | undefined): Refusal | undefined
}

/**
 * Karmada's webhooks see a policy before it is checked against its CRD, and refuse one that they cannot decode. What is missing
 * they can, and leave to the CRD.
 */
function refuseUnreadable(object: KubeObject): void {
  const wrong = readPolicy(object).wrong.find(({ isMissing }) => !isMissing)
  if (!wrong) return
  const webhook = `${object.kind.toLowerCase()}.karmada.io`
  const why = `json: cannot unmarshal ${wrong.path}: ${wrong.message}`
  throw customStatus(400, 'BadRequest', `admission webhook "${webhook}" denied the request: ${why}`)
}

/**
 * What karmada-webhook and the registry of `clusters` make of what is written, and what they refuse.
 * @param now RFC 3339
 * @param refusers are asked where nothing is wrong with the object alone
 */
export const karmadaWebhooks = (now: () => string, refusers: readonly Refuser[] = []): Webhooks => ({
  mutate: (object, old) => {
    refuseUnreadable(asObject(object))
    const made = mutated(asObject(object), randomUUID, old ? 'UPDATE' : 'CREATE')
    return withTaintTimes(made, now) as unknown as JsonObject
  },
  validate: (object, old) =>
    writeRefusal(asObject(object), old && asObject(old)) ??
    refusers.map(one => one.refusal(asObject(object), old && asObject(old))).find(Boolean),
  validateDeletion: object => deletionRefusal(asObject(object)),
})

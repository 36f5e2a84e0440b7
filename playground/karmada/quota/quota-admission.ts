import type { Refusal } from '../../../karmada/admission/validate.js'
import { BINDINGS, type Binding } from '../../../karmada/objects/resource-binding.js'
import { quotaRefusalOf } from '../../../karmada/quota/usage.js'
import type { KubeObject } from '../../../manifests/kube.js'
import type { Observed } from '../propagation/observed.js'

/**
 * Refuses bindings that would exceed a FederatedResourceQuota of their namespace. It looks at the bindings themselves, where
 * Karmada's webhook adds to the quota's status: two bindings that are written at once cannot both take what is left.
 */
export class QuotaAdmission {
  #observed: Observed | undefined

  /** Refuses nothing before: the webhooks of a control plane are there before its controllers. */
  observe(observed: Observed): void {
    this.#observed = observed
  }

  refusal(object: KubeObject, old: KubeObject | undefined): Refusal | undefined {
    const { namespace, name } = object.metadata
    if (!this.#observed || object.kind !== BINDINGS.namespaced.kind || !namespace) return undefined
    if (!object.apiVersion.startsWith('work.karmada.io/')) return undefined
    const quotas = this.#observed.quotas.values().filter(one => one.metadata.namespace === namespace)
    if (quotas.length === 0) return undefined
    const others = this.#observed.bindings.filter(
      ({ metadata }) => metadata.namespace === namespace && metadata.name !== name,
    )
    return quotaRefusalOf(object as Binding, old as Binding | undefined, quotas, others)
  }
}

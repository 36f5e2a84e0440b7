import type { FederatedResourceQuota } from '../../../karmada/objects/federated-resource-quota.js'
import type { Binding } from '../../../karmada/objects/resource-binding.js'
import {
  type NamespaceQuotas,
  namespaceQuotas,
  type ResourceQuota,
} from '../../../karmada/quota/namespace-quotas.js'
import { FEDERATED_RESOURCE_QUOTA, RESOURCE_BINDING, RESOURCE_QUOTA } from '../kind/object-types.js'
import type { Reader } from './reader.js'

/** The quotas that a decision is made with, and why it is made without them. */
export interface KnownQuotas {
  readonly quotas?: NamespaceQuotas
  /** Sentences for the answer. */
  readonly notes: readonly string[]
}

/**
 * The quotas of a namespace and what is requested in it. A caller who may not list one of the three gets decisions without quotas, and is
 * told so: what is left of a quota would show what others run.
 */
export async function quotasIn(reader: Reader, namespace: string | undefined): Promise<KnownQuotas> {
  if (!namespace) return { notes: [] }
  const [federated, templates] = await Promise.all([
    reader.list<FederatedResourceQuota>(FEDERATED_RESOURCE_QUOTA, namespace),
    reader.list<ResourceQuota>(RESOURCE_QUOTA, namespace),
  ])
  const hasQuotas = federated.length > 0 || templates.length > 0
  const bindings = hasQuotas ? await reader.list<Binding>(RESOURCE_BINDING, namespace) : []
  const denied = [FEDERATED_RESOURCE_QUOTA, RESOURCE_QUOTA, RESOURCE_BINDING].filter(type =>
    reader.isDenied(type, namespace),
  )
  if (denied.length === 0) return { quotas: namespaceQuotas(federated, templates, bindings), notes: [] }
  const types = denied.map(({ resource }) => resource).join(', ')
  return { notes: [`Quotas of namespace ${namespace} are left out: the caller may not list its ${types}.`] }
}

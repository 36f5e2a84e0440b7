import type { KubeObject } from '../../manifests/kube.js'
import { bindingName } from '../names.js'
import type { FederatedResourceQuota } from '../objects/federated-resource-quota.js'
import type { Binding } from '../objects/resource-binding.js'
import type { MemberQuota, QuotasOfMember } from '../scheduling/quota-room.js'

/** v1 ResourceQuota of the control plane: a template like others. */
export interface ResourceQuota extends KubeObject {
  readonly spec?: object
}

/** A quota for some pods only is left out: which ones it counts is not known here. */
export const isScoped = (spec: object = {}): boolean => 'scopes' in spec || 'scopeSelector' in spec

/** All that a control plane knows of the quotas of one namespace. */
export interface NamespaceQuotas {
  readonly federated: readonly FederatedResourceQuota[]
  /** Those that Karmada brought to members, as the members report them. */
  readonly inMembers: QuotasOfMember
  /** The bindings of the namespace. */
  readonly bindings: readonly Binding[]
}

/**
 * The quotas of a namespace, by what Karmada reports of them: FederatedResourceQuotas with their assignments, and ResourceQuotas that
 * policies propagate.
 * @param bindings those of the namespace
 */
export function namespaceQuotas(
  federated: readonly FederatedResourceQuota[],
  templates: readonly ResourceQuota[],
  bindings: readonly Binding[],
): NamespaceQuotas {
  const assigned = federated.flatMap(({ metadata: { name }, status }) =>
    (status?.aggregatedStatus ?? []).map(({ clusterName, ...quota }) => ({ clusterName, ...quota, name })),
  )
  const propagated = templates.flatMap(({ metadata: { name }, spec }) => {
    const binding = bindings.find(({ metadata }) => metadata.name === bindingName('ResourceQuota', name))
    if (!binding || isScoped(spec)) return []
    return (binding.status?.aggregatedStatus ?? []).flatMap(({ clusterName, status }) =>
      status ? [{ clusterName, ...(status as MemberQuota), name }] : [],
    )
  })
  const byCluster = new Map<string, MemberQuota[]>()
  for (const { clusterName, ...quota } of [...assigned, ...propagated])
    byCluster.set(clusterName, [...(byCluster.get(clusterName) ?? []), quota])
  return { federated, bindings, inMembers: cluster => byCluster.get(cluster) ?? [] }
}

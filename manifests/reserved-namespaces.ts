import type { RoleGrant } from './effective-binding.js'
import type { InstanceRole } from './instance-role-binding.js'

/** Namespaces of a host or of a control plane. */
export const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' } as const

/** Where Kairship keeps what it needs inside a control plane: the ServiceAccounts of issued kubeconfigs. */
export const SYSTEM_NAMESPACE = 'kairship-system'

/**
 * Namespaces of Kairship, Karmada and Kubernetes. Their ServiceAccounts may change roles or everything, `karmada-cluster` holds the
 * administrator tokens of members, and Karmada's execution namespaces hold what members get.
 */
const RESERVED = /^(kairship-system|karmada-system|karmada-cluster|kube-.*|karmada-es-.*)$/

/** Whether a namespace belongs to Kairship, Karmada or Kubernetes, so that a role there would be a role on the whole instance. */
export const isReservedNamespace = (namespace: string): boolean => RESERVED.test(namespace)

/**
 * Whether a ServiceAccount of a namespace has a role that goes beyond `role` in this namespace alone. A subject that writes Secrets of a
 * namespace gets the tokens of its ServiceAccounts: Kubernetes fills Secrets of type `kubernetes.io/service-account-token`.
 * The bindings are walked once, and not once for each namespace that is asked about.
 */
export function strongerAccounts(
  bindings: readonly RoleGrant[],
): (namespace: string, role: InstanceRole) => boolean {
  const byHome = new Map<string, Set<RoleGrant>>()
  for (const binding of bindings)
    for (const { kind, namespace } of binding.spec.subjects)
      if (kind === 'ServiceAccount' && namespace !== undefined)
        byHome.set(namespace, (byHome.get(namespace) ?? new Set()).add(binding))
  return (namespace, role) =>
    [...(byHome.get(namespace) ?? [])].some(
      ({ spec }) =>
        !(
          spec.namespaces?.every(covered => covered === namespace) &&
          (spec.role !== 'Admin' || role === 'Admin')
        ),
    )
}

import type { ObjectType } from '../kube/object.js'

/** Karmada's groups whose objects steer Karmada. It propagates none of them. */
const OWN_GROUPS: ReadonlySet<string> = new Set(
  ['cluster', 'policy', 'work', 'config', 'networking', 'autoscaling', 'remedy', 'apps'].map(
    name => `${name}.karmada.io`,
  ),
)
/** Kinds of Kubernetes that Karmada does not propagate. */
const NEVER: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io', 'leases.coordination.k8s.io'])
/** Namespaces of Karmada and of Kubernetes. Karmada propagates nothing in them. */
const RESERVED = /^(karmada-system|karmada-cluster|karmada-es-.*|kube-.*)$/

/** Whether Karmada propagates objects of a type. */
export const isPropagatedType = ({ group, resource }: Pick<ObjectType, 'group' | 'resource'>): boolean =>
  !OWN_GROUPS.has(group) && !NEVER.has(group === '' ? resource : `${resource}.${group}`)

/** Whether Karmada propagates objects in a namespace, which is empty for types without one. */
export const isPropagatedNamespace = (namespace: string): boolean => !RESERVED.test(namespace)

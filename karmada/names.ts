import { fnv32a, safeEncode } from '../manifests/hash.js'

/** Names that Karmada gives to what it makes of a template (`pkg/util/names` of Karmada). */

/** Names of roles may hold colons, which names of Karmada's own objects may not. */
const withoutColons = (name: string): string => name.replaceAll(':', '.')

const hashed = (text: string): string => safeEncode(String(fnv32a(text)))

/** A template's ResourceBinding or ClusterResourceBinding. Kinds of one name in two groups share it, as in Karmada. */
export const bindingName = (kind: string, name: string): string =>
  `${withoutColons(name)}-${kind}`.toLowerCase()

/** The Work that carries a template to one cluster. */
export function workName(kind: string, name: string, namespace = ''): string {
  const lower = withoutColons(name).toLowerCase()
  const key = [...(namespace ? [namespace] : []), lower, kind].join('-').toLowerCase()
  return `${lower}-${hashed(key)}`
}

/** How a binding is named in labels of bindings that it needs. */
export const bindingReferenceKey = (namespace: string, name: string): string =>
  hashed(namespace ? `${namespace}/${name}` : name)

/** The policy that a promotion makes for one object. */
export const policyName = (namespace: string, name: string, gvk: string): string =>
  `${withoutColons(name)}-${hashed(namespace + gvk)}`.toLowerCase()

/** The namespace that holds one cluster's Works. */
export const executionNamespace = (cluster: string): string => `karmada-es-${cluster}`

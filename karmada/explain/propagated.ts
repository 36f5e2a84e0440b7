import type { Resource } from '../interpreter/workload.js'
import type { Cluster } from '../objects/cluster.js'
import type { PropagationPolicy } from '../objects/propagation-policy.js'
import type { Binding } from '../objects/resource-binding.js'
import type { Work } from '../objects/work.js'
import type { OverridePolicies } from '../overrides/apply-overrides.js'
import type { LinkedObject } from './link.js'

/** An object in a member, as far as it could be read: present, absent, or unknown with the reason. */
export type MemberObject =
  | { readonly kind: 'found'; readonly object: Resource }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly because: string }

/** Everything in a control plane and its members that a template's way leads past. */
export interface Propagated {
  /** What is traced, whether it exists or not. */
  readonly wanted: LinkedObject
  readonly template?: Resource
  /** Of the template's namespace and, to name near misses, of others if they were read. */
  readonly policies: readonly PropagationPolicy[]
  readonly clusterPolicies: readonly PropagationPolicy[]
  readonly overrides: OverridePolicies
  /** The binding of the template's name, of any owner. */
  readonly binding?: Binding
  readonly clusters: readonly Cluster[]
  /** Only the clusters of the binding were read: who traces may not list clusters, so what others would do is unknown. */
  readonly areClustersUnlisted?: boolean
  /** The bindings of the namespace, where the binding has affinity groups. */
  readonly bindings?: readonly Binding[]
  /** Of this template, by the names that Karmada gives them. */
  readonly works: readonly Work[]
  /** By member; a member that was not asked is absent. */
  readonly members: ReadonlyMap<string, MemberObject>
}

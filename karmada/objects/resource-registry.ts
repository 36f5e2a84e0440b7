import type { Condition, KubeObject } from '../../manifests/kube.js'
import type { ClusterAffinity } from './placement.js'

/** `resourceregistries.search.karmada.io/v1alpha1`: which objects of which members karmada-search caches. */
export const RESOURCE_REGISTRIES = {
  group: 'search.karmada.io',
  version: 'v1alpha1',
  resource: 'resourceregistries',
} as const

/** The annotation that names the member an object was read from; karmada-search writes it into its answers. */
export const CACHED_FROM = 'resource.karmada.io/cached-from-cluster'

/** search.karmada.io/v1alpha1 ResourceRegistry. Its API server demands none of the fields of `spec`. */
export interface ResourceRegistry extends KubeObject {
  readonly spec?: {
    readonly targetCluster?: ClusterAffinity
    readonly resourceSelectors?: readonly RegisteredResource[] | null
    readonly backendStore?: { readonly openSearch?: { readonly addresses?: readonly string[] | null } }
  }
  readonly status?: { readonly conditions?: readonly Condition[] }
}

/** One kind, in one namespace or in all. */
export interface RegisteredResource {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
}

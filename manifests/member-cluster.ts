import type { MemberFigures } from './instance-summary.js'
import type { Condition, KubeObject } from './kube.js'

/** `clusters.cluster.karmada.io/v1alpha1`: the members of a control plane, served by its aggregated API. */
export const MEMBER_CLUSTERS = {
  group: 'cluster.karmada.io',
  version: 'v1alpha1',
  resource: 'clusters',
} as const

/** Karmada's Cluster, as far as its statistics and credentials go. Zero and absent are the same on the wire. */
export interface MemberCluster extends KubeObject {
  readonly spec?: {
    readonly secretRef?: { readonly namespace?: string }
    readonly impersonatorSecretRef?: { readonly namespace?: string }
  }
  readonly status?: {
    readonly conditions?: readonly Condition[]
    readonly nodeSummary?: { readonly totalNum?: number; readonly readyNum?: number }
    readonly resourceSummary?: {
      readonly allocatable?: Readonly<Record<string, string>>
      readonly allocating?: Readonly<Record<string, string>>
      readonly allocated?: Readonly<Record<string, string>>
    }
  }
}

/** The namespaces to which Clusters refer for credentials: `karmadactl join --cluster-namespace` puts them anywhere. */
export const credentialNamespacesOf = (clusters: readonly MemberCluster[]): ReadonlySet<string> =>
  new Set(
    clusters.flatMap(({ spec }) =>
      [spec?.secretRef?.namespace, spec?.impersonatorSecretRef?.namespace].filter(name => name !== undefined),
    ),
  )

/**
 * The figures of one member. While it is not Ready, Karmada leaves its last node and resource figures standing; its nodes
 * then count as not ready, because nothing else is known.
 */
export function figuresOf({ status = {} }: MemberCluster): MemberFigures {
  const ready = status.conditions?.find(({ type }) => type === 'Ready')?.status === 'True'
  const { totalNum = 0, readyNum = 0 } = status.nodeSummary ?? {}
  const { allocatable = {}, allocating = {}, allocated = {} } = status.resourceSummary ?? {}
  return { ready, nodes: { totalNum, readyNum: ready ? readyNum : 0 }, allocatable, allocating, allocated }
}

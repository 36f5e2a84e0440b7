import type { KubeObject } from '../../manifests/kube.js'
import type { Cluster } from '../objects/cluster.js'

/** `remedies.remedy.karmada.io/v1alpha1`. */
export const REMEDIES = { group: 'remedy.karmada.io', version: 'v1alpha1', resource: 'remedies' } as const

/** remedy.karmada.io/v1alpha1 Remedy: what is to be done about clusters with certain conditions. */
export interface Remedy extends KubeObject {
  readonly spec?: {
    /** Absent: every cluster. */
    readonly clusterAffinity?: { readonly clusterNames?: readonly string[] }
    /** Absent: whatever the conditions of the cluster are. */
    readonly decisionMatches?: readonly { readonly clusterConditionMatch?: ConditionMatch }[]
    readonly actions?: readonly string[]
  }
}

interface ConditionMatch {
  readonly conditionType: string
  readonly operator: 'Equal' | 'NotEqual'
  readonly conditionStatus: string
}

/** Whether a remedy is for a cluster, whatever its conditions are. */
export const isFor = ({ spec }: Remedy, cluster: string): boolean =>
  spec?.clusterAffinity === undefined || (spec.clusterAffinity.clusterNames ?? []).includes(cluster)

/** What remedies want to be done about a cluster, each action once and sorted (Karmada's remedy controller). */
export function remedyActions(cluster: Cluster, remedies: readonly Remedy[]): readonly string[] {
  const actions = remedies
    .filter(one => isFor(one, cluster.metadata.name) && isDue(one, cluster))
    .flatMap(({ spec }) => spec?.actions ?? [])
  return [...new Set(actions)].sort()
}

/** One match is enough. A condition that a cluster does not have matches nothing. */
function isDue({ spec }: Remedy, { status }: Cluster): boolean {
  if (spec?.decisionMatches === undefined) return true
  return spec.decisionMatches.some(({ clusterConditionMatch: match }) => {
    const found = match && status?.conditions?.find(({ type }) => type === match.conditionType)
    return found && (found.status === match.conditionStatus) === (match.operator === 'Equal')
  })
}

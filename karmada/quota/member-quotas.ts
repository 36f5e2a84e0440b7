import { executionNamespace } from '../names.js'
import type {
  ClusterQuotaStatus,
  FederatedResourceQuota,
  Resources,
} from '../objects/federated-resource-quota.js'
import type { Work } from '../objects/work.js'
import { carrier } from '../propagation/work-of.js'

/** Labels of a Work that brings a quota to a member. */
const LABELS = {
  namespace: 'federatedresourcequota.karmada.io/namespace',
  name: 'federatedresourcequota.karmada.io/name',
} as const

/** The quota that a Work was made for, as `namespace/name`; undefined for other Works. */
export function quotaKeyOf({ metadata: { labels = {} } }: Work): string | undefined {
  const [namespace, name] = [labels[LABELS.namespace], labels[LABELS.name]]
  return namespace && name ? `${namespace}/${name}` : undefined
}

/** What a quota assigns to a cluster; undefined where it assigns nothing. */
export const assignedTo = ({ spec }: FederatedResourceQuota, cluster: string): Resources | undefined =>
  spec.staticAssignments?.find(({ clusterName }) => clusterName === cluster)?.hard

/** Whether the cluster of a Work has no assignment any more. */
export const isOrphan = ({ metadata }: Work, { spec }: FederatedResourceQuota): boolean =>
  !spec.staticAssignments?.some(({ clusterName }) => executionNamespace(clusterName) === metadata.namespace)

/** The Work with the ResourceQuota of one member (Karmada's quota sync controller). @param present the Work that is there already */
export function quotaWork(
  { metadata }: FederatedResourceQuota,
  cluster: string,
  hard: Resources,
  present?: Work,
): Work {
  const { namespace = '', name } = metadata
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace, name },
    spec: { hard },
  }
  const labels = { [LABELS.namespace]: namespace, [LABELS.name]: name }
  return carrier(quota, cluster, { clusterOverrides: [], overrides: [] }, present, { labels })
}

/** What the members report of their ResourceQuotas, sorted by cluster. @param works those of one quota */
export function clusterQuotas(works: readonly Work[]): readonly ClusterQuotaStatus[] {
  const reported = works.flatMap(({ metadata, status = {} }) => {
    const isApplied = status.conditions?.some(one => one.type === 'Applied' && one.status === 'True')
    const [manifest] = status.manifestStatuses ?? []
    if (!isApplied || !manifest?.status) return []
    const { hard, used } = manifest.status as Omit<ClusterQuotaStatus, 'clusterName'>
    const clusterName = (metadata.namespace ?? '').slice(executionNamespace('').length)
    return [{ clusterName, ...(hard && { hard }), ...(used && { used }) }]
  })
  return reported.sort((a, b) => (a.clusterName < b.clusterName ? -1 : 1))
}

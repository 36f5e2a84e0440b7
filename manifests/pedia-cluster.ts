import { type IndexedResources, type Instance, virtualClusterName } from './instance.js'
import type { Condition, KubeObject } from './kube.js'
import { labelsOf, ownedBy } from './names.js'
import { type Verdict, verdictOf } from './verdict.js'

/** `pediaclusters.cluster.clusterpedia.io/v1alpha2`, cluster-scoped. */
export const PEDIA_CLUSTERS = {
  group: 'cluster.clusterpedia.io',
  version: 'v1alpha2',
  resource: 'pediaclusters',
} as const

/** One cluster that Container Management reads; only the fields Kairship uses. */
export interface PediaCluster extends KubeObject {
  readonly apiVersion: 'cluster.clusterpedia.io/v1alpha2'
  readonly kind: 'PediaCluster'
  readonly spec: {
    /** Base64 of a kubeconfig, as `[]byte` travels in JSON. */
    readonly kubeconfig?: string
    /** Without a kubeconfig, the server and a credential; all but the server base64. */
    readonly apiserver?: string
    readonly tokenData?: string
    readonly caData?: string
    readonly certData?: string
    readonly keyData?: string
    readonly syncResources: readonly IndexedResources[]
  }
  readonly status?: {
    readonly apiserver?: string
    /** Of Kubernetes. */
    readonly version?: string
    readonly conditions?: readonly Condition[]
    readonly syncResources?: readonly {
      readonly group: string
      readonly resources: readonly {
        readonly name: string
        readonly syncConditions: readonly {
          readonly version: string
          readonly status: string
          readonly reason?: string
          readonly message?: string
          readonly initialListPhase?: boolean
        }[]
      }[]
    }[]
  }
}

/** Where the owner of an index declares what it can do beyond Clusterpedia: a list of capabilities, separated by commas. */
export const CAPABILITIES_ANNOTATION = 'container-management.kairship.io/capabilities'
/** What can be declared there. */
export const CAPABILITIES = ['lossless', 'list-resource-version', 'watch'] as const

/** The capabilities a PediaCluster declares; words that mean nothing to us are passed over. */
export function declaredCapabilities({ metadata }: KubeObject): ReadonlySet<(typeof CAPABILITIES)[number]> {
  const declared = (metadata.annotations?.[CAPABILITIES_ANNOTATION] ?? '').split(',').map(word => word.trim())
  return new Set(CAPABILITIES.filter(capability => declared.includes(capability)))
}

/** What Container Management adds to each object: the name of the PediaCluster that it came from. */
export const CLUSTER_ANNOTATION = 'shadow.clusterpedia.io/cluster-name'

/** The path in front of those of types, under which Container Management answers lists of all clusters from its index. */
export const READ_API = '/apis/clusterpedia.io/v1beta1/resources'

/** The path in front of a cluster's own paths, under which Container Management answers them from its index. */
export const indexPath = (cluster: string): string => `${READ_API}/clusters/${cluster}`

/**
 * How far a type is: being read for the first time, not read any more because the cluster cannot be reached, or there to be
 * read. One that is paused may never have been read whole.
 */
export type SyncState = 'syncing' | 'paused' | 'synced'

/** How far each type is, by `group/version/resource`. */
export function syncedTypes({ status }: PediaCluster): ReadonlyMap<string, SyncState> {
  const types = new Map<string, SyncState>()
  for (const { group, resources } of status?.syncResources ?? [])
    for (const { name, syncConditions } of resources)
      for (const condition of syncConditions)
        types.set(`${group}/${condition.version}/${name}`, syncStateOf(condition))
  return types
}

function syncStateOf({
  status,
  reason,
  initialListPhase,
}: {
  status: string
  reason?: string
  initialListPhase?: boolean
}): SyncState {
  // A watch that broke is `Error`, and `Stop` once the cluster failed two health checks.
  if (status === 'Error' || (status === 'Stop' && reason === 'Pause')) return 'paused'
  return status === 'Syncing' && !initialListPhase ? 'synced' : 'syncing'
}

/** Why a PediaCluster's objects may be old, in its own words; undefined while it is Ready and its cluster healthy. */
export function indexTrouble({ status }: PediaCluster): string | undefined {
  for (const type of ['ClusterHealthy', 'Ready']) {
    const condition = status?.conditions?.find(condition => condition.type === type)
    if (condition?.status !== 'True')
      return condition ? `${type} is ${condition.status}: ${condition.reason}` : `${type} is not reported yet`
  }
  return undefined
}

/**
 * What Container Management reads of an instance unless its spec says otherwise. Versions are pinned for Karmada's own
 * groups, because Clusterpedia stores an object once for each version it syncs. Secrets are left out: everything synced
 * lies in the index's database in clear. Works are left out: each holds its manifest once more.
 */
export const DEFAULT_INDEX: readonly IndexedResources[] = [
  {
    group: '',
    versions: ['v1'],
    resources: ['namespaces', 'configmaps', 'services', 'serviceaccounts', 'persistentvolumeclaims'],
  },
  {
    group: 'apps',
    versions: ['v1'],
    resources: ['deployments', 'statefulsets', 'daemonsets', 'replicasets'],
  },
  { group: 'batch', versions: ['v1'], resources: ['jobs', 'cronjobs'] },
  { group: 'networking.k8s.io', versions: ['v1'], resources: ['ingresses'] },
  {
    group: 'policy.karmada.io',
    versions: ['v1alpha1'],
    resources: [
      'propagationpolicies',
      'clusterpropagationpolicies',
      'overridepolicies',
      'clusteroverridepolicies',
      'federatedresourcequotas',
    ],
  },
  {
    group: 'work.karmada.io',
    versions: ['v1alpha2'],
    resources: ['resourcebindings', 'clusterresourcebindings'],
  },
  { group: 'cluster.karmada.io', versions: ['v1alpha1'], resources: ['clusters'] },
]

/** The virtual cluster of an instance: the instance's own API, read by Container Management under this kubeconfig. */
export const renderPediaCluster = (instance: Instance, kubeconfig: string): PediaCluster => {
  const { name } = instance.metadata
  return {
    apiVersion: 'cluster.clusterpedia.io/v1alpha2',
    kind: 'PediaCluster',
    metadata: { name: virtualClusterName(name), labels: labelsOf(name), ...ownedBy(instance) },
    spec: {
      kubeconfig: Buffer.from(kubeconfig).toString('base64'),
      syncResources: instance.spec.index?.resources ?? DEFAULT_INDEX,
    },
  }
}

/**
 * Whether reads from the index can be trusted. `Syncing` without `initialListPhase` in a healthy cluster is the only state
 * in which they can; types that the control plane does not serve are not in the status, and do not count.
 */
export function syncVerdict({ status }: PediaCluster): Verdict | undefined {
  const validated = verdictOf(status?.conditions, 'Validated')
  if (validated && !validated.holds) return validated
  const healthy = verdictOf(status?.conditions, 'ClusterHealthy')
  if (!healthy) return undefined
  if (!healthy.holds) return healthy
  const types = (status?.syncResources ?? []).flatMap(({ group, resources }) =>
    resources.flatMap(({ name, syncConditions }) =>
      syncConditions.map(condition => ({ ...condition, name: group ? `${name}.${group}` : name })),
    ),
  )
  if (types.length === 0)
    return { holds: false, reason: 'NotYetSynced', message: 'no resource type is being synced yet' }
  const broken = types.filter(({ status }) => !['Syncing', 'Pending'].includes(status))
  if (broken.length > 0) return { holds: false, reason: 'SyncFailed', message: named(broken) }
  const first = types.filter(({ status, initialListPhase }) => status === 'Pending' || initialListPhase)
  if (first.length > 0) return { holds: false, reason: 'Syncing', message: `first sync of ${named(first)}` }
  return { holds: true, reason: 'Synced', message: `${types.length} resource types are synced` }
}

/** At most five, because a condition is read by people. */
function named(
  types: readonly { name: string; status: string; reason?: string; message?: string }[],
): string {
  const shown = types.slice(0, 5).map(({ name, status, reason }) => {
    return status === 'Syncing' || status === 'Pending' ? name : `${name} (${reason || status})`
  })
  return shown.join(', ') + (types.length > 5 ? ` and ${types.length - 5} more` : '')
}

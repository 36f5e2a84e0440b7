import type { Cluster } from '../../../../karmada/objects/cluster.js'
import { type KubeList, resourcePath } from '../../../../manifests/kube.js'
import { INSTANCE_LABEL } from '../../../../manifests/names.js'
import { indexTrouble, PEDIA_CLUSTERS, type PediaCluster } from '../../../../manifests/pedia-cluster.js'
import { isNotFound, StatusError } from '../../../../manifests/status-error.js'
import type { KubeApi, KubeRequest } from '../../../../ports/kube-api.js'
import { ClusterPhase } from '../../../../proto/gen/kairship/cluster_pb.js'
import { badGateway, failedPrecondition, notFound } from '../../../errors/failure.js'
import type { HostList } from '../../../objects/watch/watch-host.js'
import { objectMeta } from '../../kind/object-meta.js'
import type { ClusterMessage } from '../cluster.js'

interface Selectors {
  readonly labelSelector: string
  readonly fieldSelector: string
}

/** The clusters that Container Management knows; those that stand for instances are none. */
export class Candidates {
  /** @param host the host cluster under Kairship's own credential */
  constructor(private readonly host: Pick<KubeApi, 'request' | 'watch'>) {}

  /** @throws Failure FAILED_PRECONDITION where the host has no Container Management */
  async all(
    { labelSelector, fieldSelector }: Selectors,
    signal: AbortSignal,
  ): Promise<readonly PediaCluster[]> {
    const list = await this.#read<KubeList<PediaCluster>>(resourcePath(PEDIA_CLUSTERS), signal, {
      ...(labelSelector && { labelSelector }),
      ...(fieldSelector && { fieldSelector }),
    })
    return (list?.items ?? []).filter(isCandidate).map(withSpec)
  }

  /** The same clusters as one stream follows them, without their credentials. */
  followed({ labelSelector, fieldSelector }: Selectors, signal: AbortSignal): HostList<PediaCluster> {
    const path = resourcePath(PEDIA_CLUSTERS)
    const selectors = { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) }
    return {
      ...{ signal, matches: isCandidate },
      read: async version => {
        const at = version === undefined ? {} : { resourceVersion: version, resourceVersionMatch: 'Exact' }
        const list = await this.#read<KubeList<PediaCluster>>(path, signal, { ...selectors, ...at })
        const { resourceVersion } = list?.metadata ?? {}
        if (!resourceVersion) throw badGateway('the host’s list of clusters has no version to follow it from')
        return { objects: (list?.items ?? []).map(withoutCredentials), version: resourceVersion }
      },
      watch: async function* (this: Candidates, resourceVersion: string, signal: AbortSignal) {
        const query = { ...selectors, resourceVersion, allowWatchBookmarks: true }
        for await (const event of this.host.watch({ path, query, signal }))
          yield event.type === 'ERROR' || event.type === 'BOOKMARK'
            ? event
            : { ...event, object: withoutCredentials(event.object as PediaCluster) }
      }.bind(this),
    }
  }

  /** Whether a candidate is still there, also where no selector selects it. */
  async isThere({ metadata: { name, uid } }: PediaCluster, signal: AbortSignal): Promise<boolean> {
    const found = await this.#read<PediaCluster>(resourcePath(PEDIA_CLUSTERS, { name }), signal)
    return found !== undefined && found.metadata.uid === uid && isCandidate(found)
  }

  /** The text of a candidate's kubeconfig. @throws Failure NOT_FOUND, FAILED_PRECONDITION for one without a credential */
  async kubeconfig(name: string, signal: AbortSignal): Promise<string> {
    const found = await this.#read<PediaCluster>(resourcePath(PEDIA_CLUSTERS, { name }), signal)
    if (!found || !isCandidate(found))
      throw notFound(
        `Container Management knows no cluster ${name}: give a kubeconfig, or the name of a cluster that ListClusters shows`,
        { reason: 'NotFound' },
      )
    const text = kubeconfigOf(withSpec(found))
    if (text === undefined)
      throw failedPrecondition(
        `Container Management has no credential in its PediaCluster ${name}: give a kubeconfig`,
        { reason: 'NoCredential' },
      )
    return text
  }

  async #read<T>(
    path: string,
    signal: AbortSignal,
    query: KubeRequest['query'] = {},
  ): Promise<T | undefined> {
    try {
      return await this.host.request<T>({ method: 'GET', path, query, signal })
    } catch (error) {
      if (isNotFound(error)) return undefined
      if (error instanceof StatusError && error.code === 404)
        throw failedPrecondition(
          'Container Management is not installed on the host: there is no resource pediaclusters.cluster.clusterpedia.io. Join clusters by kubeconfig',
          { reason: 'NoContainerManagement' },
        )
      throw error
    }
  }
}

/** Clusterpedia's definition stores a PediaCluster without a spec: one such must not keep its reader from the others. */
const withSpec = (cluster: PediaCluster): PediaCluster => ({
  ...cluster,
  spec: (cluster.spec as PediaCluster['spec'] | undefined) ?? { syncResources: [] },
})

/** A stream keeps what it follows for an hour: kubeconfigs and tokens are not among that. */
const withoutCredentials = (cluster: PediaCluster): PediaCluster => {
  const { annotations: _, managedFields: __, ...metadata } = cluster.metadata
  const { apiserver } = withSpec(cluster).spec
  return { ...cluster, metadata, spec: { ...(apiserver !== undefined && { apiserver }), syncResources: [] } }
}

/** Virtual clusters bear the label of their instance. */
const isCandidate = ({ metadata }: PediaCluster): boolean => metadata.labels?.[INSTANCE_LABEL] === undefined

/** A candidate as the API shows it. @param managedBy the instance that it has joined; '' for none */
export function candidateMessage(cluster: PediaCluster, managedBy: string): ClusterMessage {
  return {
    // Without annotations: that of kubectl apply holds the whole object with its credential.
    metadata: { ...objectMeta(cluster, { instance: '' }), annotations: {} },
    spec: { apiEndpoint: addressOf(serverOf(cluster)), managedBy },
    status: { kubernetesVersion: cluster.status?.version ?? '', phase: candidatePhase(cluster) },
  }
}

/** Whether Container Management reaches it. */
export function candidatePhase(cluster: PediaCluster): ClusterPhase {
  if (cluster.metadata.deletionTimestamp) return ClusterPhase.DELETING
  if (!cluster.status?.conditions?.length) return ClusterPhase.CREATING
  return indexTrouble(cluster) === undefined ? ClusterPhase.RUNNING : ClusterPhase.FAILED
}

/** What of a member tells which cluster it is. */
export interface Member {
  readonly metadata: Pick<Cluster['metadata'], 'name'>
  readonly spec: Pick<Cluster['spec'], 'apiEndpoint'>
}

/** Tells candidates that are one of these members: by their name, or by the server that Karmada reaches them at. */
export function memberTest(members: Iterable<Member>): (candidate: PediaCluster) => boolean {
  const names = new Set<string>()
  const servers = new Set<string>()
  for (const { metadata, spec } of members) {
    names.add(metadata.name)
    if (spec.apiEndpoint) servers.add(spec.apiEndpoint)
  }
  return candidate => names.has(candidate.metadata.name) || servers.has(serverOf(candidate))
}

const serverOf = ({ spec, status }: PediaCluster): string => status?.apiserver || spec.apiserver || ''

/** A server without what proves who calls it: a kubeconfig may have a password or a token in its server. */
const addressOf = (server: string): string =>
  server.replace(/[?#].*$/s, '').replace(/^([a-z]+:\/\/)?[^/]*@/i, '$1')

function kubeconfigOf({ spec }: PediaCluster): string | undefined {
  if (spec.kubeconfig) return Buffer.from(spec.kubeconfig, 'base64').toString('utf8')
  const { apiserver, tokenData, caData, certData, keyData } = spec
  if (!apiserver || !(tokenData || (certData && keyData))) return undefined
  const server = /^https?:/.test(apiserver) ? apiserver : `https://${apiserver}`
  return JSON.stringify({
    'current-context': 'member',
    clusters: [
      { name: 'member', cluster: { server, ...(caData && { 'certificate-authority-data': caData }) } },
    ],
    users: [
      {
        name: 'member',
        user: {
          ...(tokenData && { token: Buffer.from(tokenData, 'base64').toString('utf8') }),
          ...(certData && { 'client-certificate-data': certData }),
          ...(keyData && { 'client-key-data': keyData }),
        },
      },
    ],
    contexts: [{ name: 'member', context: { cluster: 'member', user: 'member' } }],
  })
}

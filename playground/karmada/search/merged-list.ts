import { CACHED_FROM } from '../../../karmada/objects/resource-registry.js'
import { hasNamespace, memberScope } from '../../../karmada/search/namespaces.js'
import { type KubeList, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { isNotFound } from '../../../manifests/status-error.js'
import {
  type ClusterVersions,
  readContinue,
  readVersions,
  versionOf,
  withVersion,
  writeContinue,
  writeVersions,
} from './cluster-versions.js'
import type { ListRequest } from './list-request.js'
import type { CachedTypeOfCluster, MultiClusterCache } from './multi-cluster-cache.js'

/** What several clusters have of a type, or one page of it. */
export interface MergedList {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Readonly<Record<string, string | number>>
  readonly items: readonly KubeObject[]
}

/** The part of one cluster. */
interface Part {
  readonly list: KubeList<KubeObject>
  readonly items: readonly KubeObject[]
}

/** An object with the annotation that names its cluster. */
export const cachedFrom = (cluster: string, object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [CACHED_FROM]: cluster } },
})

/**
 * Lists a type, cluster by cluster in the order of their names. Only a list at version 0 without a limit comes out of the caches;
 * for all others the members are asked, each at its own version.
 * @throws StatusError of a member that refuses
 */
export async function mergedList(cache: MultiClusterCache, request: ListRequest): Promise<MergedList> {
  const from = readContinue(request.token)
  const isContinued = request.token !== ''
  const asked = readVersions(isContinued ? from.versions : request.resourceVersion)
  const { clusters } = cache
  let versions = asked
  let [wanted, token] = isContinued ? [from.cluster, from.token] : ['', '']
  let next = { cluster: '', token: '' }
  let left = request.limit
  let first: KubeList<KubeObject> | undefined
  const items: KubeObject[] = []
  for (const [at, cluster] of clusters.entries()) {
    if (wanted !== '' && wanted !== cluster) continue
    const own = { token, version: token === '' ? versionOf(asked, cluster) : '', limit: left }
    wanted = token = ''
    const cached = cache.find(cluster, request.type)
    const part = cached && (await partOf(cached, request, own))
    if (part) {
      first ??= part.list
      items.push(...part.items.map(item => cachedFrom(cluster, item)))
      versions = withVersion(versions, cluster, part.list.metadata.resourceVersion ?? '')
    }
    if (request.limit === 0) continue
    left -= part?.items.length ?? 0
    if (left > 0) continue
    const rest = part?.list.metadata.continue ?? ''
    // Whether the next cluster has any is not known yet.
    next = rest === '' ? { cluster: clusters[at + 1] ?? '', token: '' } : { cluster, token: rest }
    break
  }
  versions = await completed(cache, request, versions)
  const { resourceVersion: _r, continue: _c, ...metadata } = first?.metadata ?? {}
  const resourceVersion = writeVersions(versions)
  const goesOn = writeContinue({ versions: resourceVersion, ...next })
  return {
    apiVersion: first?.apiVersion ?? 'v1',
    kind: first?.kind ?? 'List',
    metadata: {
      ...metadata,
      ...(resourceVersion !== '' && { resourceVersion }),
      ...(goesOn !== '' && { continue: goesOn }),
    },
    items,
  }
}

interface OwnOptions {
  readonly token: string
  readonly version: string
  readonly limit: number
}

async function partOf(cached: CachedTypeOfCluster, request: ListRequest, own: OwnOptions): Promise<Part> {
  const { cache, type } = cached
  const isCached = own.version === '0' && own.limit === 0 && own.token === '' && cache.isReady
  if (!isCached) return asked(cached, request, own)
  const items = cache.list(request.namespace).filter(request.matches)
  return { list: emptyList(type, cache.revision), items }
}

const emptyList = (
  { group, version, kind }: ListRequest['type'],
  resourceVersion?: string,
): KubeList<KubeObject> => ({
  apiVersion: group === '' ? version : `${group}/${version}`,
  kind: `${kind}List`,
  metadata: resourceVersion === undefined ? {} : { resourceVersion },
  items: [],
})

/** The member's own answer. A member that does not serve the type has nothing. */
async function asked(
  { api, cache, type }: CachedTypeOfCluster,
  request: ListRequest,
  own: OwnOptions,
): Promise<Part> {
  const scope = memberScope(cache.namespaces, request.namespace)
  if (!scope) return { list: emptyList(type), items: [] }
  const text = (value: string) => (value === '' ? undefined : value)
  try {
    const list = await api.request<KubeList<KubeObject>>({
      method: 'GET',
      path: resourcePath(type, scope.namespace === '' ? {} : { namespace: scope.namespace }),
      query: {
        labelSelector: text(request.labelSelector),
        fieldSelector: text(request.fieldSelector),
        resourceVersion: text(own.version),
        resourceVersionMatch: text(request.resourceVersionMatch),
        continue: text(own.token),
        limit: own.limit === 0 ? undefined : own.limit,
      },
    })
    const items = (list.items ?? []).map(item => ({
      ...{ apiVersion: list.apiVersion, kind: list.kind.replace(/List$/, '') },
      ...item,
    }))
    const isSelected = ({ metadata }: KubeObject) => hasNamespace(cache.namespaces, metadata.namespace ?? '')
    return { list, items: scope.isFiltered ? items.filter(isSelected) : items }
  } catch (error) {
    if (isNotFound(error)) return { list: emptyList(type), items: [] }
    throw error
  }
}

/** With the versions of the clusters that were not listed, so that a watch can begin at the list's version in all. */
async function completed(
  cache: MultiClusterCache,
  request: ListRequest,
  versions: ClusterVersions,
): Promise<ClusterVersions> {
  const missing = cache.clusters.flatMap(cluster => {
    const cached = versions.of.has(cluster) ? undefined : cache.find(cluster, request.type)
    return cached ? [{ cluster, cached }] : []
  })
  const everything = { ...request, labelSelector: '', fieldSelector: '', resourceVersionMatch: '' }
  const found = await Promise.all(
    missing.map(async ({ cluster, cached }) => {
      const { list } = await asked(cached, everything, { token: '', version: '', limit: 1 })
      return { cluster, version: list.metadata.resourceVersion ?? '' }
    }),
  )
  return found
    .filter(({ version }) => version !== '')
    .reduce((sum, { cluster, version }) => withVersion(sum, cluster, version), versions)
}

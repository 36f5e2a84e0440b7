import type { KubeApi } from '../../ports/kube-api.js'

/** One resource type a cluster serves, subresources left out. */
export interface DiscoveredType {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
}

/** What a cluster serves, and the group versions whose server did not answer. */
export interface Discovered {
  readonly types: readonly DiscoveredType[]
  /** `group/version` of what discovery marks stale or fails to answer. */
  readonly stale: ReadonlySet<string>
}

const AGGREGATED = ['v2', 'v2beta1']
  .map(version => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(',')

interface Document {
  readonly kind?: string
  readonly items?: readonly AggregatedGroup[]
  readonly groups?: readonly {
    readonly name: string
    readonly versions: readonly { readonly version: string }[]
  }[]
  readonly versions?: readonly string[]
}

interface AggregatedGroup {
  readonly metadata?: { readonly name?: string }
  readonly versions?: readonly {
    readonly version: string
    readonly freshness?: string
    readonly resources?: readonly {
      readonly resource: string
      readonly scope: string
      readonly verbs: readonly string[]
      readonly responseKind?: { readonly kind: string }
    }[]
  }[]
}

/**
 * Asks a cluster what it serves: two requests where it knows aggregated discovery, else one per group version.
 * @throws when the cluster cannot be reached or answers neither
 */
export async function discover(api: KubeApi, signal?: AbortSignal): Promise<Discovered> {
  const types: DiscoveredType[] = []
  const stale = new Set<string>()
  for (const path of ['/api', '/apis']) {
    const document = await get<Document>(api, path, signal, `${AGGREGATED},application/json`)
    if (document.kind === 'APIGroupDiscoveryList') readAggregated(document.items ?? [], types, stale)
    else await readLegacy(api, document, types, stale, signal)
  }
  return { types, stale }
}

const get = <T>(api: KubeApi, path: string, signal?: AbortSignal, accept = 'application/json'): Promise<T> =>
  api.request<T>({ method: 'GET', path, accept, ...(signal && { signal }) })

function readAggregated(
  items: readonly AggregatedGroup[],
  types: DiscoveredType[],
  stale: Set<string>,
): void {
  for (const { metadata, versions = [] } of items) {
    const group = metadata?.name ?? ''
    for (const { version, freshness, resources = [] } of versions) {
      if (freshness === 'Stale') stale.add(`${group}/${version}`)
      for (const { resource, scope, verbs, responseKind } of resources) {
        const namespaced = scope === 'Namespaced'
        types.push({ group, version, resource, kind: responseKind?.kind ?? '', namespaced, verbs })
      }
    }
  }
}

interface ResourceList {
  readonly resources?: readonly {
    readonly name: string
    readonly kind: string
    readonly namespaced: boolean
    readonly verbs: readonly string[]
  }[]
}

async function readLegacy(
  api: KubeApi,
  { versions = [], groups = [] }: Document,
  types: DiscoveredType[],
  stale: Set<string>,
  signal?: AbortSignal,
): Promise<void> {
  const groupVersions = [
    ...versions.map(version => ({ group: '', version, path: `/api/${version}` })),
    ...groups.flatMap(({ name, versions: served }) =>
      served.map(({ version }) => ({ group: name, version, path: `/apis/${name}/${version}` })),
    ),
  ]
  for (const { group, version, path } of groupVersions) {
    try {
      const { resources = [] } = await get<ResourceList>(api, path, signal)
      for (const { name, kind, namespaced, verbs } of resources)
        if (!name.includes('/')) types.push({ group, version, resource: name, kind, namespaced, verbs })
    } catch (error) {
      if (signal?.aborted) throw error
      stale.add(`${group}/${version}`)
    }
  }
}

import { CLUSTERS, type Cluster } from '../../../karmada/objects/cluster.js'
import { RESOURCE_REGISTRIES, type ResourceRegistry } from '../../../karmada/objects/resource-registry.js'
import { type CachedType, selectedResources } from '../../../karmada/search/selected.js'
import type { KubeConnector } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import type { AggregatedApi } from '../../apiserver/catalogue/aggregation.js'
import type { ApiRequest, ApiResponse } from '../../apiserver/wire/exchange.js'
import { pageNotFound } from '../../apiserver/wire/exchange.js'
import { Reconciler } from '../../client/reconciler.js'
import { type ControlPlane, Source } from '../../client/source.js'
import { ResourceTypes } from '../propagation/resource-types.js'
import { cacheSearch } from './cache-search.js'
import { MemberApis } from './member-apis.js'
import { MultiClusterCache } from './multi-cluster-cache.js'
import { proxying } from './proxying.js'
import { connectedDefinitions, registryDefinition } from './registry-definition.js'
import { SearchCaches } from './search-caches.js'

/** What karmada-search needs. */
export interface KarmadaSearchOptions {
  readonly control: ControlPlane
  readonly connector: KubeConnector
  /** Answers as the control plane's API server, for an administrator. */
  readonly pass: (request: ApiRequest) => Promise<ApiResponse>
  readonly now: () => number
  readonly log: Log
}

/** There is one thing to reconcile: all registries with all clusters. */
const ALL = 'all'

/**
 * karmada-search: the API group search.karmada.io, and caches of what ResourceRegistries select of the members. Clusters are followed, and
 * members connected to, only while there is a ResourceRegistry.
 */
export class KarmadaSearch {
  /** To be served by the control plane's API server before `start`. */
  readonly api: AggregatedApi
  readonly #options: KarmadaSearchOptions
  readonly #registries = new Source<ResourceRegistry>(RESOURCE_REGISTRIES)
  #clusters: Source<Cluster> | undefined
  readonly #queue: Reconciler
  readonly #types: ResourceTypes
  readonly #members: MemberApis
  readonly #cache: MultiClusterCache
  readonly #searched: SearchCaches

  constructor(options: KarmadaSearchOptions) {
    const { control, connector, pass, now, log } = options
    this.#options = options
    this.#types = new ResourceTypes(control.api)
    this.#members = new MemberApis(control.api, connector, name => this.#clusters?.get(name))
    const memberOf = (name: string) => this.#members.of(name)
    this.#cache = new MultiClusterCache(memberOf, now)
    this.#searched = new SearchCaches(memberOf)
    this.#queue = new Reconciler({ log, reconcile: () => this.#reconcile() })
    const handlers = {
      proxying: proxying({ control: control.api, pass, cache: this.#cache, now }),
      search: cacheSearch(this.#searched, this.#types),
    }
    this.api = {
      group: RESOURCE_REGISTRIES.group,
      version: RESOURCE_REGISTRIES.version,
      definitions: [registryDefinition],
      virtual: connectedDefinitions,
      handle: async request => {
        const { resource, name } = request.info
        if (name === '' || (resource !== 'proxying' && resource !== 'search')) return pageNotFound()
        return handlers[resource](request)
      },
      service: { namespace: 'karmada-system', name: 'karmada-search' },
    }
  }

  start(): void {
    this.#registries.listen(() => this.#queue.add(ALL))
    this.#registries.start(this.#options.control)
  }

  async close(): Promise<void> {
    this.#registries.close()
    this.#clusters?.close()
    await this.#queue.close()
    this.#cache.close()
    this.#searched.close()
    await this.#members.close()
  }

  async #reconcile(): Promise<undefined> {
    await this.#registries.synced
    const registries = this.#registries.values()
    const clusters = registries.length > 0 ? await this.#followed() : this.#unfollowed()
    const types = await this.#typesOf(registries)
    const typeOf = (apiVersion: string, kind: string) => types.get(`${apiVersion} ${kind}`)
    const selected = selectedResources(registries, clusters, typeOf)
    this.#cache.update(selected)
    this.#searched.update(registries, clusters, typeOf)
    return undefined
  }

  /** The Clusters; each change of them leads to another reconciliation. */
  async #followed(): Promise<readonly Cluster[]> {
    if (!this.#clusters) {
      this.#clusters = new Source<Cluster>(CLUSTERS)
      this.#clusters.listen(({ type, object }) => {
        if (type === 'DELETED') void this.#members.drop(object.metadata.name)
        this.#queue.add(ALL)
      })
      this.#clusters.start(this.#options.control)
    }
    await this.#clusters.synced
    return this.#clusters.values()
  }

  #unfollowed(): readonly Cluster[] {
    for (const { metadata } of this.#clusters?.values() ?? []) void this.#members.drop(metadata.name)
    this.#clusters?.close()
    this.#clusters = undefined
    return []
  }

  /** The types of all selectors that the control plane serves. */
  async #typesOf(registries: readonly ResourceRegistry[]): Promise<ReadonlyMap<string, CachedType>> {
    const found = new Map<string, CachedType>()
    for (const { spec } of registries)
      for (const { apiVersion, kind } of spec?.resourceSelectors ?? []) {
        const key = `${apiVersion} ${kind}`
        const type = found.has(key) ? undefined : await this.#types.find(apiVersion, kind)
        if (type) found.set(key, type)
      }
    return found
  }
}

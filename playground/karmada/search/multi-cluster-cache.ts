import { hasNamespace, sameNamespaces } from '../../../karmada/search/namespaces.js'
import {
  type CachedResource,
  type CachedType,
  type SelectedResources,
  typeKey,
} from '../../../karmada/search/selected.js'
import { type GroupVersionResource, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { isNotFound } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { conflict, customStatus, notFound } from '../../apiserver/api-status.js'
import { MemberCache } from './member-cache.js'

/** One cached type of one cluster. */
export interface CachedTypeOfCluster {
  readonly cache: MemberCache
  readonly type: CachedType
  /** The member itself, for reads that must be of its newest state. */
  readonly api: KubeApi
}

/** An object, and the cluster that it is in. */
export interface LocatedObject {
  readonly cluster: string
  readonly object: KubeObject
}

/** Where an object is meant to be. */
interface Name {
  readonly namespace: string
  readonly name: string
}

/** The objects of all members that ResourceRegistries select. Owns a cache for each type of each cluster. */
export class MultiClusterCache {
  readonly #clusters = new Map<string, Map<string, CachedTypeOfCluster>>()
  readonly #invalidated = new Set<() => void>()
  #registered: ReadonlyMap<string, CachedType> = new Map()

  /** @param memberOf the API of a member, by the name of its Cluster */
  constructor(
    private readonly memberOf: (cluster: string) => KubeApi,
    private readonly now: () => number,
  ) {}

  /** Caches what is selected from now on, and nothing else. Watches end where a cluster has come: their clients begin anew. */
  update({ clusters, registered }: SelectedResources): void {
    for (const [name, types] of this.#clusters) {
      if (!clusters.has(name)) this.#clusters.delete(name)
      for (const [key, { cache }] of types) {
        const wanted = clusters.get(name)?.get(key)
        if (wanted && sameNamespaces(wanted.namespaces, cache.namespaces)) continue
        types.delete(key)
        cache.close()
      }
    }
    let hasCome = false
    for (const [name, resources] of clusters) {
      const types = this.#clusters.get(name) ?? new Map<string, CachedTypeOfCluster>()
      hasCome ||= !this.#clusters.has(name)
      this.#clusters.set(name, types)
      for (const [key, resource] of resources)
        if (!types.has(key)) types.set(key, this.#cached(name, resource))
    }
    this.#registered = registered
    if (hasCome) for (const invalidate of [...this.#invalidated]) invalidate()
  }

  /** The type of a registry, whether or not a cluster has it. */
  registered(resource: GroupVersionResource): CachedType | undefined {
    return this.#registered.get(typeKey(resource))
  }

  /** The clusters that registries select, by name. */
  get clusters(): readonly string[] {
    return [...this.#clusters.keys()].sort()
  }

  find(cluster: string, resource: GroupVersionResource): CachedTypeOfCluster | undefined {
    return this.#clusters.get(cluster)?.get(typeKey(resource))
  }

  /** Calls back when a cluster has come. @returns what ends it */
  onClusterAdded(listener: () => void): () => void {
    this.#invalidated.add(listener)
    return () => this.#invalidated.delete(listener)
  }

  /**
   * The object of a name, out of the caches.
   * @throws StatusError NotFound; Conflict where several clusters have one; 500 for a request without a name
   */
  async locate(type: CachedType, { namespace, name }: Name): Promise<LocatedObject> {
    const found: LocatedObject[] = []
    const qualified = { group: type.group, resource: type.resource }
    for (const cluster of this.clusters) {
      const cached = this.find(cluster, type)
      if (!cached) continue
      const lacking = type.namespaced && namespace === '' ? 'Namespace' : name === '' ? 'Name' : undefined
      const fails = (why: string) =>
        customStatus(500, '', `fail to get ${namespace} ${name} from ${cluster}: ${why}`)
      if (lacking !== undefined) throw fails(`${lacking} parameter required.`)
      const object = await this.#objectIn(cached, { namespace, name }).catch((error: Error) => {
        throw fails(error.message)
      })
      if (object) found.push({ cluster, object })
    }
    const [first] = found
    if (!first) throw notFound(qualified, name)
    if (found.length === 1) return first
    const names = found.map(({ cluster }) => cluster).join(', ')
    throw conflict(qualified, name, `ambiguous objects in clusters [${names}]`)
  }

  /** The object as its member has it now. @throws StatusError as `locate` */
  async get(type: CachedType, place: Name, isFromCache: boolean): Promise<LocatedObject> {
    const { cluster, object } = await this.locate(type, place)
    const cached = this.find(cluster, type)
    if (isFromCache || !cached) return { cluster, object }
    const path = resourcePath(type, place)
    return { cluster, object: await cached.api.request<KubeObject>({ method: 'GET', path }) }
  }

  close(): void {
    this.update({ clusters: new Map(), registered: new Map() })
    for (const invalidate of [...this.#invalidated]) invalidate()
  }

  #cached(cluster: string, { type, namespaces }: CachedResource): CachedTypeOfCluster {
    const api = this.memberOf(cluster)
    return { type, api, cache: new MemberCache(api, type, namespaces, this.now) }
  }

  /** A cache that has no list yet cannot say that an object is missing: the member is read. */
  async #objectIn({ cache, api, type }: CachedTypeOfCluster, place: Name): Promise<KubeObject | undefined> {
    if (cache.isReady) return cache.get(place.namespace, place.name)
    if (type.namespaced && !hasNamespace(cache.namespaces, place.namespace)) return undefined
    try {
      return await api.request<KubeObject>({ method: 'GET', path: resourcePath(type, place) })
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }
}

import { virtualClusterName } from '../../manifests/instance.js'
import { isMadeFor } from '../../manifests/names.js'
import { CLUSTER_ANNOTATION, indexPath, READ_API } from '../../manifests/pedia-cluster.js'
import type { IndexedType, IndexFreshness, InstanceIndex } from '../../ports/instance-index.js'
import type { Sender } from '../../ports/kube-api.js'
import type { IndexedTypes, KeptVirtualCluster } from '../host/kept-virtual-cluster.js'
import type { Host } from '../host/watch-host.js'

/** What the indexes are read from. */
export interface IndexSources {
  readonly host: Host
  readonly freshnessOf: (name: string) => IndexFreshness
  /** Called when a request came that the index of this instance could answer. */
  readonly read: (name: string) => void
}

/**
 * The indexes of all instances, as their PediaClusters describe them. Clusterpedia and the embedded engine speak the same
 * read API; what sets them apart is what they declare, so one adapter serves both.
 */
export class InstanceIndexes {
  readonly #sources: IndexSources
  readonly #indexes = new WeakMap<KeptVirtualCluster, InstanceIndex>()
  /** The endpoint of each index, by the PediaCluster's name. It lasts, and so does its circuit. */
  readonly #upstreams = new Map<string, { readonly host: Sender; readonly upstream: Sender }>()
  /** The endpoint of the whole index. */
  readonly #shared = new WeakMap<Sender, Sender>()
  /** The types of each PediaCluster that were read whole, by its name. */
  readonly #whole = new Map<string, { readonly uid: string | undefined; readonly types: IndexedTypes }>()

  constructor(sources: IndexSources) {
    this.#sources = sources
    // For as long as the host is watched. Each change counts: a type that was read anew meanwhile is not whole.
    sources.host.virtualClusters.changes.subscribe(change => {
      if (change.type === 'SYNCED') return
      const { name } = change.object.metadata
      if (change.type === 'DELETED') {
        this.#whole.delete(name)
        this.#upstreams.delete(name)
      } else this.#note(change.object)
    })
  }

  /** Undefined while there is no virtual cluster of ours, it is being deleted, or its state is unknown. */
  of(name: string): InstanceIndex | undefined {
    const { virtualClusters, api } = this.#sources.host
    if (!virtualClusters.inContact || !api.upstream) return undefined
    const cluster = virtualClusters.get(virtualClusterName(name))
    if (!cluster || cluster.outside.deleting || !isMadeFor(cluster, name)) return undefined
    const index = this.#indexes.get(cluster) ?? this.#indexOf(name, cluster, api.upstream)
    this.#indexes.set(cluster, index)
    return index
  }

  #indexOf(name: string, cluster: KeptVirtualCluster, host: Sender): InstanceIndex {
    const { metadata, can, trouble } = cluster
    const { freshnessOf, read } = this.#sources
    const { roleBindings } = this.#sources.host
    const types = this.#whole.get(metadata.name)?.types ?? withoutUnknown(cluster.types, undefined)
    return {
      can,
      ...(trouble !== undefined && { trouble }),
      holds: ({ group, version, resource }: IndexedType) =>
        types.get(`${group}/${version}/${resource}`) ?? 'no',
      get freshness() {
        return freshnessOf(name)
      },
      noteRead: () => read(name),
      get rights() {
        return roleBindings.rightsOf(name)
      },
      mark: `${JSON.stringify(CLUSTER_ANNOTATION)}:${JSON.stringify(metadata.name)}`,
      upstream: this.#upstreamOf(metadata.name, host),
      shared: {
        cluster: metadata.name,
        annotation: CLUSTER_ANNOTATION,
        upstream: this.#sharedOf(host),
      },
    }
  }

  #sharedOf(host: Sender): Sender {
    const shared = this.#shared.get(host) ?? below(host, READ_API)
    this.#shared.set(host, shared)
    return shared
  }

  #upstreamOf(cluster: string, host: Sender): Sender {
    const known = this.#upstreams.get(cluster)
    if (known?.host === host) return known.upstream
    const upstream = below(host, indexPath(cluster))
    this.#upstreams.set(cluster, { host, upstream })
    return upstream
  }

  /** A paused type is whole if it was so before, in the same PediaCluster. */
  #note({ metadata: { name, uid }, types }: KeptVirtualCluster): void {
    const before = this.#whole.get(name)
    const isPaused = [...types.values()].includes('paused')
    const known = before?.uid === uid ? before?.types : undefined
    this.#whole.set(name, { uid, types: isPaused ? withoutUnknown(types, known) : types })
  }
}

/** Paused types of which it is not known that they were whole before count as being read. */
const withoutUnknown = (types: IndexedTypes, before: IndexedTypes | undefined): IndexedTypes =>
  new Map(
    [...types].map(([type, state]) => {
      const isKnown = before?.get(type) === 'synced' || before?.get(type) === 'paused'
      return [type, state === 'paused' && !isKnown ? 'syncing' : state]
    }),
  )

/** An endpoint's paths below another path of it. */
const below = (upstream: Sender, path: string): Sender => ({
  send: (request, sink) => upstream.send({ ...request, path: path + request.path }, sink),
})

import { virtualClusterName } from '../manifests/instance.js'
import type { KubeObject } from '../manifests/kube.js'
import { isMadeFor } from '../manifests/names.js'
import {
  CLUSTER_ANNOTATION,
  declaredCapabilities,
  indexPath,
  indexTrouble,
  type PediaCluster,
  syncedTypes,
  syncVerdict,
} from '../manifests/pedia-cluster.js'
import type {
  IndexCapabilities,
  IndexedType,
  IndexFreshness,
  InstanceIndex,
} from '../ports/instance-index.js'
import type { Upstream } from '../ports/kube-api.js'
import type { Host } from './host.js'
import { type Kept, kept } from './outside-object.js'

/** What stays in memory of an instance's PediaCluster. */
export interface KeptVirtualCluster extends Kept {
  readonly can: IndexCapabilities
  readonly trouble?: string
  readonly types: Types
}

type Types = ReadonlyMap<string, 'syncing' | 'synced'>

/** Different lists of types that are remembered at once: a fleet has as many as there are versions and settings in it. */
const KNOWN_LISTS = 256
const known = new Map<string, Types>()

/** The one copy of a list of types: most instances of a fleet sync the same ones, and are equally far. */
function shared(types: Types): Types {
  const key = JSON.stringify([...types])
  const same = known.get(key)
  if (same) return same
  const [oldest] = known.keys()
  if (known.size >= KNOWN_LISTS && oldest !== undefined) known.delete(oldest)
  known.set(key, types)
  return types
}

/** Keeps of a PediaCluster what the machines and the index's readers need. */
export const keptVirtualCluster = (object: KubeObject): KeptVirtualCluster => {
  const cluster = object as PediaCluster
  const declared = declaredCapabilities(cluster)
  const trouble = indexTrouble(cluster)
  return {
    ...kept<PediaCluster>(syncVerdict)(object),
    can: {
      lossless: declared.has('lossless'),
      listResourceVersion: declared.has('list-resource-version'),
      watch: declared.has('watch'),
    },
    types: shared(syncedTypes(cluster)),
    ...(trouble !== undefined && { trouble }),
  }
}

/** What the indexes are read from. */
export interface IndexSources {
  readonly host: Host
  readonly freshnessOf: (name: string) => IndexFreshness
}

/**
 * The indexes of all instances, as their PediaClusters describe them. Clusterpedia and the embedded engine speak the same
 * read API; what sets them apart is what they declare, so one adapter serves both.
 */
export class InstanceIndexes {
  readonly #sources: IndexSources
  readonly #indexes = new WeakMap<KeptVirtualCluster, InstanceIndex>()

  constructor(sources: IndexSources) {
    this.#sources = sources
  }

  /** Undefined while there is no virtual cluster of ours, it is going, or nobody knows how it stands. */
  of(name: string): InstanceIndex | undefined {
    const { virtualClusters, api } = this.#sources.host
    if (!virtualClusters.inContact || !api.upstream) return undefined
    const cluster = virtualClusters.get(virtualClusterName(name))
    if (!cluster || cluster.outside.deleting || !isMadeFor(cluster, name)) return undefined
    const index = this.#indexes.get(cluster) ?? this.#indexOf(name, cluster, api.upstream)
    this.#indexes.set(cluster, index)
    return index
  }

  #indexOf(
    name: string,
    { metadata, can, types, trouble }: KeptVirtualCluster,
    host: Upstream,
  ): InstanceIndex {
    const { freshnessOf } = this.#sources
    return {
      can,
      ...(trouble !== undefined && { trouble }),
      holds: ({ group, version, resource }: IndexedType) =>
        types.get(`${group}/${version}/${resource}`) ?? 'no',
      get freshness() {
        return freshnessOf(name)
      },
      mark: `${JSON.stringify(CLUSTER_ANNOTATION)}:${JSON.stringify(metadata.name)}`,
      upstream: below(host, indexPath(metadata.name)),
    }
  }
}

/** An endpoint's paths below another path of it. */
const below = (upstream: Upstream, path: string): Upstream => ({
  send: (request, sink) => upstream.send({ ...request, path: path + request.path }, sink),
  open: request => upstream.open({ ...request, path: path + request.path }),
})

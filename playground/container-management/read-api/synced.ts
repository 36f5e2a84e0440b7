import type { IndexedType } from '../index/resource-index.js'

/** One type that a cluster's synchro collects, and how far it is. */
export interface SyncedType extends IndexedType {
  /** True once its first list is complete: until then absence means nothing. */
  readonly listed: boolean
}

/** What the read API must know of a cluster: does it exist, is it healthy, what is collected of it. */
export interface SyncedCluster {
  readonly name: string
  /** Reason of a ClusterHealthy condition that is not True; undefined when healthy. */
  readonly unhealthy?: string
  readonly types: readonly SyncedType[]
}

/** The clusters there are, as the synchro manager knows them. */
export interface SyncedClusters {
  get(name: string): SyncedCluster | undefined
  values(): Iterable<SyncedCluster>
}

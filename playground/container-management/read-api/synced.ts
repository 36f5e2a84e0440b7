import type { IndexedType } from '../index/resource-index.js'

/** One type that a cluster's synchro collects. */
export type SyncedType = IndexedType

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

import type { IndexedType } from '../index/resource-index.js'

/** What the read API must know of a cluster: does it exist, is it healthy, what is collected of it. */
export interface SyncedCluster {
  readonly name: string
  /** Reason of a ClusterHealthy condition that is not True; undefined when healthy. */
  readonly unhealthy?: string
  /** What its synchro collects. */
  readonly types: readonly IndexedType[]
}

/** The clusters there are, as the synchro manager knows them. */
export interface SyncedClusters {
  get(name: string): SyncedCluster | undefined
  values(): Iterable<SyncedCluster>
}

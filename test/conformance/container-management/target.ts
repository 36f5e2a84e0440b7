import type { Identity } from '../apiserver/wire.js'

/** One Kubernetes API that gets indexed, and how its objects are written. */
export interface SourceCluster {
  readonly url: string
  readonly ca: string
  readonly administrator: Identity
  /** The text Container Management gets to reach it with. */
  readonly kubeconfig: string
}

/** One host with Container Management, real or embedded, and two clusters it may index. */
export interface ReadTarget {
  readonly name: string
  readonly url: string
  readonly ca: string
  readonly administrator: Identity
  /** User `alice` of group `developers` on the host. */
  readonly alice: Identity
  readonly sources: readonly [SourceCluster, SourceCluster]
  close(): Promise<void>
}

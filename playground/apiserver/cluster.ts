import type { Log } from '../../ports/log.js'
import type { Authorizer } from './access/authorizer.js'
import type { CertificateAuthority } from './access/certificates.js'
import type { Tokens } from './access/tokens.js'
import type { Webhooks } from './admission/webhooks.js'
import type { Aggregation } from './catalogue/aggregation.js'
import type { Catalogue } from './catalogue/catalogue.js'
import type { PodConnection } from './endpoints/kubelet.js'
import type { OpenWatches } from './operations/open-watches.js'
import type { Collection } from './store/collection.js'
import type { Store } from './store/store.js'

/** One logical cluster as its parts see it: what it holds, what it serves, who signs for it and what time it is. */
export interface Cluster {
  readonly name: string
  readonly store: Store
  readonly catalogue: Catalogue
  readonly aggregation: Aggregation
  readonly authorizer: Authorizer
  readonly authority: CertificateAuthority
  readonly tokens: Tokens
  readonly watches: OpenWatches
  /** The webhooks of this cluster, where it has any. */
  readonly webhooks?: Webhooks
  /** What answers for the kubelets of its nodes, where it has any. */
  readonly kubelet?: PodConnection
  /** Milliseconds from the deletion of a namespace until it is emptied; 0 where absent. */
  readonly namespaceGraceMs?: number
  /** What /version reports. */
  readonly gitVersion: string
  /** host:port of the listener, for discovery. */
  address(): string
  readonly log: Log
  /** The clock, milliseconds since the epoch. */
  now(): number
  /** Resolves after so many milliseconds, or when the cluster closes. */
  delay(milliseconds: number): Promise<void>
  collection(id: string): Collection
}

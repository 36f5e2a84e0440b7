import type { LeaseDurations } from '../../machines/lease-terms.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import type { LeaseClock } from './lease-clock.js'

/** What a replica needs to take part in the election. */
export interface LeaseOptions {
  readonly api: KubeApi
  readonly namespace: string
  readonly name: string
  /** The name of this replica, for people. A random part is added, because a host name and process id are not unique. */
  readonly identity: string
  /** False: only follow who holds it. */
  readonly contend: boolean
  readonly durations?: LeaseDurations
  readonly clock?: LeaseClock
  /**
   * Resolves when all effects of the ended term have stopped. Awaited before the lease is given back, so that the next
   * holder acts alone; if it takes longer than the term would have lasted, the lease is left to expire.
   */
  readonly drain?: () => Promise<void>
  /** Called when the election itself fails, which is a defect. This replica would never lead again, so the process has to end. */
  readonly failed: (error: unknown) => void
  readonly log: Log
  readonly meter: Meter
}

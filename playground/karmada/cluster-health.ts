import type { Taint } from '../../karmada/objects/cluster.js'
import type { Condition } from '../../manifests/kube.js'

/** What a probe of a member's health endpoint said. */
export type Health = 'healthy' | 'unhealthy' | 'unreachable' | { readonly uncollectable: string }

type Observed = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

/** The Ready condition that one probe stands for, in Karmada's words. */
export function readyCondition(health: Health): Observed {
  if (health === 'healthy')
    return ready('True', 'ClusterReady', 'cluster is healthy and ready to accept workloads')
  if (health === 'unhealthy')
    return ready('False', 'ClusterNotReady', 'cluster is reachable but health endpoint responded without ok')
  if (health === 'unreachable') return ready('False', 'ClusterNotReachable', 'cluster is not reachable')
  return ready('False', 'StatusCollectionFailed', `failed to create a ClusterClient: ${health.uncollectable}`)
}

const ready = (status: Condition['status'], reason: string, message: string): Observed => ({
  type: 'Ready',
  status,
  reason,
  message,
})

/** How discovery of a member's APIs went. */
export function apiEnablementsCondition(count: number, partial: boolean): Observed {
  const type = 'CompleteAPIEnablements'
  if (count === 0)
    return {
      type,
      status: 'False',
      reason: 'Empty',
      message: 'collected empty APIEnablements from the cluster',
    }
  if (partial) {
    const message = `might collect partial APIEnablements(${count}) from the cluster`
    return { type, status: 'False', reason: 'Partial', message }
  }
  return {
    type,
    status: 'True',
    reason: 'Complete',
    message: 'collected complete APIEnablements from the cluster',
  }
}

/** How long a change of readiness must last before it counts, in milliseconds. Karmada's default is 30 s for both. */
export interface Thresholds {
  readonly success: number
  readonly failure: number
}

/** Remembers since when probes say what they say, so that a short hiccup does not flip the Ready condition. */
export class ReadinessThreshold {
  readonly #thresholds: Thresholds
  #status: Condition['status'] | undefined
  #since = 0

  constructor(thresholds: Thresholds) {
    this.#thresholds = thresholds
  }

  /**
   * @param current the Ready condition the cluster has now; without one the first observation counts at once
   * @param now milliseconds
   * @returns the condition to report: the observed one, or the current one until the threshold has passed
   */
  adjust(observed: Observed, current: Observed | undefined, now: number): Observed {
    if (this.#status === undefined) {
      this.#status = observed.status
      return observed
    }
    if (!current) return observed
    if (this.#status !== observed.status) {
      this.#status = observed.status
      this.#since = now
    }
    const isUp = observed.status === 'True'
    const flips = isUp !== (current.status === 'True')
    const threshold = isUp ? this.#thresholds.success : this.#thresholds.failure
    return flips && now < this.#since + threshold ? current : observed
  }
}

const NOT_READY = 'cluster.karmada.io/not-ready'
const UNREACHABLE = 'cluster.karmada.io/unreachable'

/** The taints a cluster should carry for its Ready status; others are left as they are. The same array when nothing changes. */
export function taintsFor(
  status: Condition['status'] | undefined,
  taints: readonly Taint[],
): readonly Taint[] {
  const wanted = status === 'True' ? undefined : status === 'Unknown' ? UNREACHABLE : NOT_READY
  const unwanted = [NOT_READY, UNREACHABLE].filter(key => key !== wanted)
  const isOurs = (taint: Taint, key: string) => taint.key === key && taint.effect === 'NoSchedule'
  const kept = taints.filter(taint => !unwanted.some(key => isOurs(taint, key)))
  const missing = wanted !== undefined && !kept.some(taint => isOurs(taint, wanted))
  if (!missing) return kept.length === taints.length ? taints : kept
  return [...kept, { key: wanted, effect: 'NoSchedule' }]
}

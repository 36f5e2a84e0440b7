import { FEDERATED_HPAS } from '../../../karmada/autoscaling/cron-scaling.js'
import { type FederatedHpa, TargetError } from '../../../karmada/autoscaling/federated-hpa.js'
import {
  condition,
  decideScale,
  type HpaCondition,
  type HpaDecision,
} from '../../../karmada/autoscaling/hpa.js'
import { afterScaling, type HpaMemory, NO_MEMORY } from '../../../karmada/autoscaling/hpa-behavior.js'
import { sameJson } from '../../../karmada/same-json.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import { update } from '../../client/write.js'
import { setConditions } from '../../objects/conditions.js'
import { timestamp } from '../../objects/timestamp.js'
import { normal, warning } from '../propagation/events.js'
import { scale } from './scale-target.js'
import { type FederatedHpaOptions, viewOf } from './workload-view.js'

/** How often Karmada looks at a FederatedHPA (`--horizontal-pod-autoscaler-sync-period`), milliseconds. */
const SYNC_MS = 15_000

/** After a failure, milliseconds; Karmada tries again after pauses that grow. */
const RETRY_MS = 2_000

const COMPONENT = 'federatedHPA-controller'

type Report = Pick<
  NonNullable<FederatedHpa['status']>,
  'currentReplicas' | 'desiredReplicas' | 'currentMetrics'
>

/** Karmada's FederatedHPA controller: scales templates by what their pods in all members use. */
export class FederatedHpaController {
  readonly #options: FederatedHpaOptions
  readonly #queue: Reconciler
  /** By `namespace/name`. */
  readonly #memories = new Map<string, HpaMemory>()

  constructor(options: FederatedHpaOptions) {
    this.#options = options
    this.#queue = new Reconciler({ log: options.log, reconcile: key => this.#reconcile(key) })
    options.observed.hpas.listen(difference => {
      const { type, object } = difference
      const isNews = type !== 'MODIFIED' || !sameJson(object.spec, difference.previous.spec)
      if (isNews) this.#queue.add(objectKey(object))
    })
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async #reconcile(key: string): Promise<ReconcileResult> {
    const { observed, events } = this.#options
    await observed.synced()
    const hpa = observed.hpas.get(key)
    if (!hpa || hpa.metadata.deletionTimestamp) {
      this.#memories.delete(key)
      return undefined
    }
    try {
      const view = await viewOf(hpa, this.#options)
      const memory = this.#memories.get(key) ?? NO_MEMORY
      const decision = decideScale(hpa.spec, { ...view, memory })
      for (const note of decision.notes) events.tell(hpa, COMPONENT, note)
      this.#memories.set(key, decision.memory)
      await this.#act(hpa, decision, view.replicas, key)
      return { again: decision.hasFailed ? RETRY_MS : SYNC_MS }
    } catch (error) {
      if (!(error instanceof TargetError)) throw error
      const { reason, eventReason, unableTo, message } = error
      events.tell(hpa, COMPONENT, warning(eventReason, error))
      const why = `the HPA controller was unable to ${unableTo}: ${message}`
      await this.#report(hpa, [condition('AbleToScale', false, reason, why)], {}, false)
      return { again: RETRY_MS }
    }
  }

  async #act(hpa: FederatedHpa, decision: HpaDecision, current: number, key: string): Promise<void> {
    const { control, types, events, now } = this.#options
    const { replicas, reason, conditions, currentMetrics, hasFailed } = decision
    const seen = { currentReplicas: current, ...(currentMetrics && { currentMetrics }) }
    if (replicas === current) {
      const report = hasFailed ? { currentReplicas: current } : { ...seen, desiredReplicas: replicas }
      return this.#report(hpa, conditions, report, false)
    }
    const others = conditions.filter(({ type }) => type !== 'AbleToScale')
    const { namespace = '' } = hpa.metadata
    try {
      await scale(control, types, namespace, hpa.spec.scaleTargetRef, () => replicas)
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error)
      const told = `New size: ${replicas}; reason: ${reason}; error: ${cause}`
      events.tell(hpa, COMPONENT, { type: 'Warning', reason: 'FailedRescale', message: told })
      const why = `the HPA controller was unable to update the target scale: ${cause}`
      const failed = condition('AbleToScale', false, 'FailedUpdateScale', why)
      return this.#report(hpa, [...others, failed], { currentReplicas: current }, false)
    }
    this.#memories.set(key, afterScaling(decision.memory, current, replicas, now()))
    events.tell(hpa, COMPONENT, normal('SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`))
    const done = `the HPA controller was able to update the target scale to ${replicas}`
    const scaled = condition('AbleToScale', true, 'SucceededRescale', done)
    return this.#report(hpa, [...others, scaled], { ...seen, desiredReplicas: replicas }, true)
  }

  async #report(
    { metadata }: FederatedHpa,
    conditions: readonly HpaCondition[],
    report: Report,
    hasScaled: boolean,
  ): Promise<void> {
    const { control, now } = this.#options
    const { namespace = '', name } = metadata
    const place = { namespace, name, subresource: 'status' }
    await update<FederatedHpa>(control, FEDERATED_HPAS, place, current => {
      const time = timestamp(now())
      const status = {
        desiredReplicas: 0,
        ...current.status,
        ...report,
        conditions: setConditions(current.status?.conditions, conditions, time),
        ...(hasScaled && { lastScaleTime: time }),
      }
      return sameJson(status, current.status) ? current : { ...current, status }
    })
  }
}

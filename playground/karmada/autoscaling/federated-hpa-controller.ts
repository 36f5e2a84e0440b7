import { FEDERATED_HPAS } from '../../../karmada/autoscaling/cron-scaling.js'
import { type FederatedHpa, type Limited, limited } from '../../../karmada/autoscaling/federated-hpa.js'
import { sameJson } from '../../../karmada/same-json.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import { update } from '../../client/write.js'
import { setConditions } from '../../objects/conditions.js'
import { timestamp } from '../../objects/timestamp.js'
import { normal, warning } from '../propagation/events.js'
import type { CronScalingOptions } from './cron-scaling-controller.js'
import { scale } from './scale-target.js'

/** How often Karmada looks at a FederatedHPA (`--horizontal-pod-autoscaler-sync-period`), milliseconds. */
const SYNC_MS = 15_000

const COMPONENT = 'federatedHPA-controller'

/**
 * The part of Karmada's FederatedHPA controller that needs no metrics: workloads keep within the limits. Members have no
 * metrics, so that nothing else scales them.
 */
export class FederatedHpaController {
  readonly #options: CronScalingOptions
  readonly #queue: Reconciler

  constructor(options: CronScalingOptions) {
    this.#options = options
    this.#queue = new Reconciler({ log: options.log, reconcile: key => this.#reconcile(key) })
    options.observed.hpas.listen(difference => {
      const { type, object } = difference
      const isNews =
        type === 'ADDED' || (type === 'MODIFIED' && !sameJson(object.spec, difference.previous.spec))
      if (isNews) this.#queue.add(objectKey(object))
    })
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async #reconcile(key: string): Promise<ReconcileResult> {
    const { control, observed, types, events } = this.#options
    await observed.synced()
    const hpa = observed.hpas.get(key)
    if (!hpa || hpa.metadata.deletionTimestamp) return undefined
    const { namespace = '' } = hpa.metadata
    let change: Limited | undefined
    try {
      const { after } = await scale(control, types, namespace, hpa.spec.scaleTargetRef, replicas => {
        change = limited(hpa, replicas)
        return change?.replicas ?? replicas
      })
      if (change) {
        const message = `New size: ${after}; reason: ${change.reason}`
        events.tell(hpa, COMPONENT, normal('SuccessfulRescale', message))
      }
      await this.#report(hpa, after, change !== undefined)
    } catch (error) {
      events.tell(hpa, COMPONENT, warning('FailedGetScale', error))
    }
    return { again: SYNC_MS }
  }

  async #report({ metadata }: FederatedHpa, replicas: number, hasScaled: boolean): Promise<void> {
    const { control, now } = this.#options
    const { namespace = '', name } = metadata
    const place = { namespace, name, subresource: 'status' }
    const observed = [
      {
        type: 'AbleToScale',
        status: 'True',
        reason: 'SucceededGetScale',
        message: "the FederatedHPA controller was able to get the target's current scale",
      },
      {
        type: 'ScalingActive',
        status: 'False',
        reason: 'FailedGetResourceMetric',
        message: 'the members of a playground have no metrics',
      },
    ] as const
    await update<FederatedHpa>(control, FEDERATED_HPAS, place, current => {
      const time = timestamp(now())
      const status = {
        ...current.status,
        conditions: setConditions(current.status?.conditions, observed, time),
        currentReplicas: replicas,
        desiredReplicas: replicas,
        observedGeneration: current.metadata.generation ?? 0,
        ...(hasScaled && { lastScaleTime: time }),
      }
      return sameJson(status, current.status) ? current : { ...current, status }
    })
  }
}

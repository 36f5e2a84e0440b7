import {
  FEDERATED_RESOURCE_QUOTAS,
  type FederatedResourceQuota,
  type QuotaStatus,
} from '../../../karmada/objects/federated-resource-quota.js'
import { clusterQuotas, quotaKeyOf } from '../../../karmada/quota/member-quotas.js'
import { usedOf } from '../../../karmada/quota/usage.js'
import { sameJson } from '../../../karmada/same-json.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import { update } from '../../client/write.js'
import { type Events, normal } from '../propagation/events.js'
import type { Observed } from '../propagation/observed.js'

/**
 * Karmada's quota status and enforcement controllers: what members report of the ResourceQuotas that they were assigned, and
 * what the bindings of the namespace request of the whole.
 */
export class QuotaStatusController {
  readonly #control: KubeApi
  readonly #observed: Observed
  readonly #events: Events
  readonly #queue: Reconciler

  constructor(control: KubeApi, observed: Observed, events: Events, log: Log) {
    this.#control = control
    this.#observed = observed
    this.#events = events
    this.#queue = new Reconciler({ log, reconcile: key => this.#reconcile(key) })
    observed.quotas.listen(({ type, object }) => {
      if (type !== 'DELETED') this.#queue.add(objectKey(object))
    })
    observed.works.listen(({ object }) => {
      const key = quotaKeyOf(object)
      if (key !== undefined) this.#queue.add(key)
    })
    observed.onBinding(difference => {
      const { type, object } = difference
      const isRelevant = type !== 'MODIFIED' || !sameJson(object.spec, difference.previous.spec)
      if (!isRelevant) return
      for (const quota of observed.quotas.values())
        if (quota.metadata.namespace === object.metadata.namespace) this.#queue.add(objectKey(quota))
    })
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async #reconcile(key: string): Promise<ReconcileResult> {
    await this.#observed.synced()
    const quota = this.#observed.quotas.get(key)
    if (!quota || quota.metadata.deletionTimestamp) return undefined
    const before = quota.status ?? {}
    const { namespace = '', name } = quota.metadata
    const place = { namespace, name, subresource: 'status' }
    let after: QuotaStatus = before
    await update<FederatedResourceQuota>(this.#control, FEDERATED_RESOURCE_QUOTAS, place, current => {
      after = this.#statusOf(current)
      return sameJson(after, current.status ?? {}) ? current : { ...current, status: after }
    })
    const message = `Collect status of FederatedResourceQuota(${key}) succeed.`
    const tell = (component: string, reason: string) =>
      this.#events.tell(quota, `federated-resource-quota-${component}-controller`, normal(reason, message))
    if (!sameJson(before.aggregatedStatus, after.aggregatedStatus)) tell('status', 'AggregateStatusSucceed')
    const isNews =
      !sameJson(before.overall, after.overall) || !sameJson(before.overallUsed, after.overallUsed)
    if (isNews) tell('enforcement', 'CollectOverallStatusSucceed')
    return undefined
  }

  #statusOf(quota: FederatedResourceQuota): QuotaStatus {
    const key = objectKey(quota)
    const works = this.#observed.works.values().filter(one => quotaKeyOf(one) === key)
    const bindings = this.#observed.bindings.filter(
      ({ metadata }) => metadata.namespace === quota.metadata.namespace,
    )
    const { overall } = quota.spec
    const aggregatedStatus = clusterQuotas(works)
    const overallUsed = usedOf(quota, bindings)
    return {
      ...(aggregatedStatus.length > 0 && { aggregatedStatus }),
      ...(overall && { overall }),
      ...(Object.keys(overallUsed).length > 0 && { overallUsed }),
    }
  }
}

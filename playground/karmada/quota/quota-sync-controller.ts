import type { FederatedResourceQuota } from '../../../karmada/objects/federated-resource-quota.js'
import { WORKS, type Work } from '../../../karmada/objects/work.js'
import { assignedTo, isOrphan, quotaKeyOf, quotaWork } from '../../../karmada/quota/member-quotas.js'
import { sameJson } from '../../../karmada/same-json.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import { remove } from '../../client/write.js'
import { type Events, normal, warning } from '../propagation/events.js'
import type { Observed } from '../propagation/observed.js'
import { writeWork } from '../propagation/work-writer.js'

const COMPONENT = 'federated-resource-quota-sync-controller'

/** Karmada's quota sync controller: brings each member the ResourceQuota that a FederatedResourceQuota assigns to it. */
export class QuotaSyncController {
  readonly #control: KubeApi
  readonly #observed: Observed
  readonly #events: Events
  readonly #queue: Reconciler

  constructor(control: KubeApi, observed: Observed, events: Events, log: Log) {
    this.#control = control
    this.#observed = observed
    this.#events = events
    this.#queue = new Reconciler({ log, reconcile: key => this.#reconcile(key) })
    observed.quotas.listen(difference => {
      const { type, object } = difference
      const isNews =
        type !== 'MODIFIED' ||
        !sameJson(object.spec.staticAssignments, difference.previous.spec.staticAssignments)
      if (isNews) this.#queue.add(objectKey(object))
    })
    observed.clusters.listen(({ type, object }) => {
      if (type !== 'ADDED') return
      for (const quota of observed.quotas.values())
        if (assignedTo(quota, object.metadata.name)) this.#queue.add(objectKey(quota))
    })
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async #reconcile(key: string): Promise<ReconcileResult> {
    await this.#observed.synced()
    const quota = this.#observed.quotas.get(key)
    const works = this.#observed.works.values().filter(one => quotaKeyOf(one) === key)
    for (const work of works)
      if (!work.metadata.deletionTimestamp && (!quota || isOrphan(work, quota)))
        await remove(this.#control, WORKS, work.metadata)
    if (!quota) return undefined
    try {
      await this.#writeWorks(quota, works)
    } catch (error) {
      this.#events.tell(quota, COMPONENT, warning('SyncWorkFailed', error))
      throw error
    }
    const message = `Sync works for FederatedResourceQuota(${key}) succeed.`
    this.#events.tell(quota, COMPONENT, normal('SyncWorkSucceed', message))
    return undefined
  }

  async #writeWorks(quota: FederatedResourceQuota, works: readonly Work[]): Promise<void> {
    for (const { metadata } of this.#observed.clusters.values()) {
      const hard = assignedTo(quota, metadata.name)
      if (!hard) continue
      const empty = quotaWork(quota, metadata.name, hard)
      const present = works.find(one => objectKey(one) === objectKey(empty))
      await writeWork(this.#control, quotaWork(quota, metadata.name, hard, present), present)
    }
  }
}

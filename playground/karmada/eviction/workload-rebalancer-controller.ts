import {
  bindingPlaceOf,
  type ObservedWorkload,
  observedWorkloads,
  REBALANCERS,
  type RebalancerStatus,
  rescheduled,
  type WorkloadRebalancer,
} from '../../../karmada/eviction/rebalance.js'
import { BINDINGS, type Binding } from '../../../karmada/objects/resource-binding.js'
import { sameJson } from '../../../karmada/same-json.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import { remove, update } from '../../client/write.js'
import { timestamp } from '../../objects/timestamp.js'
import type { Observed } from '../propagation/observed.js'

/** Karmada's WorkloadRebalancer controller: asks once for workloads to be scheduled as if for the first time. */
export class WorkloadRebalancerController {
  readonly #control: KubeApi
  readonly #observed: Observed
  readonly #now: () => number
  readonly #queue: Reconciler

  constructor(control: KubeApi, observed: Observed, now: () => number, log: Log) {
    this.#control = control
    this.#observed = observed
    this.#now = now
    this.#queue = new Reconciler({ log, reconcile: name => this.#reconcile(name) })
    observed.rebalancers.listen(difference => {
      const { type, object } = difference
      const isNews =
        type === 'ADDED' || (type === 'MODIFIED' && !sameJson(object.spec, difference.previous.spec))
      if (isNews) this.#queue.add(object.metadata.name)
    })
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async #reconcile(name: string): Promise<ReconcileResult> {
    await this.#observed.synced()
    const rebalancer = this.#observed.rebalancers.get(name)
    if (!rebalancer || rebalancer.metadata.deletionTimestamp) return undefined
    const observed: ObservedWorkload[] = []
    for (const one of observedWorkloads(rebalancer))
      observed.push(one.result ? one : await this.#ask(one, rebalancer))
    const finishTime = await this.#report(rebalancer, observed)
    const { ttlSecondsAfterFinished } = rebalancer.spec
    if (ttlSecondsAfterFinished === undefined || finishTime === undefined) return undefined
    const left = Date.parse(finishTime) + ttlSecondsAfterFinished * 1_000 - this.#now()
    if (left > 0) return { again: left }
    await remove(this.#control, REBALANCERS, { name })
    return undefined
  }

  async #ask(observed: ObservedWorkload, rebalancer: WorkloadRebalancer): Promise<ObservedWorkload> {
    const { workload } = observed
    const { type } = workload.namespace ? BINDINGS.namespaced : BINDINGS.clusterWide
    const found = await update<Binding>(this.#control, type, bindingPlaceOf(workload), binding =>
      rescheduled(binding, rebalancer),
    )
    if (found) return { workload, result: 'Successful' }
    return { workload, result: 'Failed', reason: 'ReferencedBindingNotFound' }
  }

  /** @returns when all of it was done */
  async #report(
    { metadata }: WorkloadRebalancer,
    workloads: readonly ObservedWorkload[],
  ): Promise<string | undefined> {
    const place = { name: metadata.name, subresource: 'status' }
    const written = await update<WorkloadRebalancer>(this.#control, REBALANCERS, place, current => {
      const { finishTime, ...before }: RebalancerStatus = current.status ?? {}
      const after = { observedWorkloads: workloads, observedGeneration: metadata.generation ?? 0 }
      if (finishTime !== undefined && sameJson(before, after)) return current
      return { ...current, status: { ...after, finishTime: timestamp(this.#now()) } }
    })
    return written?.status?.finishTime
  }
}

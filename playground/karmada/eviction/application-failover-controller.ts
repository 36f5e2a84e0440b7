import {
  applicationFailure,
  failuresOf,
  type UnhealthySince,
} from '../../../karmada/eviction/application-failure.js'
import { evicted } from '../../../karmada/eviction/evict.js'
import type { InterpreterChain } from '../../../karmada/interpreter/interpreter-chain.js'
import { type Binding, bindingScopeOf } from '../../../karmada/objects/resource-binding.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import { update } from '../../client/write.js'
import type { Observed } from '../propagation/observed.js'

/**
 * Karmada's application failover controllers: an application leaves a cluster where it has been unhealthy for too long. Since
 * when it has been is kept in memory alone, as in Karmada: a restart begins to count anew.
 */
export class ApplicationFailoverController {
  readonly #control: KubeApi
  readonly #observed: Observed
  readonly #now: () => number
  readonly #queue: Reconciler
  readonly #since = new Map<string, UnhealthySince>()

  constructor(
    control: KubeApi,
    observed: Observed,
    private readonly interpreters: InterpreterChain,
    now: () => number,
    log: Log,
  ) {
    this.#control = control
    this.#observed = observed
    this.#now = now
    this.#queue = new Reconciler({ log, reconcile: key => this.#reconcile(key) })
    observed.onBinding(({ object }) => {
      const key = objectKey(object)
      if (object.spec.failover?.application || this.#since.has(key)) this.#queue.add(key)
    })
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async #reconcile(key: string): Promise<ReconcileResult> {
    await this.#observed.synced()
    const binding = this.#observed.binding(key)
    if (!binding || binding.metadata.deletionTimestamp) {
      this.#since.delete(key)
      return undefined
    }
    const { evict, since, nextMs } = failuresOf(
      binding,
      this.#since.get(key) ?? new Map(),
      this.#now(),
      this.interpreters.knowsHealth,
    )
    if (evict.length > 0)
      await update<Binding>(this.#control, bindingScopeOf(binding).type, binding.metadata, current =>
        evict.reduce((one, cluster) => evicted(one, cluster, applicationFailure(current, cluster)), current),
      )
    if (since.size > 0) this.#since.set(key, since)
    else this.#since.delete(key)
    return nextMs === undefined ? undefined : { again: nextMs }
  }
}

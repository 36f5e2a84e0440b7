import { assessed } from '../../../karmada/eviction/graceful.js'
import { type Binding, bindingScopeOf } from '../../../karmada/objects/resource-binding.js'
import { sameJson } from '../../../karmada/same-json.js'
import { without } from '../../../karmada/without.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import { update } from '../../client/write.js'
import type { Observed } from '../propagation/observed.js'

/** Karmada's graceful eviction controllers: end eviction tasks whose replacement runs, or whose time is up. */
export class GracefulEvictionController {
  readonly #control: KubeApi
  readonly #observed: Observed
  readonly #now: () => number
  readonly #queue: Reconciler

  constructor(control: KubeApi, observed: Observed, now: () => number, log: Log) {
    this.#control = control
    this.#observed = observed
    this.#now = now
    this.#queue = new Reconciler({ log, reconcile: key => this.#reconcile(key) })
    observed.onBinding(({ type, object }) => {
      if (type !== 'DELETED' && object.spec.gracefulEvictionTasks?.length) this.#queue.add(objectKey(object))
    })
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async #reconcile(key: string): Promise<ReconcileResult> {
    await this.#observed.synced()
    const binding = this.#observed.binding(key)
    if (!binding?.spec.gracefulEvictionTasks?.length || binding.metadata.deletionTimestamp) return undefined
    const { type } = bindingScopeOf(binding)
    const written = await update<Binding>(this.#control, type, binding.metadata, current => {
      const { kept } = assessed(current, this.#now())
      const { gracefulEvictionTasks = [] } = current.spec
      if (sameJson(kept, gracefulEvictionTasks)) return current
      const spec = without(current.spec, ['gracefulEvictionTasks'])
      return { ...current, spec: kept.length > 0 ? { ...spec, gracefulEvictionTasks: kept } : spec }
    })
    const { nextMs } = written ? assessed(written, this.#now()) : {}
    return nextMs === undefined ? undefined : { again: nextMs }
  }
}

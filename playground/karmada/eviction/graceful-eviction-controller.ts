import { assessed } from '../../../karmada/eviction/graceful.js'
import { type Binding, bindingScopeOf } from '../../../karmada/objects/resource-binding.js'
import { sameJson } from '../../../karmada/same-json.js'
import { without } from '../../../karmada/without.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import { update } from '../../client/write.js'
import { type Events, normal } from '../propagation/events.js'
import type { Observed } from '../propagation/observed.js'

/** Karmada's graceful eviction controllers: end eviction tasks whose replacement runs, or whose time is up. */
export class GracefulEvictionController {
  readonly #control: KubeApi
  readonly #observed: Observed
  readonly #now: () => number
  readonly #events: Events
  readonly #queue: Reconciler

  constructor(control: KubeApi, observed: Observed, events: Events, now: () => number, log: Log) {
    this.#events = events
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
    let left: readonly string[] = []
    const written = await update<Binding>(this.#control, type, binding.metadata, current => {
      const { kept, over } = assessed(current, this.#now())
      left = over
      const { gracefulEvictionTasks = [] } = current.spec
      if (sameJson(kept, gracefulEvictionTasks)) return current
      const spec = without(current.spec, ['gracefulEvictionTasks'])
      return { ...current, spec: kept.length > 0 ? { ...spec, gracefulEvictionTasks: kept } : spec }
    })
    const scope = binding.metadata.namespace ? 'resource-binding' : 'cluster-resource-binding'
    for (const cluster of left) {
      const note = normal('EvictWorkloadFromClusterSucceed', `Evict from cluster ${cluster} succeed.`)
      this.#events.tellOfBoth(binding, `${scope}-graceful-eviction-controller`, note)
    }
    const { nextMs } = written ? assessed(written, this.#now()) : {}
    return nextMs === undefined ? undefined : { again: nextMs }
  }
}

import { evicted } from '../../../karmada/eviction/evict.js'
import {
  appliedPlacement,
  noExecuteTaints,
  type Tolerance,
  toleranceOf,
  untoleratedTaint,
} from '../../../karmada/eviction/no-execute.js'
import type { Cluster } from '../../../karmada/objects/cluster.js'
import { type Binding, bindingScopeOf } from '../../../karmada/objects/resource-binding.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import { update } from '../../client/write.js'
import type { Observed } from '../propagation/observed.js'

/** How often Karmada looks at the bindings of a tainted cluster again, milliseconds. */
const LOOK_AGAIN_MS = 10_000

/**
 * Karmada's taint manager, as with `--enable-no-execute-taint-eviction`: bindings leave a cluster with NoExecute taints that
 * their policies do not tolerate, or no longer.
 */
export class TaintManager {
  readonly #control: KubeApi
  readonly #observed: Observed
  readonly #now: () => number
  readonly #queue: Reconciler

  constructor(control: KubeApi, observed: Observed, now: () => number, log: Log) {
    this.#control = control
    this.#observed = observed
    this.#now = now
    this.#queue = new Reconciler({ log, reconcile: name => this.#reconcile(name) })
    observed.clusters.listen(({ type, object }) => {
      if (type !== 'DELETED' && noExecuteTaints(object).length > 0) this.#queue.add(object.metadata.name)
    })
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async #reconcile(name: string): Promise<ReconcileResult> {
    await this.#observed.synced()
    const cluster = this.#observed.clusters.get(name)
    if (!cluster || noExecuteTaints(cluster).length === 0) return undefined
    let again = LOOK_AGAIN_MS
    for (const binding of this.#observed.bindings) {
      const tolerance = this.#toleranceOf(binding, cluster)
      if (tolerance === 'none') await this.#evict(binding, name)
      else if (tolerance !== 'forever') again = Math.min(again, tolerance.forMs)
    }
    return { again }
  }

  #toleranceOf(binding: Binding, cluster: Cluster): Tolerance {
    const goesThere = binding.spec.clusters?.some(({ name }) => name === cluster.metadata.name)
    const placement = goesThere && !binding.metadata.deletionTimestamp && appliedPlacement(binding)
    if (!placement) return 'forever'
    return toleranceOf(noExecuteTaints(cluster), placement.clusterTolerations ?? [], this.#now())
  }

  /** Looks again at what is there when it is written: a policy may have begun to tolerate the taint. */
  async #evict({ metadata, kind, apiVersion }: Binding, name: string): Promise<void> {
    const { type } = bindingScopeOf({ metadata, kind, apiVersion })
    await update<Binding>(this.#control, type, metadata, current => {
      const cluster = this.#observed.clusters.get(name)
      const isDue = cluster && this.#toleranceOf(current, cluster) === 'none'
      return isDue ? evicted(current, name, untoleratedTaint(current, name)) : current
    })
  }
}

import { taintsByPolicies, targets } from '../../../karmada/eviction/taint-policies.js'
import { CLUSTERS, type Cluster } from '../../../karmada/objects/cluster.js'
import { sameJson } from '../../../karmada/same-json.js'
import { without } from '../../../karmada/without.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import { update } from '../../client/write.js'
import { timestamp } from '../../objects/timestamp.js'
import { type Events, normal } from '../propagation/events.js'
import type { Observed } from '../propagation/observed.js'

/** Karmada's cluster taint policy controller: taints clusters, and takes taints away, by what their conditions say. */
export class TaintPolicyController {
  readonly #control: KubeApi
  readonly #observed: Observed
  readonly #events: Events
  readonly #now: () => number
  readonly #queue: Reconciler

  constructor(control: KubeApi, observed: Observed, events: Events, now: () => number, log: Log) {
    this.#control = control
    this.#events = events
    this.#observed = observed
    this.#now = now
    this.#queue = new Reconciler({ log, reconcile: name => this.#reconcile(name) })
    observed.clusters.listen(difference => {
      const { type, object } = difference
      const isNews =
        type === 'ADDED' ||
        (type === 'MODIFIED' && !sameJson(object.status?.conditions, difference.previous.status?.conditions))
      if (isNews) this.#queue.add(object.metadata.name)
    })
    observed.taintPolicies.listen(difference => {
      const { type, object } = difference
      const isNews =
        type === 'ADDED' || (type === 'MODIFIED' && !sameJson(object.spec, difference.previous.spec))
      if (!isNews) return
      for (const cluster of observed.clusters.values())
        if (targets(object.spec, cluster)) this.#queue.add(cluster.metadata.name)
    })
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async #reconcile(name: string): Promise<ReconcileResult> {
    await this.#observed.synced()
    const policies = this.#observed.taintPolicies.values()
    if (policies.length === 0) return undefined
    let isTainted = false
    const tainted = await update<Cluster>(this.#control, CLUSTERS, { name }, cluster => {
      const before = cluster.spec.taints ?? []
      const taints = taintsByPolicies(cluster, policies, timestamp(this.#now()))
      isTainted = !sameJson(taints, before)
      if (!isTainted) return cluster
      const spec = without(cluster.spec, ['taints'])
      return { ...cluster, spec: taints.length > 0 ? { ...spec, taints } : spec }
    })
    if (!isTainted || !tainted) return undefined
    const message = `Update Cluster(${name}) with taints(${taintsText(tainted)}) succeed`
    this.#events.tell(tainted, 'cluster-taint-policy-controller', normal('TaintClusterSucceed', message))
    return undefined
  }
}

/** As Karmada's events name taints (`helper.GenerateTaintsMessage`). */
function taintsText({ spec: { taints = [] } }: Cluster): string {
  if (taints.length === 0) return 'cluster now does not have taints'
  const texts = taints.map(
    ({ key, value, effect }) => `{Key:${key},${value ? `Value:${value},` : ''}Effect:${effect}}`,
  )
  return `cluster now has taints([${texts.join(',')}])`
}

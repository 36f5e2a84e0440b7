import { isFor, type Remedy, remedyActions } from '../../../karmada/eviction/remedy.js'
import { CLUSTERS, type Cluster } from '../../../karmada/objects/cluster.js'
import { sameJson } from '../../../karmada/same-json.js'
import { without } from '../../../karmada/without.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import { update } from '../../client/write.js'
import type { Observed } from '../propagation/observed.js'

/** Karmada's remedy controller: writes into each Cluster's status what Remedies want to be done about it. */
export class RemedyController {
  readonly #control: KubeApi
  readonly #observed: Observed
  readonly #queue: Reconciler

  constructor(control: KubeApi, observed: Observed, log: Log) {
    this.#control = control
    this.#observed = observed
    this.#queue = new Reconciler({ log, reconcile: name => this.#reconcile(name) })
    observed.clusters.listen(({ type, object }) => {
      if (type !== 'DELETED') this.#queue.add(object.metadata.name)
    })
    observed.remedies.listen(difference => {
      const versions: readonly Remedy[] =
        difference.type === 'MODIFIED' ? [difference.previous, difference.object] : [difference.object]
      for (const { metadata } of observed.clusters.values())
        if (versions.some(one => isFor(one, metadata.name))) this.#queue.add(metadata.name)
    })
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async #reconcile(name: string): Promise<ReconcileResult> {
    await this.#observed.synced()
    const actionsFor = (cluster: Cluster) => remedyActions(cluster, this.#observed.remedies.values())
    const isAsWanted = (cluster: Cluster) =>
      sameJson(cluster.status?.remedyActions ?? [], actionsFor(cluster))
    const known = this.#observed.clusters.get(name)
    if (!known || known.metadata.deletionTimestamp || isAsWanted(known)) return undefined
    await update<Cluster>(this.#control, CLUSTERS, { name, subresource: 'status' }, current => {
      if (isAsWanted(current)) return current
      const actions = actionsFor(current)
      const status = without(current.status ?? {}, ['remedyActions'])
      return { ...current, status: actions.length > 0 ? { ...status, remedyActions: actions } : status }
    })
    return undefined
  }
}

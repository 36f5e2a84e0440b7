import type { Resource } from '../../../karmada/interpreter/workload.js'
import { isNamespacePropagated } from '../../../karmada/matching/propagated.js'
import { executionNamespace, workName } from '../../../karmada/names.js'
import { namespaceWork } from '../../../karmada/propagation/work-of.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import type { Observed } from './observed.js'
import { writeWork } from './work-writer.js'

/** Karmada's namespace controller: brings every namespace that is not reserved to every cluster. */
export class NamespaceController {
  readonly #control: KubeApi
  readonly #observed: Observed
  readonly #queue: Reconciler

  constructor(control: KubeApi, observed: Observed, log: Log) {
    this.#control = control
    this.#observed = observed
    this.#queue = new Reconciler({ log, reconcile: name => this.#reconcile(name) })
    observed.namespaces.listen(({ type, object }) => {
      const { name } = object.metadata
      if (name.startsWith(executionNamespace('')) && type === 'ADDED') this.#addAll()
      else if (type !== 'DELETED' && isNamespacePropagated(object)) this.#queue.add(name)
    })
    observed.clusters.listen(({ type }) => {
      if (type === 'ADDED') this.#addAll()
    })
    observed.clusterOverrides.listen(() => this.#addAll())
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  #addAll(): void {
    for (const one of this.#observed.namespaces.values())
      if (isNamespacePropagated(one)) this.#queue.add(one.metadata.name)
  }

  async #reconcile(name: string): Promise<ReconcileResult> {
    await this.#observed.synced()
    const namespace = this.#observed.namespaces.get(name)
    if (!namespace || namespace.metadata.deletionTimestamp || !isNamespacePropagated(namespace))
      return undefined
    for (const cluster of this.#observed.clusters.values()) {
      const space = this.#observed.namespaces.get(executionNamespace(cluster.metadata.name))
      // A cluster that has no execution namespace yet gets its Works when it has one.
      if (!space || space.metadata.deletionTimestamp || cluster.metadata.deletionTimestamp) continue
      const present = this.#observed.works.get(`${space.metadata.name}/${workName('Namespace', name)}`)
      const { clusterWide } = this.#observed.overridePolicies
      await writeWork(
        this.#control,
        namespaceWork(namespace as Resource, cluster, clusterWide, present),
        present,
      )
    }
    return undefined
  }
}

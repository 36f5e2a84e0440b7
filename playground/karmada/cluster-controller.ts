import { executionNamespace } from '../../karmada/names.js'
import { CLUSTER_FINALIZER, CLUSTERS, type Cluster, SYSTEM_LABELS } from '../../karmada/objects/cluster.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { Change } from '../../streams/object-store.js'
import { Mirror } from '../client/mirror.js'
import { type ReconcileResult, Reconciler } from '../client/reconciler.js'
import { ensure, read, remove, update, withFinalizer, withoutFinalizer } from '../client/write.js'
import { conditionOf } from '../objects/conditions.js'
import type { Namespace } from '../objects/core.js'
import { NAMESPACES } from '../objects/core-types.js'
import { timestamp } from '../objects/timestamp.js'
import { taintsFor } from './cluster-health.js'
import { MemberMonitor, type MonitorOptions } from './member-monitor.js'
import { type Events, normal } from './propagation/events.js'

/** How often a terminating execution namespace is looked at, milliseconds. */
const TERMINATION_POLL_MS = 200

/** What the controller needs besides what monitors of members need. */
export interface ClusterOptions extends MonitorOptions {
  readonly events: Events
}

/**
 * Karmada's cluster controller: gives each Cluster its finalizer, its execution namespace and its taints, has Push members
 * monitored, and cleans up behind those that leave.
 */
export class ClusterController {
  readonly #options: ClusterOptions
  readonly #control: KubeApi
  readonly #monitors = new Map<string, MemberMonitor>()
  readonly #clusters: Mirror<Cluster>
  readonly #queue: Reconciler

  /** @param onCluster receives every change of a Cluster */
  constructor(
    options: ClusterOptions,
    onCluster: (change: Exclude<Change<Cluster>, { readonly type: 'SYNCED' }>) => void = () => undefined,
  ) {
    this.#options = options
    this.#control = options.control
    this.#queue = new Reconciler({
      log: options.log,
      reconcile: name => this.#reconcile(name),
    })
    this.#clusters = new Mirror<Cluster>(options.control, CLUSTERS, change => {
      if (change.type === 'SYNCED') return
      this.#queue.add(change.object.metadata.name)
      onCluster(change)
    })
  }

  async close(): Promise<void> {
    this.#clusters.close()
    await this.#queue.close()
    await Promise.all([...this.#monitors.values()].map(monitor => monitor.close()))
    this.#monitors.clear()
  }

  async #reconcile(name: string): Promise<ReconcileResult> {
    const cluster = this.#clusters.store.get(name)
    // One that was deleted and joined again under its name is another.
    if (cluster?.metadata.uid !== this.#monitors.get(name)?.uid) await this.#forget(name)
    if (!cluster) return undefined
    if (cluster.metadata.deletionTimestamp) return this.#finalize(cluster)
    await this.#ensureExecutionSpace(cluster)
    await update<Cluster>(this.#control, CLUSTERS, { name }, current =>
      withTaints(withFinalizer(current, CLUSTER_FINALIZER), timestamp(this.#options.now())),
    )
    this.#monitor(cluster)
    return undefined
  }

  async #ensureExecutionSpace(cluster: Cluster): Promise<void> {
    const space = executionNamespace(cluster.metadata.name)
    if (await read<Namespace>(this.#control, NAMESPACES, { name: space })) return
    await ensure<Namespace>(this.#control, NAMESPACES, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: space, labels: SYSTEM_LABELS },
    })
    this.#tell(
      cluster,
      'CreateExecutionSpaceSucceed',
      `Created execution space(${space}) for cluster(${cluster.metadata.name}).`,
    )
  }

  #tell(cluster: Cluster, reason: string, message: string): void {
    this.#options.events.tell(cluster, 'cluster-controller', normal(reason, message))
  }

  /** Pull members report themselves. */
  #monitor(cluster: Cluster): void {
    if (cluster.spec.syncMode !== 'Push') return
    const { name } = cluster.metadata
    const monitor = this.#monitors.get(name)
    if (monitor) monitor.refresh(cluster)
    else this.#monitors.set(name, new MemberMonitor(cluster, this.#options))
  }

  async #forget(name: string): Promise<void> {
    const monitor = this.#monitors.get(name)
    this.#monitors.delete(name)
    await monitor?.close()
  }

  async #finalize(cluster: Cluster): Promise<ReconcileResult> {
    const { name, finalizers = [] } = cluster.metadata
    if (!finalizers.includes(CLUSTER_FINALIZER)) {
      await this.#forget(name)
      return undefined
    }
    // A member that goes out of reach meanwhile is reported so: its Works wait no longer for it.
    this.#monitor(cluster)
    const namespace = { name: executionNamespace(name) }
    await remove(this.#control, NAMESPACES, namespace)
    if (await read(this.#control, NAMESPACES, namespace)) return { again: TERMINATION_POLL_MS }
    this.#tell(cluster, 'RemoveExecutionSpaceSucceed', `Removed execution space for cluster(${name}).`)
    await update<Cluster>(this.#control, CLUSTERS, { name }, current =>
      withoutFinalizer(current, CLUSTER_FINALIZER),
    )
    return undefined
  }
}

/** With the taints its Ready condition asks for, and since when; the same object when it has them. */
function withTaints(cluster: Cluster, now: string): Cluster {
  const before = cluster.spec.taints ?? []
  const ready = conditionOf(cluster.status?.conditions, 'Ready')
  const wanted = taintsFor(ready?.status, before)
  if (wanted === before) return cluster
  const taints = wanted.map(one => (before.includes(one) ? one : { ...one, timeAdded: now }))
  const { taints: _replaced, ...spec } = cluster.spec
  return { ...cluster, spec: taints.length > 0 ? { ...spec, taints } : spec }
}

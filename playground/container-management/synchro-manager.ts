import { resourcePath } from '../../manifests/kube.js'
import { CAPABILITIES_ANNOTATION } from '../../manifests/pedia-cluster.js'
import { isNotFound } from '../../manifests/status-error.js'
import type { KubeApi, KubeConnector } from '../../ports/kube-api.js'
import { KubeconfigError } from '../../ports/kube-api.js'
import type { Log } from '../../ports/log.js'
import { Mirror } from '../client/mirror.js'
import { type ReconcileResult, Reconciler } from '../client/reconciler.js'
import { read, update, withFinalizer, withoutFinalizer } from '../client/write.js'
import { ClusterSynchro, type SynchroTimes } from './cluster-synchro.js'
import { ClusterConfigError, clusterConfig } from './credentials.js'
import type { LostObjects, Stalls } from './faults.js'
import type { FleetIndex } from './index/fleet-index.js'
import {
  CAPABILITIES,
  CLUSTER_SYNC_RESOURCES,
  type ClusterSyncResources,
  type GroupResources,
  PEDIA_CLUSTER_FINALIZER,
  PEDIA_CLUSTERS,
  type PediaCluster,
  type PediaClusterStatus,
} from './pedia-cluster.js'
import { type StatusPatch, synchroConditions, withPatch } from './pedia-status.js'
import type { SyncedCluster, SyncedClusters } from './read-api/synced.js'

/** What the manager needs. */
export interface SynchroManagerOptions {
  readonly host: KubeApi
  readonly connector: KubeConnector
  readonly index: FleetIndex
  readonly stalls: Stalls
  readonly log: Log
  readonly now: () => number
  readonly times: SynchroTimes
}

interface Running {
  readonly synchro: ClusterSynchro
  /** What it was connected with; another one means a new synchro. */
  readonly kubeconfig: string
}

/**
 * Status changes of one cluster within this time are written together, milliseconds: the more clusters come up at once, the
 * longer each takes to be whole, and the dearer is every write to those who watch.
 */
const STATUS_DELAY_MS = { least: 100, perCluster: 1, most: 1_000 } as const

/** Runs a synchro for every PediaCluster, and writes the progress into its status. */
export class SynchroManager implements SyncedClusters {
  readonly #options: SynchroManagerOptions
  readonly #running = new Map<string, Running>()
  readonly #clusters: Mirror<PediaCluster>
  readonly #shared: Mirror<ClusterSyncResources>
  readonly #queue: Reconciler
  readonly #statusQueue: Reconciler
  readonly #statusTimers = new Map<string, NodeJS.Timeout>()
  #closed = false

  constructor(options: SynchroManagerOptions) {
    this.#options = options
    const { host, log } = options
    this.#queue = new Reconciler({ log, reconcile: name => this.#reconcile(name) })
    this.#statusQueue = new Reconciler({ log, reconcile: name => this.#writeStatus(name) })
    this.#shared = new Mirror<ClusterSyncResources>(host, CLUSTER_SYNC_RESOURCES, change => {
      if (change.type !== 'SYNCED') this.#onShared(change.object.metadata.name)
    })
    this.#clusters = new Mirror<PediaCluster>(host, PEDIA_CLUSTERS, change => {
      if (change.type === 'SYNCED') return
      const isStatusOnly =
        change.type === 'MODIFIED' &&
        !change.object.metadata.deletionTimestamp &&
        change.object.metadata.generation === change.previous.metadata.generation
      if (!isStatusOnly) this.#queue.add(change.object.metadata.name)
    })
  }

  get(name: string): SyncedCluster | undefined {
    const cluster = this.#clusters.store.get(name)
    if (!cluster) return undefined
    const synchro = this.#running.get(name)?.synchro
    const health = synchro?.healthy
    return {
      name,
      types: synchro?.types ?? [],
      ...(health?.status !== 'True' && { unhealthy: health?.reason ?? 'MonitorStop' }),
    }
  }

  *values(): Generator<SyncedCluster> {
    for (const name of this.#running.keys()) {
      const cluster = this.get(name)
      if (cluster) yield cluster
    }
  }

  /** Deletes what is indexed of a type without saying so (a fault, see `faults.ts`). @returns reads it again */
  loseObjects(fault: LostObjects): () => void {
    const synchro = this.#running.get(fault.cluster)?.synchro
    if (!synchro) throw new Error(`no cluster ${fault.cluster} is indexed`)
    return synchro.loseObjects(fault)
  }

  /** Stops every synchro and says so in their status, as Clusterpedia does when it is stopped in order. */
  async close(): Promise<void> {
    this.#closed = true
    this.#clusters.close()
    this.#shared.close()
    await this.#queue.close()
    for (const timer of this.#statusTimers.values()) clearTimeout(timer)
    await this.#statusQueue.close()
    await Promise.all(
      [...this.#running].map(async ([name, { synchro }]) => {
        await synchro.close()
        await this.#patchStatus(name, { conditions: shutDown }).catch(error =>
          this.#options.log.warn({ cluster: name, error }, 'the shutdown of a synchro could not be reported'),
        )
      }),
    )
    this.#running.clear()
  }

  #onShared(name: string): void {
    for (const cluster of this.#clusters.store.values())
      if (cluster.spec.syncResourcesRefName === name) this.#queue.add(cluster.metadata.name)
  }

  async #reconcile(name: string): Promise<ReconcileResult> {
    const cluster = this.#clusters.store.get(name)
    if (!cluster || cluster.metadata.deletionTimestamp) {
      await this.#forget(name)
      if (cluster) await this.#release(name)
      return undefined
    }
    await this.#claim(name)
    const resources = await this.#validated(cluster)
    if (!resources) return undefined
    const running = await this.#ensureSynchro(cluster)
    running?.synchro.setResources(resources)
    return undefined
  }

  async #forget(name: string): Promise<void> {
    const running = this.#running.get(name)
    this.#running.delete(name)
    clearTimeout(this.#statusTimers.get(name))
    await running?.synchro.close()
    this.#options.index.dropCluster(name)
  }

  async #claim(name: string): Promise<void> {
    await update<PediaCluster>(this.#options.host, PEDIA_CLUSTERS, { name }, cluster => {
      const claimed = withFinalizer(cluster, PEDIA_CLUSTER_FINALIZER)
      const { annotations } = claimed.metadata
      if (annotations?.[CAPABILITIES_ANNOTATION] === CAPABILITIES) return claimed
      const metadata = {
        ...claimed.metadata,
        annotations: { ...annotations, [CAPABILITIES_ANNOTATION]: CAPABILITIES },
      }
      return { ...claimed, metadata }
    })
  }

  async #release(name: string): Promise<void> {
    await update<PediaCluster>(this.#options.host, PEDIA_CLUSTERS, { name }, cluster =>
      withoutFinalizer(cluster, PEDIA_CLUSTER_FINALIZER),
    )
  }

  /** The types to collect, or undefined when the spec cannot be used; the status says which. */
  async #validated(cluster: PediaCluster): Promise<readonly GroupResources[] | undefined> {
    const { name } = cluster.metadata
    const { syncResources, syncResourcesRefName, apiserver } = cluster.spec
    const shared = syncResourcesRefName ? this.#shared.store.get(syncResourcesRefName) : undefined
    const resources = [...(syncResources ?? []), ...(shared?.spec?.syncResources ?? [])]
    let server = apiserver ?? ''
    try {
      server = clusterConfig(name, cluster.spec).server
    } catch (error) {
      if (!(error instanceof ClusterConfigError)) throw error
      await this.#refuse(name, server, 'InvalidConfig', `invalid cluster config: ${error.message}`)
      return undefined
    }
    if (resources.some(({ group }) => group === '*')) {
      await this.#refuse(name, server, 'InvalidSyncResources', ALL_RESOURCES)
      return undefined
    }
    const warning = syncResourcesRefName && !shared ? 'Warning: sync resource ref is not found' : ''
    const begins = this.#running.has(name)
      ? []
      : [synchroConditions.waiting(), synchroConditions.unmonitored()]
    await this.#patchStatus(name, {
      ...(server && { apiserver: server }),
      conditions: [synchroConditions.validated(warning), ...begins],
    })
    return resources
  }

  async #refuse(
    name: string,
    apiserver: string,
    reason: 'InvalidConfig' | 'InvalidSyncResources',
    message: string,
  ): Promise<void> {
    const stopped = this.#running.has(name)
      ? []
      : [synchroConditions.refused(reason, message), synchroConditions.unmonitored()]
    await this.#patchStatus(name, {
      ...(apiserver && { apiserver }),
      conditions: [synchroConditions.invalid(reason, message), ...stopped],
    })
  }

  async #ensureSynchro({ metadata: { name }, spec }: PediaCluster): Promise<Running | undefined> {
    const { kubeconfig } = clusterConfig(name, spec)
    const existing = this.#running.get(name)
    if (existing?.kubeconfig === kubeconfig) return existing
    if (existing) await existing.synchro.close()
    const { connector, index, stalls, log, now, times } = this.#options
    let api: KubeApi
    try {
      api = await connector.connect(kubeconfig, { userAgent: 'clusterpedia-clustersynchro-manager' })
    } catch (error) {
      if (!(error instanceof KubeconfigError)) throw error
      this.#running.delete(name)
      await this.#refuse(name, '', 'InvalidConfig', `invalid cluster config: ${error.message}`)
      return undefined
    }
    const onStatus = () => this.#statusSoon(name)
    const synchro = new ClusterSynchro(name, api, { index, stalls, log, now, times, onStatus })
    const running = { synchro, kubeconfig }
    this.#running.set(name, running)
    synchro.start()
    return running
  }

  #statusSoon(name: string): void {
    if (this.#closed || this.#statusTimers.has(name)) return
    const timer = setTimeout(() => {
      this.#statusTimers.delete(name)
      this.#statusQueue.add(name)
    }, this.#statusDelayMs())
    this.#statusTimers.set(name, timer)
  }

  #statusDelayMs(): number {
    const { least, perCluster, most } = STATUS_DELAY_MS
    return Math.min(most, least + perCluster * this.#running.size)
  }

  async #writeStatus(name: string): Promise<ReconcileResult> {
    const synchro = this.#running.get(name)?.synchro
    if (!synchro) return undefined
    await this.#patchStatus(name, {
      ...synchro.status(),
      conditions: [synchroConditions.running(), synchro.healthy],
    })
    return undefined
  }

  /** Nothing else writes this status, so what is known of it may be a moment old; a merge patch cannot conflict. */
  async #patchStatus(name: string, patch: StatusPatch): Promise<void> {
    const { host, now } = this.#options
    const current = await read<PediaCluster>(host, PEDIA_CLUSTERS, { name })
    if (!current) return
    const before: PediaClusterStatus = current.status ?? {}
    const status = withPatch(before, { shardingName: '', ...patch }, now())
    if (status === before) return
    const path = resourcePath(PEDIA_CLUSTERS, { name, subresource: 'status' })
    await host
      .request({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body: { status } })
      .catch(error => {
        if (!isNotFound(error)) throw error
      })
  }
}

const ALL_RESOURCES =
  "ClusterSynchro Manager's feature gate `AllowSyncAllResources` is not enabled, cannot use all-resources wildcard"
const shutDown = [synchroConditions.shutDown(), synchroConditions.unmonitored('cluster synchro is shutdown')]

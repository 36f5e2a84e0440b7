import { bindingName, executionNamespace } from '../../../karmada/names.js'
import { OF_MCS, SLICE } from '../../../karmada/networking/marks.js'
import {
  claimedService,
  clustersOf,
  isCrossCluster,
  MCS_FINALIZER,
  MULTI_CLUSTER_SERVICES,
  type MultiClusterService,
  providerWork,
  released,
  serviceBinding,
  withServiceBinding,
} from '../../../karmada/networking/multi-cluster-service.js'
import {
  clusterOf,
  dispatchedWork,
  type EndpointSlice,
  isCollectedFor,
  isDispatchedFor,
} from '../../../karmada/networking/slice-works.js'
import { BINDINGS, type Binding } from '../../../karmada/objects/resource-binding.js'
import { WORKS } from '../../../karmada/objects/work.js'
import { sameJson } from '../../../karmada/same-json.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import { ensure, remove, update, withFinalizer, withoutFinalizer } from '../../client/write.js'
import { conditionOf, setConditions } from '../../objects/conditions.js'
import { SERVICES } from '../../objects/core-types.js'
import { timestamp } from '../../objects/timestamp.js'
import { normal, warning } from '../propagation/events.js'
import { writeWork } from '../propagation/work-writer.js'
import { isReady, onReadiness } from './cluster-readiness.js'
import { collectSlices } from './collect-slices.js'
import { McsWorks, place } from './mcs-works.js'
import type { NetworkingOptions } from './networking-options.js'

const COLLECTOR = 'MultiClusterService'
const SERVICE_COMPONENT = 'multiclusterservice-controller'
const DISPATCH_COMPONENT = 'endpointslice-dispatch-controller'

/**
 * Karmada's three controllers of MultiClusterServices in one: the Service goes to all clusters concerned, the EndpointSlices of
 * those that provide it are collected as Works, and brought to those that use it.
 */
export class MultiClusterServiceController {
  readonly #options: NetworkingOptions
  readonly #queue: Reconciler
  readonly #works: McsWorks

  constructor(options: NetworkingOptions) {
    this.#options = options
    const { control, observed, slices, log } = options
    this.#queue = new Reconciler({ log, reconcile: key => this.#reconcile(key) })
    this.#works = new McsWorks(control, observed)
    slices.listen(slice => this.#onSlice(slice))
    observed.multiClusterServices.listen(({ object }) => this.#queue.add(objectKey(object)))
    observed.services.listen(({ object }) => {
      const key = objectKey(object)
      if (observed.multiClusterServices.get(key)) this.#queue.add(key)
    })
    observed.works.listen(({ object: { metadata } }) => {
      const { [OF_MCS.namespace]: namespace, [OF_MCS.name]: name } = metadata.labels ?? {}
      if (namespace && name) this.#queue.add(`${namespace}/${name}`)
    })
    onReadiness(observed.clusters, (name, isGone) => {
      if (isGone) this.#queue.add(`cluster ${name}`)
      this.#all()
    })
  }

  async close(): Promise<void> {
    await this.#queue.close()
  }

  #all(): void {
    for (const mcs of this.#options.observed.multiClusterServices.values()) this.#queue.add(objectKey(mcs))
  }

  #onSlice(slice: EndpointSlice | undefined): void {
    const key = slice && `${slice.metadata.namespace}/${slice.metadata.labels?.[SLICE.service]}`
    if (key === undefined) this.#all()
    else if (this.#options.observed.multiClusterServices.get(key)) this.#queue.add(key)
  }

  async #reconcile(key: string): Promise<ReconcileResult> {
    const { observed } = this.#options
    await observed.synced()
    if (key.startsWith('cluster ')) {
      const name = key.slice('cluster '.length)
      if (!observed.clusters.get(name)) await this.#options.slices.drop(name)
      return undefined
    }
    const [namespace = '', name = ''] = key.split('/')
    const mcs = observed.multiClusterServices.get(key)
    if (!mcs) {
      await this.#works.finish({ namespace, name })
      return undefined
    }
    if (mcs.metadata.deletionTimestamp || !isCrossCluster(mcs)) await this.#retrieve(mcs)
    else await this.#propagate(mcs)
    await this.#works.finish(place(mcs))
    return undefined
  }

  async #propagate(mcs: MultiClusterService): Promise<void> {
    const { control, observed, events } = this.#options
    const all = observed.clusters.values().map(({ metadata }) => metadata.name)
    const providers = clustersOf(mcs.spec.providerClusters, all)
    const consumers = clustersOf(mcs.spec.consumerClusters, all)
    await update<MultiClusterService>(control, MULTI_CLUSTER_SERVICES, mcs.metadata, one =>
      withFinalizer(one, MCS_FINALIZER),
    )
    const collected = new Map<string, readonly EndpointSlice[] | undefined>()
    for (const cluster of this.#usable(mcs, providers, 'Provider', 'MultiClusterService')) {
      const known = this.#works.ofProvider(mcs, cluster)
      await writeWork(control, providerWork(mcs, cluster, known), known)
    }
    for (const name of providers) {
      const cluster = observed.clusters.get(name)
      if (cluster)
        collected.set(name, isReady(cluster) ? await this.#options.slices.of(cluster, place(mcs)) : undefined)
    }
    await this.#works.dropProviders(mcs, new Set(providers))
    await collectSlices(control, observed, COLLECTOR, mcs, collected)
    const service = observed.services.get(objectKey(mcs))
    if (service) {
      await this.#propagateService(service, mcs, [...new Set([...providers, ...consumers])].sort())
      const message = 'Service is propagated to target clusters.'
      const isNew = await this.#condition(mcs, 'ServiceApplied', true, 'ServiceAppliedSucceed', message)
      if (isNew) events.tell(mcs, SERVICE_COMPONENT, normal('SyncServiceSucceed', message))
    } else {
      const message = `Service "${mcs.metadata.name}" not found`
      const isNew = await this.#condition(mcs, 'ServiceApplied', false, 'ServiceAppliedFailed', message)
      if (isNew) events.tell(mcs, SERVICE_COMPONENT, warning('SyncServiceFailed', message))
    }
    await this.#dispatch(mcs, consumers)
  }

  async #propagateService(
    service: KubeObject,
    mcs: MultiClusterService,
    clusters: readonly string[],
  ): Promise<void> {
    const { control } = this.#options
    const { type } = BINDINGS.namespaced
    const claimed = await update<KubeObject>(control, SERVICES, place(service), one => {
      const next = claimedService(one, mcs)
      return sameJson(next, one) ? one : next
    })
    if (!claimed) return
    const wanted = serviceBinding(claimed, mcs, clusters)
    await ensure<Binding>(control, type, wanted)
    await update<Binding>(control, type, place(wanted), one => {
      const next = withServiceBinding(one, wanted)
      return sameJson(next, one) ? one : next
    })
  }

  /** Brings what was collected to the clusters that use the Service, and takes it away from others. */
  async #dispatch(mcs: MultiClusterService, consumers: readonly string[]): Promise<void> {
    const { control, observed, events } = this.#options
    const collected = this.#works.all(work => isCollectedFor(work, COLLECTOR, mcs))
    const wanted = new Set<string>()
    const usable = collected.length > 0 ? this.#usable(mcs, consumers, 'Consumer', 'EndpointSlice') : []
    for (const work of collected)
      for (const consumer of consumers) {
        const key = `${executionNamespace(consumer)}/${work.metadata.name}`
        if (consumer === clusterOf(work)) continue
        wanted.add(key)
        const known = observed.works.get(key)
        const next = usable.includes(consumer) && dispatchedWork(work, mcs, consumer, known)
        if (next) await writeWork(control, next, known)
      }
    for (const work of this.#works.all(one => isDispatchedFor(one, mcs)))
      if (!wanted.has(objectKey(work))) await remove(control, WORKS, place(work))
    if (collected.length === 0) return
    const message = 'EndpointSlice are dispatched successfully'
    const reason = 'EndpointSliceDispatchedSucceed'
    const isNew = await this.#condition(mcs, 'EndpointSliceDispatched', true, reason, message)
    if (isNew) events.tell(mcs, DISPATCH_COMPONENT, normal('DispatchEndpointSliceSucceed', message))
  }

  /** Takes back what was made for a MultiClusterService that goes, or has another type now. */
  async #retrieve(mcs: MultiClusterService): Promise<void> {
    const { control, observed } = this.#options
    if (!mcs.metadata.finalizers?.includes(MCS_FINALIZER)) return
    const service = observed.services.get(objectKey(mcs))
    if (service?.metadata.labels?.[OF_MCS.id]) {
      await update<KubeObject>(control, SERVICES, place(mcs), released)
      const name = bindingName('Service', mcs.metadata.name)
      const binding = { namespace: mcs.metadata.namespace ?? '', name }
      await update<Binding>(control, BINDINGS.namespaced.type, binding, released)
    }
    await this.#works.dropProviders(mcs, new Set())
    await collectSlices(control, observed, COLLECTOR, mcs, new Map())
    for (const work of this.#works.all(one => isDispatchedFor(one, mcs)))
      await remove(control, WORKS, place(work))
    await update<MultiClusterService>(control, MULTI_CLUSTER_SERVICES, mcs.metadata, one =>
      withoutFinalizer(one, MCS_FINALIZER),
    )
  }

  /** The clusters that are there and ready. An Event says what is wrong with the others. */
  #usable(
    mcs: MultiClusterService,
    clusters: readonly string[],
    role: 'Provider' | 'Consumer',
    what: string,
  ): readonly string[] {
    const { observed, events } = this.#options
    const component = role === 'Provider' ? SERVICE_COMPONENT : DISPATCH_COMPONENT
    return clusters.filter(name => {
      const cluster = observed.clusters.get(name)
      if (cluster && isReady(cluster)) return true
      const note = cluster
        ? warning('SyncServiceFailed', `${role} cluster ${name} is not ready, skip to propagate ${what}`)
        : warning('ClusterNotFound', `${role} cluster ${name} is not found`)
      events.tell(mcs, component, note)
      return false
    })
  }

  /** @returns whether it changed */
  async #condition(
    mcs: MultiClusterService,
    type: string,
    isTrue: boolean,
    reason: string,
    message: string,
  ): Promise<boolean> {
    const { control, now } = this.#options
    const observed = { type, status: isTrue ? 'True' : 'False', reason, message } as const
    const known = conditionOf(mcs.status?.conditions, type)
    if (known?.reason === reason && known.message === message) return false
    const at = { ...place(mcs), subresource: 'status' }
    await update<MultiClusterService>(control, MULTI_CLUSTER_SERVICES, at, one => {
      const conditions = setConditions(one.status?.conditions, [observed], timestamp(now()))
      return conditions === one.status?.conditions ? one : { ...one, status: { ...one.status, conditions } }
    })
    return true
  }
}

import { OF_EXPORT, SLICE } from '../../../karmada/networking/marks.js'
import {
  clusterOf,
  type EndpointSlice,
  finalizerOf,
  importedSlice,
  isCollectedFor,
} from '../../../karmada/networking/slice-works.js'
import { MARKS, WORKS, type Work } from '../../../karmada/objects/work.js'
import { sameJson } from '../../../karmada/same-json.js'
import { type KubeList, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import { ensure, remove, update, withoutFinalizer } from '../../client/write.js'
import { conditionOf } from '../../objects/conditions.js'
import { ENDPOINT_SLICES } from '../../objects/core-types.js'
import { isReady, onReadiness } from './cluster-readiness.js'
import { collectSlices } from './collect-slices.js'
import { place } from './mcs-works.js'
import type { NetworkingOptions } from './networking-options.js'

const COLLECTOR = 'ServiceExport'
const FINALIZER = finalizerOf(COLLECTOR)

/**
 * Karmada's controllers of ServiceExports and of what they collect: the EndpointSlices of members that export a Service become
 * Works, and these EndpointSlices of the control plane, which the ServiceImport of that name takes along.
 */
export class ServiceExportController {
  readonly #options: NetworkingOptions
  readonly #queue: Reconciler

  constructor(options: NetworkingOptions) {
    this.#options = options
    const { observed, slices, log } = options
    this.#queue = new Reconciler({ log, reconcile: key => this.#reconcile(key) })
    slices.listen(slice => this.#onSlice(slice))
    observed.works.listen(difference => {
      const versions =
        difference.type === 'MODIFIED' ? [difference.object, difference.previous] : [difference.object]
      for (const key of versions.flatMap(keysOf)) this.#queue.add(key)
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
    for (const work of this.#options.observed.works.values())
      for (const key of keysOf(work)) this.#queue.add(key)
  }

  #onSlice(slice: EndpointSlice | undefined): void {
    if (slice) this.#queue.add(`${slice.metadata.namespace}/${slice.metadata.labels?.[SLICE.service]}`)
    else this.#all()
  }

  async #reconcile(key: string): Promise<ReconcileResult> {
    const { control, observed } = this.#options
    await observed.synced()
    if (key.startsWith('cluster ')) {
      const name = key.slice('cluster '.length)
      if (!observed.clusters.get(name)) await this.#options.slices.drop(name)
      return undefined
    }
    const [namespace = '', name = ''] = key.split('/')
    const service: KubeObject = { apiVersion: 'v1', kind: 'Service', metadata: { namespace, name } }
    const works = observed.works.values()
    const isConcerned = works.some(work => keysOf(work).includes(key))
    if (!isConcerned) return undefined
    const collected = new Map<string, readonly EndpointSlice[] | undefined>()
    for (const work of works) {
      const cluster = observed.clusters.get(clusterOf(work))
      if (!cluster || !isExport(work, service) || work.metadata.deletionTimestamp) continue
      const isThere = conditionOf(work.status?.conditions, 'Applied')?.status === 'True'
      const known =
        isThere && isReady(cluster) ? await this.#options.slices.of(cluster, { namespace, name }) : undefined
      collected.set(cluster.metadata.name, known)
    }
    await collectSlices(control, observed, COLLECTOR, service, collected)
    await this.#import(service)
    return undefined
  }

  /** Keeps the control plane's EndpointSlices in line with what was collected; then deleted Works may go. */
  async #import(service: KubeObject): Promise<void> {
    const { control, observed } = this.#options
    const works = observed.works.values().filter(work => isCollectedFor(work, COLLECTOR, service))
    const wanted = new Map<string, EndpointSlice>()
    for (const work of works) {
      const slice = work.metadata.deletionTimestamp === undefined ? importedSlice(work) : undefined
      if (slice) wanted.set(slice.metadata.name, slice)
    }
    for (const slice of wanted.values()) {
      await ensure<EndpointSlice>(control, ENDPOINT_SLICES, slice)
      await update<EndpointSlice>(control, ENDPOINT_SLICES, place(slice), one => {
        const { addressType, endpoints, ports } = slice
        const { labels } = slice.metadata
        const next = {
          ...one,
          metadata: { ...one.metadata, ...(labels && { labels }) },
          addressType,
          ...(endpoints && { endpoints }),
          ...(ports && { ports }),
        }
        return sameJson(next, one) ? one : next
      })
    }
    for (const slice of await this.#imported(service))
      if (!wanted.has(slice.metadata.name)) await remove(control, ENDPOINT_SLICES, place(slice))
    for (const work of works) {
      const { deletionTimestamp, finalizers = [] } = work.metadata
      if (deletionTimestamp && finalizers.includes(FINALIZER))
        await update<Work>(control, WORKS, place(work), one => withoutFinalizer(one, FINALIZER))
    }
  }

  /** The EndpointSlices of the control plane that were made for a Service. */
  async #imported({ metadata: { namespace = '', name } }: KubeObject): Promise<readonly EndpointSlice[]> {
    const path = resourcePath(ENDPOINT_SLICES, { namespace })
    const query = { labelSelector: `${MARKS.workId},${SLICE.service}=derived-${name}` }
    return (await this.#options.control.request<KubeList<EndpointSlice>>({ method: 'GET', path, query }))
      .items
  }
}

/** Whether a Work brings the ServiceExport of a Service to a member. */
const isExport = ({ spec }: Work, { metadata }: KubeObject): boolean =>
  spec.workload.manifests.some(
    one =>
      isServiceExport(one) &&
      one.metadata.namespace === metadata.namespace &&
      one.metadata.name === metadata.name,
  )

const isServiceExport = ({ apiVersion, kind }: KubeObject): boolean =>
  kind === 'ServiceExport' && apiVersion.startsWith('multicluster.x-k8s.io/')

/** The Services whose exports a Work is about. */
function keysOf({ spec, metadata }: Work): readonly string[] {
  const { [OF_EXPORT.namespace]: namespace, [OF_EXPORT.name]: name } = metadata.labels ?? {}
  const exported = spec.workload.manifests
    .filter(isServiceExport)
    .map(one => `${one.metadata.namespace}/${one.metadata.name}`)
  return namespace && name ? [...exported, `${namespace}/${name}`] : exported
}

import type { KubeObject } from '../../manifests/kube.js'
import type { Resource } from '../interpreter/workload.js'
import { executionNamespace } from '../names.js'
import { MARKS, WORK_FINALIZER, type Work } from '../objects/work.js'
import { carrier } from '../propagation/work-of.js'
import { without } from '../without.js'
import { COLLECTED_FOR, OF_EXPORT, OF_MCS, PROVISION_CLUSTER, SLICE, SLICE_KEEPERS } from './marks.js'
import { type MultiClusterService, NO_OVERRIDES } from './multi-cluster-service.js'

/** discovery.k8s.io/v1 EndpointSlice. */
export interface EndpointSlice extends KubeObject {
  readonly addressType: string
  readonly endpoints?: readonly object[]
  readonly ports?: readonly object[]
}

/** For whom EndpointSlices of a member are collected. */
export type Collector = 'MultiClusterService' | 'ServiceExport'

/** What each collector writes on the Works that it collects. The finalizers keep a Work until what was made of it is gone. */
const COLLECTORS = {
  MultiClusterService: { labels: OF_MCS, finalizer: 'karmada.io/mcs-endpointslice-dispatch-controller' },
  ServiceExport: { labels: OF_EXPORT, finalizer: 'karmada.io/endpointslice-controller' },
} as const

/** The finalizer of a collector. */
export const finalizerOf = (collector: Collector): string => COLLECTORS[collector].finalizer

const collectorsOf = ({ metadata }: Work): readonly string[] =>
  (metadata.labels?.[COLLECTED_FOR] ?? '').split('.').filter(Boolean)

/** Whether a Work holds an EndpointSlice that was collected for a Service. */
export function isCollectedFor(work: Work, collector: Collector, { metadata }: KubeObject): boolean {
  const { labels = {} } = work.metadata
  const { namespace, name } = COLLECTORS[collector].labels
  return (
    labels[namespace] === metadata.namespace &&
    labels[name] === metadata.name &&
    collectorsOf(work).includes(collector)
  )
}

/**
 * The Work that holds an EndpointSlice of a member. It stays in the control plane.
 * @param present the Work that is there already; it may have been collected for another too
 */
export function collectedWork(
  slice: EndpointSlice,
  cluster: string,
  collector: Collector,
  present: Work | undefined,
): Work {
  const { labels, finalizer } = COLLECTORS[collector]
  const collectors = new Set([...(present ? collectorsOf(present) : []), collector])
  const work = carrier(slice as unknown as Resource, cluster, NO_OVERRIDES, present, {
    labels: {
      [labels.namespace]: slice.metadata.namespace ?? '',
      [labels.name]: slice.metadata.labels?.[SLICE.service] ?? '',
      [COLLECTED_FOR]: [...collectors].sort().join('.'),
    },
  })
  return {
    ...work,
    metadata: { ...work.metadata, finalizers: [finalizer] },
    spec: { ...work.spec, suspendDispatching: true },
  }
}

/** The Work without one that it was collected for; undefined where none is left: the Work goes. */
export function uncollected(work: Work, collector: Collector): Work | undefined {
  const left = collectorsOf(work).filter(one => one !== collector)
  if (left.length === 0) return undefined
  const { labels, finalizer } = COLLECTORS[collector]
  const { metadata } = work
  return {
    ...work,
    metadata: {
      ...metadata,
      labels: {
        ...without(metadata.labels ?? {}, [labels.namespace, labels.name]),
        [COLLECTED_FOR]: left.join('.'),
      },
      finalizers: (metadata.finalizers ?? []).filter(one => one !== finalizer),
    },
  }
}

/** The cluster whose Work it is. */
export const clusterOf = ({ metadata }: Work): string =>
  (metadata.namespace ?? '').slice(executionNamespace('').length)

/** Whether a Work brings a Service's endpoints to a cluster that uses it. */
export const isDispatchedFor = ({ metadata }: Work, mcs: MultiClusterService): boolean =>
  metadata.annotations?.[PROVISION_CLUSTER] !== undefined &&
  metadata.labels?.[OF_MCS.name] === mcs.metadata.name &&
  metadata.labels?.[OF_MCS.namespace] === mcs.metadata.namespace

/** The Work that brings a collected EndpointSlice to a cluster that uses the Service. */
export function dispatchedWork(
  collected: Work,
  mcs: MultiClusterService,
  consumer: string,
  present: Work | undefined,
): Work | undefined {
  const [manifest] = collected.spec.workload.manifests
  if (!manifest) return undefined
  const provider = clusterOf(collected)
  const { namespace = '', name } = mcs.metadata
  const annotations = { [PROVISION_CLUSTER]: provider }
  const slice = {
    ...manifest,
    metadata: {
      namespace: manifest.metadata.namespace ?? namespace,
      name: `${provider}-${manifest.metadata.name}`,
      labels: { [SLICE.service]: name, [SLICE.managedBy]: SLICE_KEEPERS.dispatched },
      annotations,
    },
  }
  const work = carrier(slice, consumer, NO_OVERRIDES, present, {
    labels: { [OF_MCS.name]: name, [OF_MCS.namespace]: namespace },
    annotations,
    name: collected.metadata.name,
  })
  return { ...work, metadata: { ...work.metadata, finalizers: [WORK_FINALIZER] } }
}

/** The name of a ServiceImport's Service. */
export const derivedName = (service: string): string => `derived-${service}`

/** The EndpointSlice of the control plane for one that was collected for a ServiceExport; policies of the ServiceImport propagate it. */
export function importedSlice(collected: Work): EndpointSlice | undefined {
  const manifest = collected.spec.workload.manifests[0] as unknown as EndpointSlice | undefined
  if (!manifest) return undefined
  const { labels = {}, namespace = '', name } = collected.metadata
  return {
    ...manifest,
    metadata: {
      namespace: manifest.metadata.namespace ?? '',
      name: `imported-${clusterOf(collected)}-${manifest.metadata.name}`,
      labels: {
        [MARKS.workId]: labels[MARKS.workId] ?? '',
        [SLICE.service]: derivedName(labels[OF_EXPORT.name] ?? ''),
        [SLICE.managedBy]: SLICE_KEEPERS.imported,
      },
      annotations: { [MARKS.workNamespace]: namespace, [MARKS.workName]: name },
    },
  }
}

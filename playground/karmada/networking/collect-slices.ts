import { executionNamespace, workName } from '../../../karmada/names.js'
import {
  type Collector,
  clusterOf,
  collectedWork,
  type EndpointSlice,
  isCollectedFor,
  uncollected,
} from '../../../karmada/networking/slice-works.js'
import { WORKS, type Work } from '../../../karmada/objects/work.js'
import type { KubeObject } from '../../../manifests/kube.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { remove, update } from '../../client/write.js'
import type { Observed } from '../propagation/observed.js'
import { writeWork } from '../propagation/work-writer.js'

/** What is collected for a Service: by cluster; undefined for a cluster of which it is not known, whose Works stay as they are. */
export type Collected = ReadonlyMap<string, readonly EndpointSlice[] | undefined>

/**
 * Brings the Works of a Service's EndpointSlices in line with what members have.
 * @param collected the clusters of which slices are collected; Works of others go
 */
export async function collectSlices(
  control: KubeApi,
  observed: Observed,
  collector: Collector,
  service: KubeObject,
  collected: Collected,
): Promise<void> {
  const wanted = new Set<string>()
  for (const [cluster, slices] of collected)
    for (const slice of slices ?? []) {
      const { name, namespace } = slice.metadata
      const key = `${executionNamespace(cluster)}/${workName('EndpointSlice', name, namespace)}`
      const known = observed.works.get(key)
      wanted.add(key)
      const typed = { ...slice, apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' }
      await writeWork(control, collectedWork(typed, cluster, collector, known), known)
    }
  for (const work of observed.works.values()) {
    if (!isCollectedFor(work, collector, service) || work.metadata.deletionTimestamp) continue
    const key = `${work.metadata.namespace}/${work.metadata.name}`
    const cluster = clusterOf(work)
    const isUnknown = collected.has(cluster) && collected.get(cluster) === undefined
    if (!wanted.has(key) && !isUnknown) await giveUp(control, work, collector)
  }
}

async function giveUp(control: KubeApi, work: Work, collector: Collector): Promise<void> {
  const { namespace = '', name } = work.metadata
  if (uncollected(work, collector) === undefined) return remove(control, WORKS, { namespace, name })
  await update<Work>(
    control,
    WORKS,
    { namespace, name },
    current => uncollected(current, collector) ?? current,
  )
}

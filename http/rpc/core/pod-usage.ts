import type { KubeObject } from '../../../manifests/kube.js'
import { StatusError } from '../../../manifests/status-error.js'
import type { ObjectType, Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { sideCall } from '../../objects/side-call.js'
import { keyOfObject } from '../distribution/binding-of.js'

type ResourceList = Readonly<Record<string, string | number>>

/** What the containers of a pod use: resource lists, one for each container. */
export type PodUsage = readonly ResourceList[]

const POD_METRICS: ObjectType = {
  ...{ group: 'metrics.k8s.io', version: 'v1beta1', resource: 'pods' },
  ...{ kind: 'PodMetrics', namespaced: true },
}

/** metrics.k8s.io/v1beta1 PodMetrics. */
interface PodMetrics extends KubeObject {
  readonly containers?: readonly { readonly usage?: ResourceList }[]
}

/** Not served, not for this caller, or served by a metrics server that is down. */
const WITHOUT_METRICS = new Set([403, 404, 503])

/** Reads what the pods of a page use, with one list. A cluster without metrics has no figures. */
export async function readUsage(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  items: readonly KubeObject[],
): Promise<(pod: KubeObject) => PodUsage | undefined> {
  if (items.length === 0) return () => undefined
  const namespaces = new Set(items.map(({ metadata }) => metadata.namespace))
  const [namespace = ''] = namespaces.size === 1 ? namespaces : []
  const names = items.map(({ metadata }) => metadata.name)
  try {
    const query = { namespace, names, page: 1, pageSize: 0 }
    const measured = await objects.list<PodMetrics>(sideCall(call), place, POD_METRICS, query)
    const byKey = new Map(measured.items.map(one => [keyOfObject(one), one.containers ?? []]))
    return pod => byKey.get(keyOfObject(pod))?.map(({ usage = {} }) => usage)
  } catch (error) {
    if (error instanceof StatusError && WITHOUT_METRICS.has(error.code)) return () => undefined
    throw error
  }
}

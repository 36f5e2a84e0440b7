import type { KubeObject } from '../../manifests/kube.js'
import type { Cluster } from '../objects/cluster.js'

/**
 * A Cluster whose NoExecute taints say since when they are there, as Karmada's aggregated API server writes it; other objects as
 * they are. The same object where nothing is missing.
 * @param now RFC 3339
 */
export function withTaintTimes<T extends KubeObject>(object: T, now: () => string): T {
  if (object.kind !== 'Cluster' || !object.apiVersion.startsWith('cluster.karmada.io/')) return object
  const { spec } = object as unknown as Cluster
  const taints = spec?.taints
  if (!Array.isArray(taints)) return object
  const isMissing = ({ effect, timeAdded }: (typeof taints)[number]) => effect === 'NoExecute' && !timeAdded
  if (!taints.some(isMissing)) return object
  const timed = taints.map(one => (isMissing(one) ? { ...one, timeAdded: now() } : one))
  return { ...object, spec: { ...spec, taints: timed } }
}

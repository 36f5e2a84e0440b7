import type { KubeObject } from '../manifests/kube.js'
import type { Seen } from './seen.js'

/** What is seen, with each object replaced by what is kept of it. */
export function projected<T extends KubeObject>(
  seen: Seen<KubeObject>,
  project: (object: KubeObject) => T,
): Seen<T> {
  switch (seen.type) {
    case 'listed':
      return { ...seen, objects: seen.objects.map(project) }
    case 'applied':
    case 'deleted':
      return { ...seen, object: project(seen.object) }
    default:
      return seen
  }
}

/** Which object it is, and in which version: what a store needs to tell a change. */
export function identityOf<T extends KubeObject>({ apiVersion, kind, metadata }: T): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } } as KubeObject
}

import type { OwnerReference } from '../../manifests/kube.js'
import type { Resource } from '../interpreter/workload.js'
import type { Binding } from './resource-binding.js'

/** How a binding names its template, with the version of it that the binding was made for. */
export function resourceReferenceOf({ apiVersion, kind, metadata }: Resource): Binding['spec']['resource'] {
  const { namespace, name, uid, resourceVersion } = metadata
  return {
    apiVersion,
    kind,
    ...(namespace && { namespace }),
    name,
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  }
}

/** By this the garbage collector removes a binding with its template. */
export const ownerReferenceOf = ({
  apiVersion,
  kind,
  metadata: { name, uid = '' },
}: Resource): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
})

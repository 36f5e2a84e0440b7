import type { Pod } from '../../objects/core.js'
import { badRequest, notFound } from '../api-status.js'
import { keyOf, type Target } from '../operations/target.js'
import type { ApiRequest, ApiResponse } from '../wire/exchange.js'
import { POD_SUBRESOURCES, type PodSubresource } from './kubelet.js'

/** True for what a kubelet answers and not the store. */
export const isPodConnection = ({ type, subresource }: Target): boolean =>
  type.collection === 'pods' && (POD_SUBRESOURCES as readonly string[]).includes(subresource)

/** `pods/{name}/log`, exec, attach, portforward. @throws StatusError as kube-apiserver does before it asks a kubelet */
export async function connectToPod(target: Target, request: ApiRequest): Promise<ApiResponse> {
  const stored = target.collection.get(keyOf(target.namespace, target.name))
  if (!stored) throw notFound(target.qualified, target.name)
  const pod = stored.object as unknown as Pod
  const { kubelet } = target.cluster
  if (!kubelet || !pod.spec?.nodeName) throw badRequest(`pod ${target.name} does not have a host assigned`)
  return kubelet({ ...request, pod, subresource: target.subresource as PodSubresource })
}

import type { Pod } from '../../core.js'
import { badRequest, notFound } from '../api-status.js'
import { keyOf, type Target } from '../operations/target.js'
import type { ApiRequest, ApiResponse } from '../wire/exchange.js'

/** A request to what an API server passes on to the kubelet of a pod's node. */
export interface PodRequest extends ApiRequest {
  readonly pod: Pod
  readonly subresource: PodSubresource
}

/** What stands in for all kubelets of a cluster. */
export type PodConnection = (request: PodRequest) => Promise<ApiResponse>

const SUBRESOURCES = ['log', 'exec', 'attach', 'portforward'] as const
type PodSubresource = (typeof SUBRESOURCES)[number]

/** True for what a kubelet answers and not the store. */
export const isPodConnection = ({ type, subresource }: Target): boolean =>
  type.collection === 'pods' && (SUBRESOURCES as readonly string[]).includes(subresource)

/** `pods/{name}/log`, exec, attach, portforward. @throws StatusError as kube-apiserver does before it asks a kubelet */
export async function connectToPod(target: Target, request: ApiRequest): Promise<ApiResponse> {
  const stored = target.collection.get(keyOf(target.namespace, target.name))
  if (!stored) throw notFound(target.qualified, target.name)
  const pod = stored.object as unknown as Pod
  const { kubelet } = target.cluster
  if (!kubelet || !pod.spec?.nodeName) throw badRequest(`pod ${target.name} does not have a host assigned`)
  return kubelet({ ...request, pod, subresource: target.subresource as PodSubresource })
}

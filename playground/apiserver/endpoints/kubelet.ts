import type { Pod } from '../../objects/core.js'
import type { ApiRequest, ApiResponse } from '../wire/exchange.js'

/** What a kubelet answers of a pod, and not the store. */
export const POD_SUBRESOURCES = ['log', 'exec', 'attach', 'portforward'] as const
export type PodSubresource = (typeof POD_SUBRESOURCES)[number]

/** A request to what an API server passes on to the kubelet of a pod's node. */
export interface PodRequest extends ApiRequest {
  readonly pod: Pod
  readonly subresource: PodSubresource
}

/** What stands in for all kubelets of a cluster. */
export type PodConnection = (request: PodRequest) => Promise<ApiResponse>

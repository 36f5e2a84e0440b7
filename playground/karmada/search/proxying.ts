import { CACHED_FROM } from '../../../karmada/objects/resource-registry.js'
import type { CachedType } from '../../../karmada/search/selected.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { isObject, type JsonObject, objectAt, stringAt } from '../../apimachinery/json.js'
import { methodNotSupported } from '../../apiserver/api-status.js'
import type { AggregatedHandler, AggregatedRequest } from '../../apiserver/catalogue/aggregation.js'
import { type ApiRequest, type ApiResponse, pageNotFound, plainText } from '../../apiserver/wire/exchange.js'
import { readObject } from '../../apiserver/wire/request-body.js'
import { type RequestInfo, requestInfo } from '../../apiserver/wire/request-info.js'
import { passToMember } from '../cluster-proxy.js'
import { CachedReads } from './cached-reads.js'
import { recoveredVersion } from './cluster-versions.js'
import type { MultiClusterCache } from './multi-cluster-cache.js'

/** What the proxy needs. */
export interface ProxyingOptions {
  readonly control: KubeApi
  /** Answers as the control plane's API server, as karmada-search's own account, which is an administrator. */
  readonly pass: (request: ApiRequest) => Promise<ApiResponse>
  readonly cache: MultiClusterCache
  readonly now: () => number
}

const READS = ['get', 'list', 'watch']

/**
 * `proxying/{any}/proxy/…`: reads of cached types come out of the caches, other requests for a cached object go to its member
 * as the caller, and everything else goes to the control plane itself. There the caller is karmada-search: with the right to use
 * this proxy comes every right in the control plane, as in Karmada.
 */
export function proxying({ control, pass, cache, now }: ProxyingOptions): AggregatedHandler {
  const reads = new CachedReads(cache, now)
  return async request => {
    const path = behindProxy(request.path)
    if (request.info.name === '') return pageNotFound()
    // karmada-search panics; its server answers so.
    if (path === undefined)
      return plainText(500, 'This request caused apiserver to panic. Look in the logs for details.')
    const info = requestInfo(request.method, path, withoutFieldSelector(request.query))
    const type = info.isResourceRequest ? cache.registered(info) : undefined
    if (!type) return pass({ ...anonymous(request), path })
    if (info.subresource === '' && READS.includes(info.verb)) return reads.answer(type, info, request)
    return toMember(control, cache, type, info, request, path)
  }
}

/** The path behind `…/proxying/{any}/proxy`; undefined for one that ends before it. */
function behindProxy(path: string): string | undefined {
  const [, below] = /^\/apis\/[^/]+\/[^/]+\/proxying\/[^/]+\/[^/]+(.*)$/.exec(path) ?? []
  return below === '' ? '/' : below
}

/** karmada-search reads no name out of field selectors. */
function withoutFieldSelector(query: URLSearchParams): URLSearchParams {
  const without = new URLSearchParams(query)
  without.delete('fieldSelector')
  return without
}

/** Without what says who the caller is: the server it came through has read that already. */
function anonymous(request: AggregatedRequest): ApiRequest {
  const headers = Object.entries(request.headers).filter(
    ([name]) => name !== 'authorization' && !name.startsWith('impersonate-'),
  )
  return { ...request, headers: Object.fromEntries(headers) }
}

async function toMember(
  control: KubeApi,
  cache: MultiClusterCache,
  type: CachedType,
  info: RequestInfo,
  request: AggregatedRequest,
  path: string,
): Promise<ApiResponse> {
  // No cluster is meant: nothing is there yet.
  if (info.verb === 'create' && info.name === '')
    throw methodNotSupported({ group: type.group, resource: type.resource }, info.verb)
  const { cluster } = await cache.locate(type, { namespace: info.namespace, name: info.name })
  const sent = info.verb === 'update' ? await recovered(request, cluster) : request
  return passToMember(control, cluster, sent, path)
}

/** An update of an object that was read here, as its member knows it: with its own version, and without our annotation. */
async function recovered(request: AggregatedRequest, cluster: string): Promise<AggregatedRequest> {
  let object: JsonObject
  try {
    object = await readObject(request)
  } catch {
    // The member says what is wrong with it.
    return request
  }
  const metadata = objectAt(object, 'metadata')
  const { [CACHED_FROM]: source, ...annotations } = objectAt(metadata, 'annotations')
  const version = recoveredVersion(stringAt(metadata, 'resourceVersion'), cluster)
  if (source === undefined && version === undefined) return request
  const parsedBody = {
    ...object,
    metadata: {
      ...metadata,
      ...(isObject(metadata.annotations) && { annotations }),
      ...(version !== undefined && { resourceVersion: version }),
    },
  }
  return { ...request, parsedBody, headers: { ...request.headers, 'content-type': 'application/json' } }
}

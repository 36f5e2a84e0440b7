import { StatusError } from '../../manifests/status-error.js'
import type { JsonObject } from '../apimachinery/json.js'
import type { Authenticator } from './access/authenticator.js'
import { type Attributes, type Authorizer, refusal } from './access/authorizer.js'
import { impersonated } from './access/impersonation.js'
import type { User } from './access/user.js'
import { badRequest, customStatus, forbidden, internalError, methodNotAllowed } from './api-status.js'
import {
  type AggregatedApi,
  type AggregatedHandler,
  type AggregatedRequest,
  serviceAway,
} from './catalogue/aggregation.js'
import type { Cluster } from './cluster.js'
import { serveDocument } from './endpoints/documents.js'
import { serveResource } from './endpoints/resources.js'
import { REVIEWS } from './endpoints/reviews.js'
import { checkBody } from './operations/object-rules.js'
import { targetOf } from './operations/target.js'
import { type ApiRequest, type ApiResponse, type Caller, pageNotFound } from './wire/exchange.js'
import { readObject } from './wire/request-body.js'
import { type RequestInfo, requestInfo } from './wire/request-info.js'

/** What the way of a request leads through, besides the cluster itself. */
export interface Guards {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
}

/** These say only that the server is there; kube-apiserver answers them to anybody too. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/livez', '/readyz', '/healthz', '/version'])

/** The way of every request: who is it, for whom, may they, and then the answer. Errors become Statuses here alone. */
export async function answer(
  cluster: Cluster,
  guards: Guards,
  request: ApiRequest,
  identity?: User,
): Promise<ApiResponse> {
  const warnings: string[] = []
  try {
    const user = identity ?? (await guards.authenticator.authenticate(request))
    const caller: Caller = { user: impersonated(request, user, guards.authorizer), warnings }
    const info = requestInfo(request.method, request.path, request.query)
    authorize(guards.authorizer, caller.user, info)
    const response = await serve(cluster, guards, info, request, caller)
    return withWarnings(response, warnings)
  } catch (error) {
    return failed(cluster, error, warnings)
  }
}

function failed(cluster: Cluster, error: unknown, warnings: readonly string[]): ApiResponse {
  const known = error instanceof StatusError ? error : internalError(error)
  if (!(error instanceof StatusError)) cluster.log.error({ error }, 'a request failed inside the API server')
  const retryAfter = known.status.details?.retryAfterSeconds
  return withWarnings(
    {
      code: known.code,
      body: { object: known.status as unknown as JsonObject },
      ...(retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } }),
    },
    warnings,
  )
}

function authorize(authorizer: Authorizer, user: User, info: RequestInfo): void {
  if (!info.isResourceRequest && OPEN_PATHS.has(info.path.replace(/\/+$/, ''))) return
  const attributes: Attributes = { ...info, user }
  if (authorizer.authorize(attributes).allowed) return
  throw forbidden({ group: info.group, resource: info.resource }, info.name, refusal(attributes))
}

async function serve(
  cluster: Cluster,
  guards: Guards,
  info: RequestInfo,
  request: ApiRequest,
  caller: Caller,
): Promise<ApiResponse> {
  if (!info.isResourceRequest) return serveDocument(cluster, request)
  const api = cluster.aggregation.find(info.group, info.version)
  if (api && cluster.aggregation.isAway(info.group, info.version)) return serviceAway()
  const code = api && handlerOf(api, info)
  if (code) return code(aggregatedRequest(request, caller.user, info))
  const type = cluster.catalogue.find(info.group, info.version, info.resource)
  if (!type) return unknownResource(cluster, info)
  if (info.name === '' && NAMED.has(info.verb)) throw methodNotAllowed()
  if (info.name !== '' && info.verb === 'create' && info.subresource === '') throw methodNotAllowed()
  const { namespaced } = type.definition
  const isNamespaceItself = type.collection === 'namespaces'
  if (!namespaced && info.namespace !== '' && !isNamespaceItself) return pageNotFound()
  if (
    namespaced &&
    info.namespace === '' &&
    info.name !== '' &&
    info.verb !== 'list' &&
    info.verb !== 'watch'
  ) {
    return pageNotFound()
  }
  if (namespaced && info.namespace === '' && info.verb === 'create') {
    throw badRequest('an empty namespace may not be set during creation')
  }
  const review = REVIEWS[type.collection]
  if (review && info.verb === 'create') {
    const body = checkBody(targetOf(cluster, type, { namespace: info.namespace }), await readObject(request))
    const context = { cluster, ...guards, user: caller.user, namespace: info.namespace }
    return { code: 201, body: { object: await review(context, body) } }
  }
  const at = { namespace: info.namespace, name: info.name, subresource: info.subresource }
  return serveResource(targetOf(cluster, type, at), info.verb, request, caller)
}

/** The request with what is known of it. Its signal is created at its first use, as before. */
function aggregatedRequest(request: ApiRequest, user: User, info: RequestInfo): AggregatedRequest {
  const { method, path, query, headers, body, parsedBody, raw, upgrade } = request
  return {
    method,
    path,
    query,
    headers,
    body,
    get signal() {
      return request.signal
    },
    ...(parsedBody !== undefined && { parsedBody }),
    ...(raw && { raw }),
    ...(upgrade && { upgrade }),
    user,
    info,
  }
}

/** These need a name in the path. */
const NAMED: ReadonlySet<string> = new Set(['update', 'patch'])

/** An unknown resource of a built-in version is a Status, of any other version a plain 404. */
function unknownResource(cluster: Cluster, { group, version }: RequestInfo): ApiResponse {
  const builtin = cluster.catalogue
    .groupVersions()
    .some(one => one.origin === 'builtin' && one.group === group && one.version === version)
  if (!builtin) return pageNotFound()
  throw customStatus(404, 'NotFound', 'the server could not find the requested resource', {})
}

/** The code that answers for an aggregated API; undefined where the store does. */
function handlerOf(
  api: AggregatedApi,
  { resource, subresource }: RequestInfo,
): AggregatedHandler | undefined {
  if (!api.definitions?.some(one => one.plural === resource)) return api.handle
  return subresource === '' ? undefined : api.connect?.[`${resource}/${subresource}`]
}

/** RFC 7234 warnings, as kube-apiserver sends them: code 299, no agent. */
function withWarnings(response: ApiResponse, warnings: readonly string[]): ApiResponse {
  if (warnings.length === 0) return response
  const lines = [...new Set(warnings)].map(text => `299 - ${quoted(text)}`)
  return { ...response, headers: { ...response.headers, warning: lines } }
}

const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

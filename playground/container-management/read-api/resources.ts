import { SelectorError } from '../../../manifests/label-selector.js'
import { failure } from '../../apimachinery/field-error.js'
import type { Json, JsonObject } from '../../apimachinery/json.js'
import type { ApiRequest, ApiResponse } from '../../apiserver/wire/exchange.js'
import { header } from '../../apiserver/wire/exchange.js'
import { negotiate, type Shape } from '../../apiserver/wire/negotiate.js'
import type { ClusterTable } from '../index/cluster-table.js'
import type { FleetIndex } from '../index/fleet-index.js'
import type { IndexedObject } from '../index/indexed-object.js'
import { type IndexedType, ResourceIndex } from '../index/resource-index.js'
import { FieldSelectorError } from '../query/field-path.js'
import { parseQuery, type Query } from '../query/query.js'
import { QueryError } from '../query/query-error.js'
import { select } from '../query/select.js'
import {
  answer,
  badRequest,
  invalidFieldSelector,
  methodNotAllowed,
  objectNotFound,
  pageNotFound,
  present,
  unknownCluster,
  withWarning,
} from './answers.js'
import { discovery } from './discovery.js'
import { listBody, metadataOf, parsedObject, type TableRenderer, tableOf, withoutContent } from './render.js'
import { parseRoute, type ResourceRequest } from './route.js'
import type { SyncedCluster, SyncedClusters } from './synced.js'
import { isFromTheFuture, type WatchItem, type WatchOptions, watchTable } from './watch.js'

/** What the read API reads. */
export interface ReadSources {
  readonly index: FleetIndex
  readonly clusters: SyncedClusters
  /** Columns of the types that have some of their own. */
  readonly table: TableRenderer
}

const isOn = (value: string | null): boolean => value !== null && value !== 'false' && value !== '0'

/** Answers a request below `/apis/clusterpedia.io/v1beta1/resources/`; `path` is what follows. */
export async function serveResources(
  sources: ReadSources,
  path: string,
  request: ApiRequest,
): Promise<ApiResponse> {
  const route = parseRoute(path)
  if (!route) return pageNotFound()
  if (route.cluster === undefined) return serveRoute(sources, route, request)
  const cluster = sources.clusters.get(route.cluster)
  if (!cluster) return route.to === 'resource' ? unknownCluster() : pageNotFound()
  const response = await serveRoute(sources, route, request, cluster)
  return route.to === 'resource' && response.code < 400 ? withWarning(response, staleness(cluster)) : response
}

const staleness = ({ name, unhealthy }: SyncedCluster): string | undefined =>
  unhealthy === undefined
    ? undefined
    : `${name} is not ready and the resources obtained may be inaccurate, reason: ${unhealthy}`

async function serveRoute(
  sources: ReadSources,
  route: NonNullable<ReturnType<typeof parseRoute>>,
  request: ApiRequest,
  cluster?: SyncedCluster,
): Promise<ApiResponse> {
  if (route.to !== 'resource')
    return discovery(route, cluster ? cluster.types : distinctTypes(sources.clusters))
  const type = cluster ? typeOf(cluster, route) : anyTypeOf(sources.clusters, route)
  if (!type || route.subresource !== '' || (route.namespace !== '' && !type.namespaced)) return pageNotFound()
  if (request.method !== 'GET') return methodNotAllowed(type, writeVerb(request.method, route.name))
  const { shape } = negotiate(header(request, 'accept'))
  const reading = new Reading(sources, type, shape, request.query)
  if (route.name !== '') {
    return cluster
      ? reading.get(cluster.name, route)
      : badRequest('please specify the cluster name when using the resource name to get a specific resource.')
  }
  return withQuery(request.query, query => {
    const narrowed = { ...query, ...(cluster && { clusters: [cluster.name] }), ...inNamespace(route) }
    if (narrowed.owner && narrowed.clusters.length !== 1)
      return badRequest('If searching by owner uid or name, then the cluster must be specified')
    if (!isOn(request.query.get('watch'))) return reading.list(narrowed, cluster)
    return cluster ? reading.watch(narrowed, cluster, request.signal) : methodNotAllowed(type, 'watch')
  })
}

const inNamespace = ({ namespace }: ResourceRequest): Partial<Query> =>
  namespace === '' ? {} : { namespaces: [namespace] }

const writeVerb = (method: string, name: string): string =>
  ({ POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: name ? 'delete' : 'deletecollection' })[method] ??
  method.toLowerCase()

const typeOf = (
  { types }: SyncedCluster,
  { group, version, resource }: ResourceRequest,
): IndexedType | undefined =>
  types.find(one => one.resource === resource && one.group === group && one.version === version)

/** The type as the first cluster has it that collects it; most clusters collect the same. */
function anyTypeOf(clusters: SyncedClusters, route: ResourceRequest): IndexedType | undefined {
  for (const cluster of clusters.values()) {
    const type = typeOf(cluster, route)
    if (type) return type
  }
  return undefined
}

function distinctTypes(clusters: SyncedClusters): IndexedType[] {
  const types = new Map<string, IndexedType>()
  for (const cluster of clusters.values())
    for (const type of cluster.types) types.set(`${type.group}/${type.version}/${type.resource}`, type)
  return [...types.values()]
}

/** Reads the query and answers 400 or 422 for what cannot be read. */
export function withQuery(url: URLSearchParams, serve: (query: Query) => ApiResponse): ApiResponse {
  try {
    return serve(parseQuery(url))
  } catch (error) {
    if (error instanceof FieldSelectorError && error.refused) {
      const { field, value, detail } = error.refused
      const cause = {
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${JSON.stringify(value)}: ${detail}`,
        field,
      }
      return invalidFieldSelector(error.message, cause)
    }
    if (error instanceof QueryError || error instanceof SelectorError || error instanceof FieldSelectorError)
      return badRequest(error.message)
    throw error
  }
}

/** One type, read in the shape the caller wants. */
class Reading {
  readonly #sources: ReadSources
  readonly #type: IndexedType
  readonly #shape: Shape
  readonly #url: URLSearchParams

  constructor(sources: ReadSources, type: IndexedType, shape: Shape, url: URLSearchParams) {
    this.#sources = sources
    this.#type = type
    this.#shape = shape
    this.#url = url
  }

  get(cluster: string, { namespace, name }: ResourceRequest): ApiResponse {
    const found = this.#table(cluster)?.get(namespace, name)
    if (!found) return objectNotFound(this.#type, name)
    if (this.#shape === 'object')
      return { code: 200, body: { text: found.json, contentType: 'application/json' } }
    return answer(200, this.#shaped([parsedObject(found)], { resourceVersion: found.resourceVersion }, true))
  }

  list(query: Query, cluster: SyncedCluster | undefined): ApiResponse {
    const { index } = this.#sources
    // Between negotiation and the first page there is no index yet: an empty one answers.
    const type = index.type(this.#type) ?? new ResourceIndex(this.#type)
    const page = select(index, type, query)
    // Each of several pages shows another state: who is given tokens to read on would start a watch from the last one.
    const isOnePage = !query.withContinue
    const version = cluster && isOnePage ? this.#table(cluster.name)?.resourceVersion : undefined
    const metadata = present({
      resourceVersion: version || undefined,
      continue: page.continue,
      remainingItemCount: page.remaining,
    })
    if (this.#shape === 'object' && !query.onlyMetadata)
      return {
        code: 200,
        headers: { 'content-type': 'application/json' },
        body: listBody(this.#head(metadata), page),
      }
    const objects = [...page.objects].map(parsedObject)
    if (this.#shape === 'object')
      return answer(200, { ...this.#head(metadata), items: objects.map(withoutContent) })
    return answer(200, this.#shaped(objects, metadata, false))
  }

  watch(query: Query, cluster: SyncedCluster, signal: AbortSignal): ApiResponse {
    const table = this.#table(cluster.name)
    if (!table || table.resourceVersion === '')
      return unavailable(`the first list of ${this.#type.resource} of ${cluster.name} is not complete yet`)
    const options = watchOptions(this.#url, query, signal)
    if (isFromTheFuture(options.resourceVersion, table))
      return tooLarge(options.resourceVersion, table.resourceVersion)
    return {
      code: 200,
      headers: { 'content-type': 'application/json' },
      body: { stream: this.#lines(watchTable(table, options)) },
    }
  }

  #table(cluster: string): ClusterTable | undefined {
    return this.#sources.index.type(this.#type)?.table(cluster)
  }

  #head(metadata: JsonObject): JsonObject {
    return { kind: `${this.#type.kind}List`, apiVersion: this.#apiVersion, metadata }
  }

  get #apiVersion(): string {
    const { group, version } = this.#type
    return group === '' ? version : `${group}/${version}`
  }

  /** A Table, or PartialObjectMetadata. */
  #shaped(objects: readonly JsonObject[], metadata: JsonObject, single: boolean): JsonObject {
    if (this.#shape === 'table') return tableOf(this.#type, objects, metadata, this.#url, this.#sources.table)
    const items = objects.map(metadataOf)
    if (single) return items[0] as JsonObject
    return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items }
  }

  async *#lines(batches: AsyncIterable<readonly WatchItem[]>): AsyncGenerator<Buffer> {
    for await (const batch of batches) yield Buffer.concat(batch.map(item => this.#line(item)))
  }

  /** Objects as they are go out as the bytes that are stored. */
  #line(item: WatchItem): Buffer {
    if ('object' in item && this.#shape === 'object')
      return Buffer.concat([Buffer.from(`{"type":"${item.type}","object":`), item.object.json, LINE_END])
    const object = 'object' in item ? this.#eventObject(item.object) : this.#eventMarker(item)
    return Buffer.from(`${JSON.stringify({ type: item.type, object })}\n`)
  }

  #eventObject(object: IndexedObject): JsonObject {
    return this.#shaped([parsedObject(object)], { resourceVersion: object.resourceVersion }, true)
  }

  #eventMarker(item: Exclude<WatchItem, { readonly object: IndexedObject }>): JsonObject {
    if (item.type === 'ERROR') return item.status
    const annotations: Json = item.initialEventsEnd ? { 'k8s.io/initial-events-end': 'true' } : {}
    const metadata = { resourceVersion: item.resourceVersion, annotations }
    return { kind: this.#type.kind, apiVersion: this.#apiVersion, metadata }
  }
}

const LINE_END = Buffer.from('}\n')

/** kube-apiserver ends a watch after a random 30 to 60 minutes unless the caller says when. */
const WATCH_MINUTES = { shortest: 30, longest: 60 } as const

function watchOptions(url: URLSearchParams, query: Query, signal: AbortSignal): WatchOptions {
  const seconds = Number(url.get('timeoutSeconds'))
  const minutes = WATCH_MINUTES.shortest + Math.random() * (WATCH_MINUTES.longest - WATCH_MINUTES.shortest)
  return {
    resourceVersion: url.get('resourceVersion') ?? '',
    sendInitialEvents: isOn(url.get('sendInitialEvents')),
    bookmarks: isOn(url.get('allowWatchBookmarks')),
    timeoutMs: seconds > 0 ? seconds * 1000 : minutes * 60_000,
    selects: selectorOf(query),
    signal,
  }
}

const selectorOf =
  ({ namespaces, names, labels, fields }: Query) =>
  (object: IndexedObject): boolean =>
    (namespaces.length === 0 || namespaces.includes(object.namespace)) &&
    (names.length === 0 || names.includes(object.name)) &&
    labels.matches(object.labels) &&
    (fields.requirements.length === 0 || fields.matches(object.json))

const unavailable = (message: string): ApiResponse =>
  answer(503, failure(503, 'ServiceUnavailable', message) as unknown as JsonObject)

const tooLarge = (requested: string, current: string): ApiResponse =>
  answer(504, {
    ...failure(504, 'Timeout', `Timeout: Too large resource version: ${requested}, current: ${current}`),
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  } as unknown as JsonObject)

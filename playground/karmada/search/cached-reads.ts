import type { CachedType } from '../../../karmada/search/selected.js'
import { NAME_AND_CREATED } from '../../apimachinery/builtin/columns/other-columns.js'
import type { JsonObject } from '../../apimachinery/json.js'
import type { ResourceDefinition } from '../../apimachinery/resource-definition.js'
import { partialObjectMetadata } from '../../apimachinery/table/to-table.js'
import type { AggregatedRequest } from '../../apiserver/catalogue/aggregation.js'
import { watchOptions } from '../../apiserver/operations/watch.js'
import { type ApiBody, type ApiResponse, header } from '../../apiserver/wire/exchange.js'
import { negotiate, type Shape } from '../../apiserver/wire/negotiate.js'
import { renderWatch } from '../../apiserver/wire/render.js'
import type { RequestInfo } from '../../apiserver/wire/request-info.js'
import { type TableMaker, tableOf } from '../../apiserver/wire/table.js'
import { withVersion, writeVersions } from './cluster-versions.js'
import { listRequest } from './list-request.js'
import { cachedFrom, mergedList } from './merged-list.js'
import { mergedWatch } from './merged-watch.js'
import type { MultiClusterCache } from './multi-cluster-cache.js'

/** get, list and watch of a cached type. Tables have a name and a time of creation, whatever the type, as karmada-search's. */
export class CachedReads {
  constructor(
    private readonly cache: MultiClusterCache,
    private readonly now: () => number,
  ) {}

  async answer(type: CachedType, info: RequestInfo, request: AggregatedRequest): Promise<ApiResponse> {
    const { shape } = negotiate(header(request, 'accept'))
    const maker: TableMaker = { cluster: { now: this.now }, definition: plainDefinition(type) }
    const namespace = type.namespaced ? info.namespace : ''
    if (info.verb === 'get')
      return { code: 200, body: await this.#get(type, { namespace, name: info.name }, request, shape, maker) }
    const asked = listRequest(type, namespace, request.query)
    if (info.verb === 'watch') {
      const queue = mergedWatch(this.cache, asked, watchOptions(request.query))
      request.signal.addEventListener('abort', () => queue.end(), { once: true })
      return { code: 200, body: { watch: renderWatch(maker, queue, shape, request.query) } }
    }
    const { apiVersion, kind, metadata, items } = await mergedList(this.cache, asked)
    const objects = items as unknown as readonly JsonObject[]
    if (shape === 'table')
      return { code: 200, body: { object: tableOf(maker, objects, metadata, request.query) } }
    if (shape === 'metadata') {
      const partial = objects.map(object => ({ object: partialObjectMetadata(object) }))
      const list = { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata }
      return { code: 200, body: { list: { ...list, items: partial, bareItems: false } } }
    }
    const list = { apiVersion, kind, metadata, items: objects.map(object => ({ object })), bareItems: false }
    return { code: 200, body: { list } }
  }

  async #get(
    type: CachedType,
    place: { readonly namespace: string; readonly name: string },
    request: AggregatedRequest,
    shape: Shape,
    maker: TableMaker,
  ): Promise<ApiBody> {
    const isFromCache = request.query.get('resourceVersion') === '0'
    const { cluster, object } = await this.cache.get(type, place, isFromCache)
    const own = { isZero: false, of: new Map() }
    const resourceVersion = writeVersions(withVersion(own, cluster, object.metadata.resourceVersion ?? ''))
    const cached = cachedFrom(cluster, object)
    const answer = {
      ...cached,
      metadata: { ...cached.metadata, resourceVersion },
    } as unknown as JsonObject
    if (shape === 'object') return { object: answer }
    if (shape === 'metadata') return { object: partialObjectMetadata(answer) }
    return { object: tableOf(maker, [answer], { resourceVersion }, request.query) }
  }
}

const plainDefinition = ({ group, version, resource, kind, namespaced }: CachedType): ResourceDefinition => ({
  group,
  version,
  kind,
  listKind: `${kind}List`,
  plural: resource,
  singular: '',
  shortNames: [],
  categories: [],
  namespaced,
  verbs: [],
  subresources: {},
  schema: {},
  printerColumns: NAME_AND_CREATED,
  custom: false,
})

import { createHash } from 'node:crypto'
import { openApiV2 } from '../../apimachinery/openapi/openapi-v2.js'
import { encodeOpenApiV2, OPENAPI_V2_PROTOBUF } from '../../apimachinery/openapi/openapi-v2-protobuf.js'
import {
  documentHash,
  documentPath,
  openApiV3,
  openApiV3Index,
} from '../../apimachinery/openapi/openapi-v3.js'
import { apiVersionOf, type ResourceDefinition } from '../../apimachinery/resource-definition.js'
import { notAcceptable } from '../api-status.js'
import type { Cluster } from '../cluster.js'
import { type ApiRequest, type ApiResponse, header, pageNotFound } from '../wire/exchange.js'
import { acceptedRanges } from '../wire/negotiate.js'

const JSON_TYPE = 'application/json'
/** What the binary form is called on the way back: the `@` of the request is not allowed in a type. */
const V2_PROTOBUF_SENT = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

/** Documents by the hash of what they describe: logical clusters that serve the same share them. */
class Documents<T> {
  readonly #kept = new Map<string, T>()

  /** @param most how many are kept; the longest unused goes first */
  constructor(private readonly most: number) {}

  get(key: string, make: () => T): T {
    const known = this.#kept.get(key)
    const document = known ?? make()
    this.#kept.delete(key)
    this.#kept.set(key, document)
    if (this.#kept.size > this.most) this.#kept.delete(this.#kept.keys().next().value as string)
    return document
  }
}

const v2Json = new Documents<string>(4)
const v2Binary = new Documents<Buffer>(4)
const v3 = new Documents<string>(200)

/** GET /openapi/v2, /openapi/v3 and /openapi/v3/{apis/group/version}; undefined for other paths. */
export function serveOpenApi(cluster: Cluster, request: ApiRequest, path: string): ApiResponse | undefined {
  if (path === '/openapi/v2') return version2(cluster, request)
  if (path === '/openapi/v3') return index(cluster)
  if (path.startsWith('/openapi/v3/')) return version3(cluster, request, path.slice('/openapi/v3/'.length))
  return undefined
}

const definitionsOf = (cluster: Cluster): ResourceDefinition[] =>
  [...cluster.catalogue.types()].map(type => type.definition)

function byGroupVersion(cluster: Cluster): Map<string, ResourceDefinition[]> {
  const found = new Map<string, ResourceDefinition[]>()
  for (const definition of definitionsOf(cluster)) {
    const groupVersion = apiVersionOf(definition)
    const list = found.get(groupVersion)
    if (list) list.push(definition)
    else found.set(groupVersion, [definition])
  }
  return found
}

const index = (cluster: Cluster): ApiResponse => ({
  code: 200,
  body: { text: JSON.stringify(openApiV3Index(byGroupVersion(cluster))), contentType: JSON_TYPE },
})

function version3(cluster: Cluster, request: ApiRequest, name: string): ApiResponse {
  refuseBinaryOnly(request)
  for (const [groupVersion, definitions] of byGroupVersion(cluster)) {
    if (documentPath(groupVersion) !== name) continue
    const hash = documentHash(definitions)
    const requested = request.query.get('hash')
    if (requested !== null && requested !== hash) {
      const location = `/openapi/v3/${name}?hash=${encodeURIComponent(hash)}`
      return { code: 301, headers: { location }, body: { text: '', contentType: 'text/plain' } }
    }
    const text = v3.get(hash, () => JSON.stringify(openApiV3(definitions)))
    // A URL with its hash never changes its meaning, so clients may keep the document for good.
    const caching = requested === null ? {} : { 'cache-control': 'public, immutable', expires: FAR_FUTURE }
    return { code: 200, headers: { etag: `"${hash}"`, ...caching }, body: { text, contentType: JSON_TYPE } }
  }
  return pageNotFound()
}

const FAR_FUTURE = 'Fri, 31 Dec 2100 00:00:00 GMT'

function refuseBinaryOnly(request: ApiRequest): void {
  const ranges = acceptedRanges(header(request, 'accept'))
  const json = ranges.some(({ type }) => type === JSON_TYPE || type === '*/*' || type === 'application/*')
  if (ranges.length > 0 && !json) throw notAcceptable([JSON_TYPE])
}

function version2(cluster: Cluster, request: ApiRequest): ApiResponse {
  const definitions = definitionsOf(cluster)
  const hash = documentHash(definitions)
  const document = () => openApiV2(definitions, cluster.gitVersion)
  const binary = header(request, 'accept').includes(OPENAPI_V2_PROTOBUF)
  const key = `${cluster.gitVersion} ${hash}`
  const body = binary
    ? {
        text: v2Binary.get(key, () => Buffer.from(encodeOpenApiV2(document()))),
        contentType: V2_PROTOBUF_SENT,
      }
    : { text: v2Json.get(key, () => JSON.stringify(document())), contentType: JSON_TYPE }
  const etag = createHash('sha256').update(key).update(String(binary)).digest('hex').toUpperCase()
  return { code: 200, headers: { etag: `"${etag}"` }, body }
}

import { createHash } from 'node:crypto'
import type { JsonObject } from '../../apimachinery/json.js'
import { remember } from '../../objects/bounded-memory.js'
import { serviceAway } from '../catalogue/aggregation.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import type { Cluster } from '../cluster.js'
import { freeze } from '../store/stored-object.js'
import { type ApiRequest, type ApiResponse, header, pageNotFound, plainText } from '../wire/exchange.js'
import {
  aggregated,
  aggregatedContentType,
  aggregatedVersion,
  coreVersions,
  group,
  groupList,
  resourceList,
} from './discovery.js'
import { health } from './health.js'
import { serveOpenApi } from './openapi.js'
import { version } from './version.js'

const json = (object: unknown): ApiResponse => ({
  code: 200,
  body: { text: JSON.stringify(object), contentType: 'application/json' },
})

/** A discovery document as it is sent. */
interface Document {
  readonly text: string
  readonly etag: string
  readonly object: JsonObject
}

/** Documents by what they are about and the types that are served: a thousand logical clusters serve the same. */
const documents = new Map<string, Document>()
/** How many are kept; the one unused for longest goes first. */
const MOST_DOCUMENTS = 64

/** @param about which document it is, beside the served types */
function discovered(
  catalogue: Catalogue,
  about: string,
  make: () => JsonObject | undefined,
): Document | undefined {
  const key = `${about} of ${catalogue.fingerprint}`
  const known = documents.get(key)
  if (known) {
    remember(documents, key, known, MOST_DOCUMENTS)
    return known
  }
  const object = make()
  if (!object) return undefined
  const text = JSON.stringify(object)
  const etag = `"${createHash('sha256').update(text).digest('hex').toUpperCase()}"`
  const document = { text, etag, object: freeze(object) }
  remember(documents, key, document, MOST_DOCUMENTS)
  return document
}

/** A document that clients keep: 304 while it is still what they have. */
function tagged(request: ApiRequest, { text, etag, object }: Document, contentType: string): ApiResponse {
  const headers = { etag, vary: 'Accept' }
  const known = header(request, 'if-none-match')
    .split(',')
    .some(one => one.trim() === etag)
  return known
    ? { code: 304, headers, body: { text: '', contentType } }
    : { code: 200, headers, body: { text, contentType, object } }
}

/** Everything that is not a resource: discovery, health, version. */
export async function serveDocument(cluster: Cluster, request: ApiRequest): Promise<ApiResponse> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return plainText(405, 'Method Not Allowed\n')
  const path = request.path.length > 1 ? request.path.replace(/\/+$/, '') : request.path
  const { catalogue } = cluster
  const whole = aggregatedVersion(header(request, 'accept'))
  switch (path) {
    case '/version':
      return json(version(cluster.gitVersion))
    case '/api':
    case '/apis': {
      const core = path === '/api'
      if (whole === undefined) {
        return core ? json(coreVersions(cluster.address())) : plain(groupsOf(catalogue))
      }
      return tagged(request, everything(cluster, core, whole), aggregatedContentType(whole))
    }
    case '/':
      return json({ paths: paths(cluster) })
  }
  const found = health(path, request.query) ?? serveOpenApi(cluster, request, path)
  if (found) return found
  const [, prefix, first = '', second] = path.split('/')
  if (prefix === 'apis' && second !== undefined && cluster.aggregation.isAway(first, second))
    return serviceAway()
  const document = discovered(catalogue, path, () =>
    prefix === 'api'
      ? resourceList(catalogue, '', first)
      : prefix !== 'apis'
        ? undefined
        : second === undefined
          ? group(catalogue, first)
          : resourceList(catalogue, first, second),
  )
  return document ? plain(document) : pageNotFound()
}

const plain = ({ text, object }: Document): ApiResponse => ({
  code: 200,
  body: { text, contentType: 'application/json', object },
})

const groupsOf = (catalogue: Catalogue): Document =>
  discovered(catalogue, '/apis', () => groupList(catalogue)) as Document

/** Aggregated discovery; which versions are away is part of what it says. */
function everything(cluster: Cluster, core: boolean, version: string): Document {
  const { catalogue, aggregation } = cluster
  const about = `${core ? '/api' : '/apis'} ${version}, away ${aggregation.away.join()}`
  const make = () =>
    aggregated(catalogue, core, version, (group, served) => aggregation.isAway(group, served))
  return discovered(catalogue, about, make) as Document
}

function paths({ catalogue }: Cluster): string[] {
  const found = new Set([
    '/api',
    '/apis',
    '/healthz',
    '/livez',
    '/openapi/v2',
    '/openapi/v3',
    '/readyz',
    '/version',
  ])
  for (const one of catalogue.groupVersions()) {
    if (one.group === '') found.add(`/api/${one.version}`)
    else found.add(`/apis/${one.group}`).add(`/apis/${one.group}/${one.version}`)
  }
  return [...found].sort()
}

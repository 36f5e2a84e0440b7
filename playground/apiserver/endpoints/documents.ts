import { createHash } from 'node:crypto'
import { serviceAway } from '../catalogue/aggregation.js'
import type { Cluster } from '../cluster.js'
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

/** A document that clients keep: 304 while it is still what they have. */
function tagged(request: ApiRequest, text: string, contentType: string): ApiResponse {
  const etag = `"${createHash('sha256').update(text).digest('hex').toUpperCase()}"`
  const headers = { etag, vary: 'Accept' }
  const known = header(request, 'if-none-match')
    .split(',')
    .some(one => one.trim() === etag)
  return known
    ? { code: 304, headers, body: { text: '', contentType } }
    : { code: 200, headers, body: { text, contentType } }
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
      if (whole === undefined) {
        return json(path === '/api' ? coreVersions(cluster.address()) : groupList(catalogue))
      }
      const document = aggregated(catalogue, path === '/api', whole, (group, version) =>
        cluster.aggregation.isAway(group, version),
      )
      return tagged(request, JSON.stringify(document), aggregatedContentType(whole))
    }
    case '/':
      return json({ paths: paths(cluster) })
  }
  const found = health(path, request.query) ?? serveOpenApi(cluster, request, path)
  if (found) return found
  const [, prefix, first = '', second] = path.split('/')
  if (prefix === 'apis' && second !== undefined && cluster.aggregation.isAway(first, second))
    return serviceAway()
  const document =
    prefix === 'api'
      ? resourceList(catalogue, '', first)
      : prefix !== 'apis'
        ? undefined
        : second === undefined
          ? group(catalogue, first)
          : resourceList(catalogue, first, second)
  return document ? json(document) : pageNotFound()
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

import type { Json, JsonObject } from '../../apimachinery/json.js'
import { type ApiRequest, type ApiResponse, header } from '../../apiserver/wire/exchange.js'
import { negotiate } from '../../apiserver/wire/negotiate.js'
import type { IndexedType, ResourceIndex } from '../index/resource-index.js'
import { comparator } from '../query/order.js'
import { selectAcross } from '../query/select.js'
import { answer, badRequest, collectionNotFound, present } from './answers.js'
import { metadataOf, parsedObject, tableOf, withoutContent } from './render.js'
import { type ReadSources, withQuery } from './resources.js'

/** A group, a group's version or one type; empty parts match all. */
interface TypePattern {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** The collections Clusterpedia knows. `any` has no types of its own: the caller names them. */
const collections: Readonly<Record<string, readonly TypePattern[]>> = {
  any: [],
  workloads: ['deployments', 'daemonsets', 'statefulsets'].map(resource => ({
    group: 'apps',
    version: 'v1',
    resource,
  })),
  kuberesources: [
    '',
    'admission.k8s.io',
    'admissionregistration.k8s.io',
    'apps',
    'authentication.k8s.io',
    'authorization.k8s.io',
    'autoscaling',
    'batch',
    'certificates.k8s.io',
    'coordination.k8s.io',
    'discovery.k8s.io',
    'events.k8s.io',
    'extensions',
    'flowcontrol.apiserver.k8s.io',
    'networking.k8s.io',
    'node.k8s.io',
    'policy',
    'rbac.authorization.k8s.io',
    'scheduling.k8s.io',
    'storage.k8s.io',
  ].map(group => ({ group, version: '', resource: '' })),
}

const apiVersion = 'clusterpedia.io/v1beta1'

/** Answers a request for `collectionresources` (`name` is empty) or one of them. */
export function serveCollections(sources: ReadSources, name: string, request: ApiRequest): ApiResponse {
  if (name === '') return answer(200, collectionList())
  const own = Object.hasOwn(collections, name) ? collections[name] : undefined
  if (!own) return collectionNotFound(name)
  const requested = own.length > 0 ? own : requestedTypes(request.query)
  if (typeof requested === 'string') return badRequest(requested)
  const types = [...sources.index.types()].filter(({ type }) =>
    requested.some(pattern => matches(pattern, type)),
  )
  return withQuery(request.query, query => {
    const page = selectAcross(sources.index, types, query, comparator(query.order))
    const { shape } = negotiate(header(request, 'accept'))
    const objects = [...page.objects].map(parsedObject)
    if (shape === 'table') return answer(200, collectionTable(objects, request.query))
    const onlyMetadata = query.onlyMetadata || shape === 'metadata'
    return answer(200, {
      kind: 'CollectionResource',
      apiVersion,
      metadata: { name, creationTimestamp: null },
      resourceTypes: presentTypes(types, objects),
      items: onlyMetadata ? objects.map(withoutContent) : objects,
      ...present({ continue: page.continue, remainingItemCount: page.remaining }),
    })
  })
}

const matches = (pattern: TypePattern, type: IndexedType): boolean =>
  (pattern.group === '*' || pattern.group === type.group) &&
  (pattern.version === '' || pattern.version === type.version) &&
  (pattern.resource === '' || pattern.resource === type.resource)

/** The types `?groups=` and `?resources=` name, or why they cannot be read. */
function requestedTypes(query: URLSearchParams): readonly TypePattern[] | string {
  const groups = query.get('groups')
  const resources = query.get('resources')
  if (groups?.split(',').includes('*')) return [{ group: '*', version: '', resource: '' }]
  const patterns: TypePattern[] = []
  for (const text of groups?.split(',') ?? []) {
    const parts = text.replaceAll(' ', '').split('/')
    const [group = '', version = ''] = parts
    if (parts.length > 2)
      return `groups query: unexpected GroupVersion string: ${text}, expect <group> or <group>/<version>`
    patterns.push({ group, version, resource: '' })
  }
  for (const text of resources?.split(',') ?? []) {
    const pattern = typePattern(text.replaceAll(' ', '').split('/'))
    if (!pattern)
      return `resources query: unexpected GroupVersionResource string: ${text}, expect <group>/<resource> or <group>/<version>/<resource>`
    patterns.push(pattern)
  }
  return patterns.length > 0 ? patterns : 'url query - `groups` or `resources` is required'
}

function typePattern(parts: readonly string[]): TypePattern | undefined {
  const resource = parts.at(-1)
  if (parts.length < 2 || parts.length > 3 || !resource) return undefined
  return { group: parts[0] ?? '', version: parts.length === 3 ? (parts[1] ?? '') : '', resource }
}

/** Only the types that occur in the answer, as Clusterpedia lists them. */
function presentTypes(types: readonly ResourceIndex[], objects: readonly JsonObject[]): Json {
  const present = new Set(objects.map(({ apiVersion, kind }) => `${apiVersion}/${kind}`))
  return types
    .filter(({ type: { group, version, kind } }) =>
      present.has(`${group === '' ? version : `${group}/${version}`}/${kind}`),
    )
    .map(({ type: { group, version, resource, kind } }) => ({ group, version, kind, resource }))
}

function collectionList(): JsonObject {
  return {
    kind: 'CollectionResourceList',
    apiVersion,
    metadata: {},
    items: Object.entries(collections).map(([name, patterns]) => ({
      kind: 'CollectionResource',
      apiVersion,
      metadata: { name, creationTimestamp: null },
      resourceTypes: patterns.map(({ group, version, resource }) => ({ group, version, resource })),
    })),
  }
}

function collectionTable(objects: readonly JsonObject[], url: URLSearchParams): JsonObject {
  const type = { group: '', version: '', resource: '', kind: '', namespaced: true }
  return tableOf(type, objects, {}, url, (_type, rows) => ({
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    columnDefinitions: ['Group', 'Version', 'Kind', 'Namespace', 'Name', 'Created At'].map(name => ({
      name,
      type: 'string',
      format: name === 'Name' ? 'name' : '',
      description: '',
      priority: 0,
    })),
    rows: rows.map(object => ({ cells: cellsOf(object), object: metadataOf(object) })),
  }))
}

function cellsOf(object: JsonObject): Json[] {
  const metadata = object.metadata as JsonObject
  const [version = '', group = ''] = String(object.apiVersion).split('/').reverse()
  return [
    group,
    version,
    object.kind ?? '',
    metadata.namespace ?? '',
    metadata.name ?? '',
    metadata.creationTimestamp ?? '',
  ]
}

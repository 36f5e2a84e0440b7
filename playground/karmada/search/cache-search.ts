import type { GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import { type LabelSelector, SelectorError } from '../../../manifests/label-selector.js'
import type { JsonObject } from '../../apimachinery/json.js'
import { parseLabelSelector } from '../../apimachinery/label-selector.js'
import { badRequest, customStatus, methodNotAllowed } from '../../apiserver/api-status.js'
import type { AggregatedHandler } from '../../apiserver/catalogue/aggregation.js'
import { type ApiResponse, pageNotFound } from '../../apiserver/wire/exchange.js'
import type { ResourceTypes } from '../propagation/resource-types.js'
import { cachedFrom } from './merged-list.js'
import type { SearchCaches } from './search-caches.js'

/** What a path below `search/{store}/` names: a type, in one namespace or all, and perhaps one object. */
interface SearchedPath extends GroupVersionResource {
  readonly namespace: string
  readonly name: string
}

/** A failure that karmada-search answers without a reason. */
const fails = (message: string) => customStatus(500, '', message)

/**
 * `search/cache/…`: the cached objects of a type in one list, without versions, pages or fields. What is not cached is not there: the
 * list of any type that the control plane serves is at least empty.
 */
export const cacheSearch =
  (caches: SearchCaches, types: ResourceTypes): AggregatedHandler =>
  async ({ method, path, query }) => {
    if (method !== 'GET') throw methodNotAllowed()
    // …/search/{store}/{path}
    const parts = path
      .split('/')
      .filter(part => part !== '')
      .slice(3)
      .map(decoded)
    const [, store, ...rest] = parts
    if (store === undefined) return pageNotFound()
    if (rest.length === 0) throw fails(`invalid requestInfo parts: [${parts.join(' ')}]`)
    const searched = searchedPath(rest)
    // karmada-search has nothing to say here either.
    if (store === 'opensearch') return { code: 200, body: { text: '', contentType: 'text/plain' } }
    if (store !== 'cache') throw fails(`connect with unrecognized search category ${store}`)
    let labels: LabelSelector
    try {
      labels = parseLabelSelector(query.get('labelSelector') ?? '')
    } catch (error) {
      if (error instanceof SelectorError) return refusal(400, error.message)
      throw error
    }
    const type = await types.ofResource(searched)
    const { group, version, resource } = searched
    if (!type) return refusal(500, `no matches for ${group}/${version}, Resource=${resource}`)
    const items = [...caches.objects(type)]
      .filter(({ object }) => isSearched(searched, object, labels))
      .map(({ cluster, object }) => cachedFrom(cluster, object))
    const apiVersion = group === '' ? version : `${group}/${version}`
    const answer = { kind: `${type.kind}List`, apiVersion, metadata: {}, items }
    return { code: 200, body: { object: answer as unknown as JsonObject } }
  }

/** @throws StatusError 400 for an escape that is none; Go's HTTP server refuses it before karmada-search sees it */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw badRequest(`invalid URL escape in ${JSON.stringify(part)}`)
  }
}

const refusal = (code: number, error: string): ApiResponse => ({ code, body: { object: { error } } })

/** A name is looked up as it is; labels select among the objects of a list alone. */
const isSearched = (
  { namespace, name }: SearchedPath,
  { metadata }: KubeObject,
  labels: LabelSelector,
): boolean =>
  name === ''
    ? (namespace === '' || metadata.namespace === namespace) && labels.matches(metadata.labels ?? {})
    : metadata.name === name && (metadata.namespace ?? '') === namespace

/** @throws StatusError 500 for a path that names no resource, or more than one */
function searchedPath(parts: readonly string[]): SearchedPath {
  const [prefix, ...below] = parts
  const isCore = prefix === 'api'
  if (parts.length < (isCore ? 3 : 4) || (!isCore && prefix !== 'apis'))
    throw fails(`k8s native Request URL(${parts.join('/')}) is not a resource request`)
  const [group = '', version = ''] = isCore ? ['', below[0]] : below
  let rest = below.slice(isCore ? 1 : 2)
  const namespace = rest[0] === 'namespaces' ? (rest[1] ?? '') : ''
  if (namespace !== '' && rest.length > 2) rest = rest.slice(2)
  if (rest.length > 2) throw fails(`invalid request parts([${rest.join(' ')}]) for k8s native request URL`)
  const [resource = '', name = ''] = rest
  return { group, version, resource, name, namespace: resource === 'namespaces' ? '' : namespace }
}

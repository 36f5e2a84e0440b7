/** What a request asks for, read from its method, path and query alone (Kubernetes' RequestInfo). */
export interface RequestInfo {
  /** False for everything outside /api/{version}/… and /apis/{group}/{version}/…. */
  readonly isResourceRequest: boolean
  /** The decoded path, without the query. */
  readonly path: string
  /** get, list, watch, create, update, patch, delete, deletecollection; the lower-cased method for other paths. */
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** What follows the subresource, e.g. the path below `clusters/x/proxy`. Still encoded. */
  readonly rest: string
}

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** Below a namespace these are subresources of the namespace itself, all else are resources in it. */
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize'])

/** As k8s.io/apimachinery converts a parameter to a boolean. */
const isTrue = (value: string | null): boolean => value !== null && !/^(0|false)$/i.test(value)

/** `metadata.name=x` in a field selector turns a list of everything into a request for one name, also for RBAC. */
function nameFromFieldSelector(query: URLSearchParams): string {
  for (const clause of (query.get('fieldSelector') ?? '').split(',')) {
    const match = /^metadata\.name==?([^=].*)$/.exec(clause.trim())
    if (match?.[1] !== undefined && /^[\w.:-]+$/.test(match[1])) return match[1]
  }
  return ''
}

function decode(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    // A malformed escape names nothing that exists; it stays as it is and leads to "not found".
    return segment
  }
}

/** @param rawPath the path as received, still encoded, without the query */
export function requestInfo(method: string, rawPath: string, query: URLSearchParams): RequestInfo {
  const encoded = rawPath.split('/').filter((part, index) => index > 0 || part !== '')
  if (encoded.at(-1) === '') encoded.pop()
  const segments = encoded.map(decode)
  const nonResource: RequestInfo = {
    isResourceRequest: false,
    path: decode(rawPath),
    verb: method.toLowerCase(),
    group: '',
    version: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
    rest: '',
  }
  const prefix = segments[0]
  const groupless = prefix === 'api'
  if (!groupless && prefix !== 'apis') return nonResource
  let parts = segments.slice(groupless ? 1 : 2)
  const group = groupless ? '' : (segments[1] ?? '')
  const version = parts[0] ?? ''
  parts = parts.slice(1)
  if (parts.length === 0 || version === '') return nonResource

  let verb = VERBS[method] ?? ''
  if (parts[0] === 'watch') {
    verb = 'watch'
    parts = parts.slice(1)
  }
  let namespace = ''
  if (parts[0] === 'namespaces' && parts.length > 1) {
    namespace = parts[1] as string
    if (parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(parts[2] as string)) parts = parts.slice(2)
  }
  const resource = parts[0] ?? ''
  let name = parts[1] ?? ''
  const subresource = parts[2] ?? ''
  if (name === '' && verb === 'get') verb = isTrue(query.get('watch')) ? 'watch' : 'list'
  else if (name === '' && verb === 'delete') verb = 'deletecollection'
  if (name === '' && (verb === 'list' || verb === 'watch' || verb === 'deletecollection')) {
    name = nameFromFieldSelector(query)
  }
  return {
    isResourceRequest: true,
    path: decode(rawPath),
    verb,
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
    rest: encoded.slice(encoded.length - Math.max(0, parts.length - 3)).join('/'),
  }
}

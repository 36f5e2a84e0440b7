/** The parameters of a request, to be read. */
export type Query = Pick<URLSearchParams, 'get' | 'has' | 'keys' | 'size' | typeof Symbol.iterator>

const NO_QUERY: Query = new URLSearchParams()

/** What a request names. */
export interface ResourceInfo {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
}

/** What a Kubernetes request is about, read from its method and path alone, as an API server's request info is. */
export interface RequestInfo {
  /** get, list, watch, create, update, patch, delete, deletecollection; or the method in lower case for other paths. */
  readonly verb: string
  /** Absent for discovery, health and other paths that name no resource. */
  readonly resource?: ResourceInfo
  /** What stands behind the question mark; of all that have none it is the same. */
  readonly query: Query
  /** Nothing is stored, whatever the verb says. */
  readonly dryRun: boolean
  /** The answer does not end by itself: a watch or a followed log. */
  readonly long: boolean
}

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** @param target an encoded path with its query */
export function requestInfo(method: string, target: string): RequestInfo {
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const query = mark < 0 ? NO_QUERY : new URLSearchParams(target.slice(mark + 1))
  const { resource, watched } = resourceOf(path)
  const reading = method === 'GET' || method === 'HEAD'
  const watch = reading && (watched || isTrue(query.get('watch')))
  const one = resource?.name !== undefined && !/(^|,)metadata\.name=/.test(query.get('fieldSelector') ?? '')
  const readVerb = watch ? 'watch' : one ? 'get' : 'list'
  const writeVerb = method === 'DELETE' && resource && !one ? 'deletecollection' : verbs[method]
  const verb = (resource && (reading ? readVerb : writeVerb)) ?? method.toLowerCase()
  const dryRun = query.has('dryRun')
  const long = watch || (reading && isTrue(query.get('follow')))
  return resource ? { verb, resource, query, dryRun, long } : { verb, query, dryRun, long }
}

const isTrue = (value: string | null): boolean => value !== null && /^(1|t|true|)$/i.test(value)

function resourceOf(path: string): { resource?: ResourceInfo; watched: boolean } {
  const parts = path.split('/').filter(part => part !== '')
  const core = parts[0] === 'api'
  if (!core && parts[0] !== 'apis') return { watched: false }
  const [group, version] = core ? ['', parts[1]] : [parts[1], parts[2]]
  let at = core ? 2 : 3
  const watched = parts[at] === 'watch'
  if (watched) at += 1
  if (version === undefined || group === undefined || parts[at] === undefined) return { watched: false }
  const namespaced =
    parts[at] === 'namespaces' && at + 2 < parts.length && !NAMESPACE_SUBRESOURCES.has(parts[at + 2] ?? '')
  const namespace = namespaced ? parts[at + 1] : undefined
  if (namespaced) at += 2
  const [resource = '', name] = [parts[at], parts[at + 1]]
  const named: { -readonly [K in keyof ResourceInfo]: ResourceInfo[K] } = { group, version, resource }
  if (namespace !== undefined) named.namespace = namespace
  if (name !== undefined) named.name = name
  if (at + 2 < parts.length) named.subresource = parts.slice(at + 2).join('/')
  return { watched, resource: named }
}

/** `namespaces/x/status` is a part of the namespace and not a resource in it. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize'])

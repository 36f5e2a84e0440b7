import { decoded } from './behind-member.js'

/** The parameters of a request, to be read. */
export type Query = Pick<URLSearchParams, 'get' | 'has' | 'keys' | 'size' | typeof Symbol.iterator>

const NO_QUERY: Query = new URLSearchParams()

/** What a request names, decoded. */
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
  /** The query asks for a dry run. A deletion with a body does not look at it: see `isDryRun`. */
  readonly dryRun: boolean
  /** The answer does not end by itself: a watch or a followed log. */
  readonly long: boolean
}

/** Kubernetes' verbs for the methods that write. */
export const WRITE_VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** @param target an encoded path with its query */
export function requestInfo(method: string, target: string): RequestInfo {
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const search = mark < 0 ? '' : target.slice(mark + 1)
  const query = search === '' ? NO_QUERY : new URLSearchParams(search)
  const { resource, watched } = resourceOf(path)
  const reading = method === 'GET' || method === 'HEAD'
  const named = resource?.name !== undefined
  const watch = watched || (!named && isTrue(query.get('watch')))
  const readVerb = watch ? 'watch' : named ? 'get' : 'list'
  const writeVerb = method === 'DELETE' && !named ? 'deletecollection' : WRITE_VERBS[method]
  const verb = (resource && (reading ? readVerb : writeVerb)) ?? method.toLowerCase()
  const long = reading && (watch || streams(resource, query))
  const dryRun = asksForDryRun(query, search)
  return resource ? { verb, resource, query, dryRun, long } : { verb, query, dryRun, long }
}

/**
 * Whether a write stores nothing. An API server reads the options of a deletion from its body if it has one, and then
 * ignores the query; what the body says is not read here, so such a deletion counts as one.
 */
export const isDryRun = ({ verb, dryRun }: RequestInfo, hasBody: boolean): boolean =>
  dryRun && !(hasBody && (verb === 'delete' || verb === 'deletecollection'))

/** As k8s.io/apimachinery converts a parameter to a boolean: only `0` and `false` are false, in any case; '' is true. */
const isTrue = (value: string | null): boolean => value !== null && !/^(0|false)$/i.test(value)

/** A log is followed with `follow`. What is behind a proxy may be a watch or a followed log there. */
function streams(resource: ResourceInfo | undefined, query: Query): boolean {
  const subresource = resource?.subresource ?? (resource ? '' : 'proxy')
  const isProxy = /^proxy(\/|$)/.test(subresource)
  return (
    ((isProxy || subresource === 'log') && isTrue(query.get('follow'))) ||
    (isProxy && isTrue(query.get('watch')))
  )
}

/** A server in Go drops a parameter with a semicolon or a broken escape: then it does not see the dry run. */
const asksForDryRun = (query: Query, search: string): boolean => {
  const dryRuns = [...query].filter(([name]) => name === 'dryRun')
  return dryRuns.length > 0 && dryRuns.every(([, value]) => value === 'All') && !NOT_READ_BY_GO.test(search)
}
const NOT_READ_BY_GO = /;|%(?![0-9a-f]{2})/i

function resourceOf(path: string): { resource?: ResourceInfo; watched: boolean } {
  const parts: string[] = []
  for (const part of path.split('/')) if (part !== '') parts.push(decoded(part))
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

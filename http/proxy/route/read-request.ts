import { acceptedForm, type Form } from './accept.js'
import type { Query, RequestInfo } from './request-info.js'

/** Which state of the instance a read is content with (Kubernetes' `resourceVersion` and `resourceVersionMatch`). */
export type WantedVersion =
  /** The newest there is. */
  | { readonly kind: 'newest' }
  /** Any; it is the start of an informer more often than not. */
  | { readonly kind: 'any' }
  /** Nothing older than this. For a watch: every change after it. */
  | { readonly kind: 'notOlderThan'; readonly than: string }
  /** Exactly one state, or something that only the instance can refuse properly. */
  | { readonly kind: 'particular' }

/** What a read asks for beyond its path: what an index has to understand just as the instance would. */
export interface ReadRequest {
  readonly method: string
  readonly form: Form
  readonly version: WantedVersion
  readonly labelSelector: string
  readonly hasFieldSelector: boolean
  /** 0 for none. */
  readonly limit: number
  /**
   * Sent by kubectl under any file name, whose `get -w` begins with the same list as `get`. If that list has no resourceVersion, the watch
   * that follows begins with every object again, and kubectl prints each twice.
   */
  readonly byKubectl: boolean
  /** Carries a token for the next page. Only its maker can read it. */
  readonly continued: boolean
  /** Parameters that are known to the instance only, or that are given twice. */
  readonly others: readonly string[]
  /** Parameters that only matter to a watch, as they came. */
  readonly ofWatch: Readonly<Record<string, string>>
}

const OF_WATCH = new Set(['allowWatchBookmarks', 'timeoutSeconds', 'sendInitialEvents'])
const UNDERSTOOD = new Set([
  ...['labelSelector', 'fieldSelector', 'limit', 'continue', 'resourceVersion', 'resourceVersionMatch'],
  // The caller’s own timeout, sent for information.
  ...['watch', 'timeout'],
])

/** Of a read that has no parameters. */
const plain = (method: string, form: Form, byKubectl: boolean): ReadRequest => ({
  method,
  form,
  byKubectl,
  version: NEWEST,
  labelSelector: '',
  hasFieldSelector: false,
  limit: 0,
  continued: false,
  others: NONE,
  ofWatch: NOTHING,
})

const NEWEST: WantedVersion = { kind: 'newest' }
const NONE: readonly string[] = []
const NOTHING: Readonly<Record<string, string>> = {}

/**
 * Its user agent begins with the name of its file, which may be `kubectl.exe` or anything else. Since 1.21 it also sends the
 * command that was typed, unless KUBECTL_COMMAND_HEADERS is off.
 */
const isKubectl = (headers: Parameters<typeof readRequestOf>[2]): boolean =>
  headers['kubectl-command'] !== undefined || (headers['user-agent']?.startsWith('kubectl') ?? false)

/** @param headers in lower case */
export function readRequestOf(
  method: string,
  { verb, query }: RequestInfo,
  headers: {
    readonly accept?: string | undefined
    readonly 'user-agent'?: string | undefined
    readonly 'kubectl-command'?: string | string[] | undefined
  },
): ReadRequest {
  const form = acceptedForm(headers.accept)
  const byKubectl = isKubectl(headers)
  if (query.size === 0) return plain(method, form, byKubectl)
  const names = [...query.keys()]
  const limit = query.get('limit') ?? ''
  const isLimit = /^\d{0,9}$/.test(limit)
  return {
    method,
    form,
    byKubectl,
    version: versionOf(query, verb),
    labelSelector: query.get('labelSelector') ?? '',
    hasFieldSelector: (query.get('fieldSelector') ?? '') !== '',
    limit: isLimit ? Number(limit) : 0,
    continued: (query.get('continue') ?? '') !== '',
    others: [
      ...names.filter(name => !UNDERSTOOD.has(name) && !(verb === 'watch' && OF_WATCH.has(name))),
      ...names.filter((name, index) => names.indexOf(name) !== index),
      ...(isLimit ? [] : ['limit']),
      ...(/^\d{0,9}$/.test(query.get('timeoutSeconds') ?? '') ? [] : ['timeoutSeconds']),
    ],
    ofWatch: Object.fromEntries([...query].filter(([name]) => OF_WATCH.has(name))),
  }
}

/** Lists with a limit and a version but no match want exactly that version: so were pages read before there were tokens. */
function versionOf(query: Query, verb: string): WantedVersion {
  const version = query.get('resourceVersion') ?? ''
  const match = query.get('resourceVersionMatch') ?? ''
  if (match !== '' && match !== 'NotOlderThan') return { kind: 'particular' }
  const starting = verb === 'watch' && query.has('sendInitialEvents')
  if (match !== '' && version === '' && !starting) return { kind: 'particular' }
  if (version === '') return { kind: 'newest' }
  if (version === '0') return { kind: 'any' }
  if (!/^[1-9]\d{0,18}$/.test(version)) return { kind: 'particular' }
  const paged = verb === 'list' && match === '' && /[1-9]/.test(query.get('limit') ?? '')
  return paged ? { kind: 'particular' } : { kind: 'notOlderThan', than: version }
}

/**
 * Whether an index selects by these labels as an API server does: not by search words, and not by greater or less. What an
 * API server would refuse is left to the instance, which says what is wrong.
 */
export const selectsAlike = (selector: string): boolean =>
  selector === '' || (!selector.includes('clusterpedia.io') && SELECTOR.test(selector))

/** The grammar of `k8s.io/apimachinery/pkg/labels` without greater and less. A text that is not understood here may still be good. */
const SELECTOR = (() => {
  const name = '[A-Za-z0-9](?:[-\\w.]{0,61}[A-Za-z0-9])?'
  const label = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?'
  const key = `(?:${label}(?:\\.${label})*/)?${name}`
  const value = `(?:${name})?`
  const set = `\\( *${name} *(?:, *${name} *)*\\)`
  const requirement = `(?:! *${key}|${key}(?: *(?:==?|!=) *${value}| +(?:not)?in *${set})?)`
  return new RegExp(`^ *${requirement}(?: *, *${requirement})* *$`)
})()

/** The path and query of the same read at an index. Nothing of the caller's query goes there unread. */
export function indexTarget({ verb, resource }: RequestInfo, read: ReadRequest): string {
  if (!resource) throw new Error('only a read of a resource goes to an index')
  const { group, version, namespace, name } = resource
  const parts = [
    ...(group === '' ? ['api', version] : ['apis', group, version]),
    ...(namespace === undefined ? [] : ['namespaces', namespace]),
    resource.resource,
    ...(name === undefined ? [] : [name]),
  ]
  const path = parts.map(part => `/${encodeURIComponent(part)}`).join('')
  const query = new URLSearchParams({
    ...(read.labelSelector !== '' && { labelSelector: read.labelSelector }),
    ...(verb === 'watch' && { watch: 'true', ...read.ofWatch }),
  })
  if (verb === 'watch' && read.version.kind === 'notOlderThan')
    query.set('resourceVersion', read.version.than)
  const search = query.toString()
  return search === '' ? path : `${path}?${search}`
}

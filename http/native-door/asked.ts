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
export interface Asked {
  readonly method: string
  readonly form: Form
  readonly version: WantedVersion
  readonly labelSelector: string
  readonly hasFieldSelector: boolean
  /** 0 for none. */
  readonly limit: number
  /** Carries a token for the next page. Only who made it can read it. */
  readonly continued: boolean
  /** Parameters that nobody but the instance is known to understand, or that are given twice. */
  readonly others: readonly string[]
  /** Parameters that only matter to a watch, as they came. */
  readonly ofWatch: Readonly<Record<string, string>>
}

const OF_WATCH = new Set(['allowWatchBookmarks', 'timeoutSeconds', 'sendInitialEvents'])
const UNDERSTOOD = new Set([
  ...['labelSelector', 'fieldSelector', 'limit', 'continue', 'resourceVersion', 'resourceVersionMatch'],
  // How long the caller waits is told to the server for its information.
  ...['watch', 'timeout'],
])

/** Of a read that has no parameters. */
const plain = (method: string, form: Form): Asked => ({
  method,
  form,
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

/** @param accept the header of that name */
export function askedOf(method: string, { verb, query }: RequestInfo, accept: string | undefined): Asked {
  if (query.size === 0) return plain(method, acceptedForm(accept))
  const names = [...query.keys()]
  const limit = query.get('limit') ?? ''
  const isLimit = /^\d{0,9}$/.test(limit)
  return {
    method,
    form: acceptedForm(accept),
    version: versionOf(query, verb),
    labelSelector: query.get('labelSelector') ?? '',
    hasFieldSelector: (query.get('fieldSelector') ?? '') !== '',
    limit: isLimit ? Number(limit) : 0,
    continued: (query.get('continue') ?? '') !== '',
    others: [
      ...names.filter(name => !UNDERSTOOD.has(name) && !(verb === 'watch' && OF_WATCH.has(name))),
      ...names.filter((name, index) => names.indexOf(name) !== index),
      ...(isLimit ? [] : ['limit']),
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

/** Whether an index selects by these labels as an API server does: not by search words, and not by greater or less. */
export const selectsAlike = (selector: string): boolean => !/clusterpedia\.io|[<>]/.test(selector)

/** The path and query of the same read at an index. Nothing of the caller's query goes there unread. */
export function indexTarget({ verb, resource }: RequestInfo, asked: Asked): string {
  if (!resource) throw new Error('only a read of a resource goes to an index')
  const { group, version, namespace, name } = resource
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const inside = namespace === undefined ? '' : `/namespaces/${namespace}`
  const path = `${root}${inside}/${resource.resource}${name === undefined ? '' : `/${name}`}`
  const query = new URLSearchParams({
    ...(asked.labelSelector !== '' && { labelSelector: asked.labelSelector }),
    ...(verb === 'watch' && { watch: 'true', ...asked.ofWatch }),
  })
  if (verb === 'watch' && asked.version.kind === 'notOlderThan')
    query.set('resourceVersion', asked.version.than)
  const search = query.toString()
  return search === '' ? path : `${path}?${search}`
}

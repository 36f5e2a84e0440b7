import type { AcrossOrder, ListQuery, Sort } from '../list-query.js'
import type { Window } from './seek.js'
import { BY_NAME, MOST_OBJECTS } from './select.js'

/** A list in Clusterpedia's grammar. */
export interface IndexQuery {
  readonly parameters: URLSearchParams
  /** Those of them that select objects, without order and page. */
  readonly selection: Readonly<Record<string, string>>
  /**
   * True: its grammar has no word for the order or for one of the conditions. The query selects all that the grammar can
   * select, and the rest is done here, as with what Karmada answers. False: the query selects the page.
   */
  readonly whole: boolean
}

/** A part of a name that the index looks for as it stands: it is a label's value there, and a pattern of SQL. */
const PLAIN_PART = /^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/
/** Names that fit in an address. */
const MOST_NAMES_LENGTH = 4_000
const PLAIN_NAME = /^[-a-z0-9.]+$/
const PLAIN_UID = /^[-a-zA-Z0-9]+$/
const FUZZY_NAME = 'internalstorage.clusterpedia.io/fuzzy-name'

/**
 * The query of the index. A caller's text becomes part of it only where the index's grammar cannot misread it.
 * @param part what is read, where that is not the page, of which one object more is read: it shows whether there is a next page
 */
export function indexQuery(query: ListQuery<never>, part?: 'all' | Window): IndexQuery {
  const { labelSelector, nameContains = [], names, ownerUid, where, sort = BY_NAME, page, pageSize } = query
  const { mostOfIndex, namespaces } = query
  const parts = nameContains.filter(part => part !== '')
  const plainParts = parts.every(part => PLAIN_PART.test(part))
  const plainNames =
    !names || (names.every(name => PLAIN_NAME.test(name)) && names.join().length <= MOST_NAMES_LENGTH)
  const plainOwner = !ownerUid || PLAIN_UID.test(ownerUid)
  const order = orderOf(sort)
  const whole = !plainParts || !plainNames || !plainOwner || where !== undefined || order === undefined
  const labels = [
    ...(labelSelector ? [labelSelector] : []),
    ...(plainParts ? [...new Set(parts)].map(part => `${FUZZY_NAME}=${part}`) : []),
  ]
  const selection = {
    ...(labels.length > 0 && { labelSelector: labels.join() }),
    ...(names && names.length > 0 && plainNames && { names: names.join() }),
    ...(ownerUid && plainOwner && { ownerUID: ownerUid }),
    ...(namespaces && { namespaces: namespaces.join() }),
  }
  const wanted = Math.min(pageSize, mostOfIndex ?? pageSize)
  const parameters = new URLSearchParams({
    orderby: order ?? NAME_ORDER,
    withRemainingCount: 'true',
    ...selection,
    ...limits(
      whole || part === 'all' || wanted <= 0 ? ALL : (part ?? pageWindow(page, pageSize, mostOfIndex)),
    ),
  })
  return { parameters, selection, whole }
}

/** The query of one list over several instances, as the index calls them. */
export function acrossQuery(
  selection: IndexQuery['selection'],
  clusters: readonly string[],
  { key, descending }: AcrossOrder,
  window: Window,
): URLSearchParams {
  const first = key === 'cluster' ? key : COLUMNS[key]
  const ties = ['cluster', 'namespace', 'name'].filter(column => column !== first)
  return new URLSearchParams({
    clusters: clusters.join(),
    orderby: [`${first}${descending ? ' desc' : ''}`, ...ties].join(),
    withRemainingCount: 'true',
    ...selection,
    ...limits(window),
  })
}

const ALL: Window = { limit: MOST_OBJECTS, offset: 0 }

const pageWindow = (page: number, pageSize: number, most: number | undefined): Window => ({
  limit: most === undefined ? pageSize + 1 : Math.min(pageSize, most),
  offset: (Math.max(1, page) - 1) * pageSize,
})

const limits = ({ limit, offset }: Window) => ({
  limit: String(limit),
  ...(offset > 0 && { continue: String(offset) }),
})

/** Only these words, since an index may hand an order to its database as it stands. */
const COLUMNS = { name: 'name', namespace: 'namespace', createdAt: 'created_at' } as const
const NAME_ORDER = 'name,namespace'

function orderOf({ key, descending }: Sort<never>): string | undefined {
  if (typeof key === 'function') return undefined
  const ties = (['namespace', 'name'] as const).filter(column => column !== key)
  return [`${COLUMNS[key]}${descending ? ' desc' : ''}`, ...ties].join()
}

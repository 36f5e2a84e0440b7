import type { ReadRules } from '../../proxy/proxy-request.js'
import { selectsAlike } from '../../proxy/route/read-request.js'
import {
  firstOf,
  type IndexState,
  karmada,
  type Route,
  type Row,
  routeByIndex,
} from '../../proxy/route/route.js'
import type { ListQuery } from '../list-query.js'
import { collectionPath, type Place } from '../object-type.js'
import { type IndexQuery, indexQuery } from './index-query.js'
import type { Listing } from './listing.js'
import type { Window } from './seek.js'

/** A list as the rules see it. */
interface Listed {
  readonly place: Place
  readonly query: ListQuery<never>
}

/** Names of namespaces that fit in an address. */
const MOST_NAMESPACES_LENGTH = 4_000

/** Lists that no index answers as the instance does. */
const notForAnyIndex: readonly Row<[Listed]>[] = [
  ['Member', ({ place }) => place.cluster !== undefined, 'it is of a member, which no index reads'],
  [
    'FieldSelector',
    ({ query }) => !!query.fieldSelector,
    'it selects by fields, which the index reads differently',
  ],
  [
    'Namespaces',
    ({ query: { namespaces = [] } }) => namespaces.join().length > MOST_NAMESPACES_LENGTH,
    'it is of more namespaces than fit in an address',
  ],
  [
    'LabelSelector',
    ({ query }) => !selectsAlike(query.labelSelector ?? ''),
    'it selects by labels that the index reads differently',
  ],
]

/**
 * The rules of lists of the management API. They are pages that are sorted, searched and counted, which is what an index is for;
 * no watch begins with them. So unlike lists of the proxy they go to the index first, whatever their size, and to Karmada where
 * the index lacks the type, is not in order, does not show the caller's own writes, or the caller may not read.
 */
export function listRoute(listed: Listed, index: IndexState | undefined): Route {
  const always = firstOf(notForAnyIndex, listed)
  return always ? karmada(always) : routeByIndex(index)
}

/**
 * How a list is routed, and the query of the index.
 * @param part what is read of it, where that is not the page: all of it, or a window
 */
export function listRules(
  { place, type, query }: Pick<Listing<never>, 'place' | 'type' | 'query'>,
  part?: 'all' | Window,
): { readonly rules: ReadRules; readonly asked: IndexQuery } {
  const asked = indexQuery(query, part)
  const target = `${collectionPath({ instance: place.instance }, type, query.namespace)}?${asked.parameters}`
  const { namespaces } = query
  const route = (index: IndexState | undefined) => listRoute({ place, query }, index)
  return { asked, rules: { target, route, ...(namespaces && { namespaces }) } }
}

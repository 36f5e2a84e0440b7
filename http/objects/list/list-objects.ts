import type { KubeObject } from '../../../manifests/kube.js'
import { type Cursor, cursorAfter, isInOrder } from '../cursor.js'
import type { IndexedList, ListQuery, ObjectPage } from '../list-query.js'
import { checkPage, paginationOf } from '../paging.js'
import { type Chunk, NOT_THE_INDEX, type Read, tooMany, UNCOUNTED } from './chunk.js'
import { listRules } from './list-route.js'
import type { Listing } from './listing.js'
import { inOwnNamespaces } from './own-namespaces.js'
import { seek } from './seek.js'
import { BY_NAME, orderOf, pageOfObjects, selects } from './select.js'
import { untilWhole, withRest } from './whole-list.js'

/**
 * A page of what matches: the index's own where the rules send the list there, else cut out here of all that matches.
 * @throws Failure FAILED_PRECONDITION where that is more than is sorted here, with what to narrow; OUT_OF_RANGE for a cursor whose position
 * cannot be found any more
 */
export async function listObjects<T extends KubeObject>(asked: Listing<T>): Promise<ObjectPage<T>> {
  checkPage(asked.query)
  const listing = { ...asked, query: await inOwnNamespaces(asked) }
  const { requests, place, query } = listing
  const { value, giveBack } = await untilWhole(listing, async read => {
    const { after, mostOfIndex } = query
    const { rules, asked } = listRules(listing)
    const isWhole = asked.whole || query.pageSize <= 0
    if (isWhole) return wholePage(listing, await read(undefined, rules), read)
    // Of a list that is read with those of other instances the position is found there.
    const isPart = mostOfIndex !== undefined && requests.sharedIndex(place.instance) !== undefined
    if (after && !isPart) {
      const { page, first } = await pageAfter(listing, after, read)
      return (
        page ?? wholePage(listing, first ?? (await read(undefined, listRules(listing, 'all').rules)), read)
      )
    }
    const first = await read(undefined, rules)
    const page = indexPage(query, first)
    return page ? { ...page, ...indexedList(listing, asked.selection) } : wholePage(listing, first, read)
  })
  // A stream reads lists for as long as it lasts, each for one of its messages.
  if (listing.call.answers.lasts) giveBack()
  return value
}

/** The list that the index has just answered. */
function indexedList(
  { requests, place, type, query }: Listing<never>,
  selection: IndexedList['selection'],
): { readonly indexed?: IndexedList } {
  const { instance } = place
  const { namespace = '', namespaces } = query
  // One over several instances is of all namespaces or of one.
  const index = namespaces ? undefined : requests.sharedIndex(instance)
  return index ? { indexed: { index, instance, type, namespace, selection } } : {}
}

/** A page as the index made it, without its objects where it is to begin after a cursor; undefined where it did not make one. */
function indexPage<T extends KubeObject>(
  { page: asked, pageSize, after, mostOfIndex, sort = BY_NAME }: ListQuery<T>,
  { items, remaining, answered }: Chunk<T>,
): ObjectPage<T> | undefined {
  if (remaining === undefined || answered.source !== 'index') return undefined
  const page = Math.max(1, asked)
  const start = (page - 1) * pageSize
  // Of a page past the end the rest is negative.
  const total = Math.max(0, start + items.length + remaining)
  const pagination = paginationOf({ total, start, page, pageSize })
  if (after) return { items: [], start: 0, pagination, answered }
  const shown = items.slice(0, pageSize)
  const part = { items: shown, start, pagination, answered }
  if (mostOfIndex !== undefined || items.length === shown.length) return part
  const order = orderOf(sort)
  const sorted = isInOrder(order, items) ? 'alike' : 'otherwise'
  const next = cursorAfter(order, shown, { offset: start + pageSize, sorted })
  return { ...part, next }
}

/** The page of the index that begins after a cursor, or the first chunk of what was read elsewhere. */
async function pageAfter<T extends KubeObject>(
  listing: Listing<T>,
  after: Cursor,
  read: Read<T>,
): Promise<{ readonly page?: ObjectPage<T>; readonly first?: Chunk<T> }> {
  const { pageSize, sort = BY_NAME } = listing.query
  let last: Chunk<T> | undefined
  const found = await seek(after, pageSize, orderOf(sort), async window => {
    last = await read(undefined, listRules(listing, window).rules)
    const { items, remaining, answered } = last
    return remaining === undefined || answered.source !== 'index' ? undefined : { items, remaining }
  })
  if (!found || !last) {
    const isWholeBegun = last && (last.answered.source === 'karmada' || last.remaining === undefined)
    return last && isWholeBegun ? { first: last } : {}
  }
  const { items, start, total, next } = found
  const pagination = paginationOf({ total, start, page: undefined, pageSize })
  return { page: { items, start, pagination, answered: last.answered, ...(next && { next }) } }
}

/** A page that is cut out of all that matches. */
async function wholePage<T extends KubeObject>(
  listing: Listing<T>,
  first: Chunk<T>,
  read: Read<T>,
): Promise<ObjectPage<T>> {
  const { type, query } = listing
  const { items, remaining, answered } = first
  if (answered.source === 'karmada')
    return { ...pageOfObjects(await withRest(listing, first, read), query), answered }
  if (remaining === undefined) {
    const objects = await withRest(listing, await read(undefined, NOT_THE_INDEX), read)
    return { ...pageOfObjects(objects, query), answered: UNCOUNTED }
  }
  if (remaining > 0) throw tooMany(type, query)
  return { ...pageOfObjects(items.filter(selects(query)), query), answered }
}

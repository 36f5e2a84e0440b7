import type { KubeObject } from '../../../manifests/kube.js'
import type { IndexedList, ListQuery, ObjectPage } from '../list-query.js'
import { checkPage } from '../paging.js'
import { listRules } from './list-route.js'
import type { Listing } from './listing.js'
import { type Chunk, NOT_THE_INDEX, tooMany, UNCOUNTED, untilWhole, withRest } from './read-list.js'
import { pageOfObjects, selects } from './select.js'

/**
 * A page of what matches: the index's own where the rules send the list there, else cut out here of all that matches.
 * @throws Failure FAILED_PRECONDITION where that is more than is sorted here, with what to narrow
 */
export async function listObjects<T extends KubeObject>(listing: Listing<T>): Promise<ObjectPage<T>> {
  const { place, type, query } = listing
  checkPage(query)
  const { rules, asked } = listRules(place, type, query)
  const { value, giveBack } = await untilWhole(listing, async read => {
    const first = await read(undefined, rules)
    if (first.answered.source === 'karmada') {
      const objects = await withRest(listing, first, read)
      return { ...pageOfObjects(objects, query), answered: first.answered }
    }
    const isWhole = asked.whole || query.pageSize <= 0
    const page = isWhole ? wholePage(listing, first) : indexPage(query, first)
    if (page)
      return { ...page, answered: first.answered, ...(!isWhole && indexedList(listing, asked.selection)) }
    const objects = await withRest(listing, await read(undefined, NOT_THE_INDEX), read)
    return { ...pageOfObjects(objects, query), answered: UNCOUNTED }
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
  const index = requests.sharedIndex(instance)
  const { namespace = '' } = query
  return index ? { indexed: { index, instance, type, namespace, selection } } : {}
}

/** A page as the index made it; undefined where it did not say how many there are. */
function indexPage<T extends KubeObject>(
  { page: asked, pageSize }: ListQuery<T>,
  { items, remaining }: Chunk<T>,
): Omit<ObjectPage<T>, 'answered'> | undefined {
  if (remaining === undefined) return undefined
  const page = Math.max(1, asked)
  // Of a page past the end it is negative.
  const total = Math.max(0, (page - 1) * pageSize + items.length + remaining)
  return { items, pagination: { total, page, pageSize, pages: Math.ceil(total / pageSize) } }
}

function wholePage<T extends KubeObject>(
  { type, query }: Listing<T>,
  { items, remaining }: Chunk<T>,
): Omit<ObjectPage<T>, 'answered'> | undefined {
  if (remaining === undefined) return undefined
  if (remaining > 0) throw tooMany(type, query)
  return pageOfObjects(items.filter(selects(query)), query)
}

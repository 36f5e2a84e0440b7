import type { AnsweredFrom } from '../../call/answered-from.js'
import { type Part, seek, type Window } from '../../objects/list/seek.js'
import type { IndexedList } from '../../objects/list-query.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { isSorted, locatedOf } from './ask-place.js'
import { FirstOf, type Located } from './fleet-order.js'
import type { FleetQuery } from './fleet-query.js'

/** An instance whose objects its index has, with how many it counted. */
export interface IndexedPlace {
  readonly indexed: IndexedList
  readonly total: number
  readonly from: AnsweredFrom
}

/** A page, and one object more where there is a next one. */
export interface AcrossResult {
  readonly items: readonly Located[]
  /** How many objects of the index come before what was read of it. */
  readonly start: number
  /** How many come before the next page. */
  readonly offset: number
}

/**
 * The page of a list of which an index has most: its part is read there as one list over these instances, which is as short for the last
 * page as for the first.
 * @param others the first objects of all other places, in order, as many as the page's end counts at least
 * @returns 'changed' where the index now has more or fewer objects than it counted before; undefined where it does not have such a list
 * @throws as `Objects.listAcross`; TypeError for what is no object of Kubernetes
 */
export async function pageAcross(
  objects: Objects,
  call: ObjectCall,
  places: readonly IndexedPlace[],
  others: readonly Located[],
  query: FleetQuery,
): Promise<AcrossResult | 'changed' | undefined> {
  const { after, order, start, size, end } = query
  const read = reader(objects, call, places, query)
  if (after) {
    const found = await seek(after, end, order, read.window)
    if (!found) return read.hasChanged() ? 'changed' : undefined
    return merged(others, found.items, { order, start: 0, size, end, offset: found.start })
  }
  // At most all of the others come before the page, so at least so many of the index do.
  const offset = Math.max(0, start - others.length)
  const part = await read.window({ offset, limit: end - offset })
  if (!part) return read.hasChanged() ? 'changed' : undefined
  // A database may sort as a language does.
  if (!isSorted(part.items, order.compare)) return undefined
  return merged(others, part.items, { order, start: start - offset, size, end: end - offset, offset })
}

/** Reads windows of the one list over these instances, as long as it has as many objects as they have. */
function reader(
  objects: Objects,
  call: ObjectCall,
  places: readonly IndexedPlace[],
  { order, withData }: FleetQuery,
) {
  const lists = places.map(({ indexed }) => indexed)
  const total = places.reduce((sum, one) => sum + one.total, 0)
  const froms = new Map(places.map(({ indexed, from }) => [indexed.instance, from]))
  let hasChanged = false
  return {
    hasChanged: () => hasChanged,
    async window({ offset, limit }: Window): Promise<Part<Located> | undefined> {
      const part = await objects.listAcross(call, { lists, order: order.across, offset, limit })
      if (!part) return undefined
      hasChanged = part.total !== total
      if (hasChanged) return undefined
      const items: Located[] = []
      for (const { instance, object } of part.items) {
        const from = froms.get(instance)
        if (!from) return undefined
        items.push(locatedOf(object, { instance }, from, withData))
      }
      return { items, remaining: total - offset - items.length }
    },
  }
}

/** Merges a part of the index's list with the others, of which none comes before the part. */
function merged(
  others: readonly Located[],
  part: readonly Located[],
  {
    order,
    start,
    size,
    end,
    offset,
  }: Pick<FleetQuery, 'order' | 'start' | 'size' | 'end'> & { readonly offset: number },
): AcrossResult {
  const first = new FirstOf(end, order.compare)
  first.add(others)
  first.add(part)
  const ofIndex = new Set(part)
  const before = first.items.slice(0, start + size).filter(one => ofIndex.has(one)).length
  return { items: first.items.slice(start), start: offset, offset: offset + before }
}

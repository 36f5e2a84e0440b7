import type { AnsweredFrom } from '../../call/answered-from.js'
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
  { order, start, end, withData }: FleetQuery,
): Promise<readonly Located[] | 'changed' | undefined> {
  // At most all of the others come before the page, so at least so many of the index do.
  const offset = Math.max(0, start - others.length)
  const lists = places.map(({ indexed }) => indexed)
  const part = await objects.listAcross(call, { lists, order: order.across, offset, limit: end - offset })
  if (!part) return undefined
  if (part.total !== places.reduce((sum, { total }) => sum + total, 0)) return 'changed'
  const froms = new Map(places.map(({ indexed, from }) => [indexed.instance, from]))
  const located: Located[] = []
  for (const { instance, object } of part.items) {
    const from = froms.get(instance)
    if (!from) return undefined
    located.push(locatedOf(object, { instance }, from, withData))
  }
  // A database may sort as a language does.
  if (!isSorted(located, order.compare)) return undefined
  const merged = new FirstOf(end - offset, order.compare)
  merged.add(others)
  merged.add(located)
  return merged.items.slice(start - offset)
}

import type { KubeObject } from '../../../manifests/kube.js'
import type { AnsweredFrom } from '../../call/answered-from.js'
import { invalidFields, unavailable } from '../../errors/failure.js'
import { comparison } from '../../objects/list/select.js'
import type { IndexedList, ObjectPage } from '../../objects/list-query.js'
import type { ObjectType, Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { text } from '../kind/object-meta.js'
import { itemOf } from './fleet-item.js'
import type { Located } from './fleet-order.js'
import { type FleetQuery, MOST_COUNTED } from './fleet-query.js'
import { typeIn } from './fleet-type.js'

/** What a place has of a list, ready to be sent. */
export interface PlaceObjects {
  /** The first, up to the end of the page; fewer where it is `indexed`. */
  readonly located: readonly Located[]
  readonly total: number
  /** How many of them come before a page that begins after a cursor. */
  readonly start: number
  readonly from: AnsweredFrom
  /** Its objects can be read in one list with those of other instances. */
  readonly indexed?: IndexedList
}

/**
 * Asks one place for its first objects. What cannot be made of them is its own failure.
 * @param mostOfIndex how many of them an index is asked for, which may be asked for the rest in one list over several instances
 */
export async function askPlace(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  query: FleetQuery,
  mostOfIndex?: number,
): Promise<PlaceObjects> {
  const page = await pageOf(objects, call, place, query, mostOfIndex)
  const { items, pagination, start, answered: from, indexed } = page
  const isPart = mostOfIndex !== undefined && items.length < Math.min(query.end, pagination.total)
  return {
    located: items.map(object => locatedOf(object, place, from, query.withData)),
    total: Math.min(pagination.total, MOST_COUNTED),
    ...{ start, from },
    ...(isPart && indexed && { indexed }),
  }
}

/** An object of a place as the list needs it. */
export const locatedOf = (
  object: KubeObject,
  place: Place,
  from: AnsweredFrom,
  withData: boolean,
): Located => ({
  ...{ object: slim(object), place },
  item: itemOf(object, place, from, withData),
})

/**
 * The first objects of one place, in our order.
 * @throws Failure UNAVAILABLE where it answers with fewer than it says to have: what is missing may belong anywhere on the page
 */
async function pageOf(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  { resource, filter, order: { within, cursorIn }, end, after }: FleetQuery,
  mostOfIndex: number | undefined,
): Promise<ObjectPage<KubeObject>> {
  const type = await typeIn(objects, call, place, resource)
  refuseNamespace(type, filter)
  const cursor = after && cursorIn(place, after)
  const list = (pageSize: number, most?: number) =>
    objects.list<KubeObject>(call, place, type, {
      ...{ ...filter, sort: within, page: 1, pageSize },
      ...(cursor && { after: cursor }),
      ...(most !== undefined && { mostOfIndex: most }),
    })
  for (let attempt = 1; ; attempt += 1) {
    let page = await list(end, mostOfIndex)
    // A database that sorts as a language does would not merge: all of the place are read then, and sorted here.
    if (!isSorted(page.items, comparison(within))) page = await list(0)
    const { items, pagination, start, indexed } = page
    // Where an index has the objects after a cursor, it has answered with how many there are.
    if (after && indexed && mostOfIndex !== undefined) return page
    const left = Math.max(0, pagination.total - start)
    const wanted = Math.min(end, left, (indexed && mostOfIndex) ?? Number.POSITIVE_INFINITY)
    if (items.length >= wanted) return { ...page, items: items.slice(0, end) }
    // An index counts after it has read: what changes in between is right the next time.
    if (attempt === 2)
      throw unavailable(`it answered with ${items.length} objects of ${pagination.total}`, {
        reason: 'Incomplete',
      })
  }
}

/** Whether a list is in an order. */
export const isSorted = <T>(items: readonly T[], compare: (a: T, b: T) => number): boolean =>
  items.every((item, index) => index === 0 || compare(items[index - 1] as T, item) <= 0)

/** @throws Failure INVALID_ARGUMENT for a namespace of what has none */
export function refuseNamespace(
  { namespaced, resource }: ObjectType,
  { namespace }: FleetQuery['filter'],
): void {
  if (namespace && !namespaced)
    throw invalidFields([{ field: 'namespace', description: `must be empty: ${resource} have none` }])
}

/** What an object is sorted by: a page holds thousands before it is cut out. */
const slim = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => ({
  ...{ apiVersion, kind },
  metadata: {
    name: text(metadata.name),
    namespace: text(metadata.namespace),
    creationTimestamp: text(metadata.creationTimestamp),
  },
})

import type { GroupVersionResource } from '../../../manifests/kube.js'
import type { AnsweredFrom } from '../../call/answered-from.js'
import type { Failure } from '../../errors/failure.js'
import type { Cursor } from '../../objects/cursor.js'
import type { IndexedList, ListQuery } from '../../objects/list-query.js'
import type { Place } from '../../objects/object-type.js'
import type { FleetOrder } from './fleet-order.js'

/** The largest number that a message has for a count. */
export const MOST_COUNTED = 2 ** 31 - 1

/** Which objects of which places are listed. */
export interface FleetQuery {
  readonly resource: GroupVersionResource
  readonly scope: { readonly controlPlanes: boolean; readonly members: boolean }
  /** Only these members; empty for all. */
  readonly clusters: readonly string[]
  readonly filter: Pick<ListQuery, 'namespace' | 'labelSelector' | 'fieldSelector' | 'nameContains'>
  readonly order: FleetOrder
  /** The page begins after it, and not with an object of a number. */
  readonly after?: Cursor
  /** The page is from this object on, counted from 0, or from the first after the cursor, … */
  readonly start: number
  /** … and has so many. */
  readonly size: number
  /** Up to this one the list is read: one object more than the page has shows whether there is a next one. */
  readonly end: number
  /** Whether more than the metadata of objects is wanted. */
  readonly withData: boolean
}

/** What one place answered: how many match and where that was read, or why it could not. */
export interface PlaceAnswer {
  readonly place: Place
  readonly total: number
  /** How many of them come before a page that begins after a cursor. */
  readonly start?: number
  readonly from?: AnsweredFrom
  readonly failure?: Failure
  /** Its objects are still to be read, in one list with those of other instances. */
  readonly indexed?: IndexedList
}

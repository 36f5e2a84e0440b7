import { deadline } from '../../../ports/cancellation.js'
import { deadlineExceeded, unavailable } from '../../errors/failure.js'
import { type Cursor, cursorAfter } from '../../objects/cursor.js'
import type { Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { sideCall } from '../../objects/side-call.js'
import { askPlace } from './ask-place.js'
import { comparePlaces, FirstOf, type Located } from './fleet-order.js'
import type { FleetQuery, PlaceAnswer } from './fleet-query.js'
import { inTurns } from './in-turns.js'
import { type AcrossResult, type IndexedPlace, pageAcross } from './page-across.js'
import { ALL_MS, AT_ONCE, attempt, LIST_TIMEOUT, PLACE_MS, PLACE_TIMEOUT, placesOf } from './places-of.js'

/** One instance has several members: they must not keep the others waiting. */
const BOUNDS = { atOnce: AT_ONCE, ofOne: 2 }
/** After so many places of an instance that did not answer in time, its other members are not asked. */
const MOST_TIMEOUTS = 3

/** One page of the whole list, and each place that it is about, by name. */
export interface FleetList {
  readonly page: readonly Located[]
  readonly places: readonly PlaceAnswer[]
  /** How many objects come before a page that begins after a cursor. */
  readonly start: number
  /** Where the next page begins; absent on the last one. */
  readonly next?: Cursor
}

/** How often an index is asked for a list over instances whose objects it has counted, when there are more or fewer by then. */
const MOST_COUNTS = 2

/**
 * Lists one type over instances and members. Each place is asked for its first objects, and for how many it has; those of instances that
 * an index has are then read in one list. What one place cannot answer is its own failure.
 * @throws the reason of the call's signal
 */
export async function fleetList(
  objects: Objects,
  call: ObjectCall,
  instances: readonly string[],
  query: FleetQuery,
): Promise<FleetList> {
  const overall = deadline([call.signal], ALL_MS, {
    late: () =>
      deadlineExceeded(`not asked within the ${ALL_MS / 1_000} s that one list has`, {
        reason: LIST_TIMEOUT,
      }),
  })
  const within = { ...sideCall(call), signal: overall.signal }
  try {
    const { places, failed } = await placesOf(objects, within, instances, query)
    const asking = new Asking(objects, within, query)
    const answers = [...failed]
    const listed = (found: Omit<AcrossResult, 'start'> & { readonly start?: number }): FleetList => {
      call.signal.throwIfAborted()
      const { size, order } = query
      const page = found.items.slice(0, size)
      const next = found.items.length > size && cursorAfter(order, page, { offset: found.offset })
      return {
        page,
        places: answers.sort((a, b) => comparePlaces(a.place, b.place)),
        start: answers.reduce((sum, { start = 0 }) => sum + start, found.start ?? 0),
        ...(next && { next }),
      }
    }
    let open = places
    // What indexes answer in the first round is together no more than a page.
    const isDeep = query.start > 0 || places.length > 1
    let mostOfIndex = isDeep ? Math.max(1, Math.floor(query.size / places.length)) : undefined
    for (let count = 1; ; count += 1) {
      const asked = await asking.round(open, mostOfIndex)
      answers.push(...asked.filter(({ indexed }) => !indexed))
      const indexed = asked.filter(isIndexed)
      if (indexed.length === 0) return listed({ items: asking.first.items.slice(query.start), offset: 0 })
      const page = await attempt(within, quick =>
        pageAcross(objects, quick, indexed, asking.first.items, query),
      )
      if ('value' in page && page.value && page.value !== 'changed') {
        answers.push(...indexed.map(one => ({ ...one, start: 0 })))
        return listed(page.value)
      }
      open = indexed.map(({ place }) => place)
      const hasChanged = 'value' in page && page.value === 'changed'
      if (!hasChanged || count === MOST_COUNTS) mostOfIndex = undefined
    }
  } finally {
    overall.clear()
  }
}

const isIndexed = (answer: PlaceAnswer): answer is PlaceAnswer & IndexedPlace => !!answer.indexed

/** Asks places, and keeps of their objects what a page needs. */
class Asking {
  /** The first objects of the places that answered with all that is needed. */
  readonly first: FirstOf<Located>
  readonly #timeouts = new Map<string, number>()

  constructor(
    readonly objects: Objects,
    readonly within: ObjectCall,
    readonly query: FleetQuery,
  ) {
    this.first = new FirstOf(query.end, query.order.compare)
  }

  round(places: readonly Place[], mostOfIndex: number | undefined): Promise<PlaceAnswer[]> {
    return inTurns(places, BOUNDS, place => this.#ask(place, mostOfIndex))
  }

  async #ask(place: Place, mostOfIndex: number | undefined): Promise<PlaceAnswer> {
    const { instance } = place
    const timeouts = this.#timeouts.get(instance) ?? 0
    if (place.cluster && timeouts >= MOST_TIMEOUTS) return { place, total: 0, failure: skipped() }
    const found = await attempt(this.within, quick =>
      askPlace(this.objects, quick, place, this.query, mostOfIndex),
    )
    if (!('value' in found)) {
      const { failure } = found
      if (failure.details.reason === PLACE_TIMEOUT)
        this.#timeouts.set(instance, (this.#timeouts.get(instance) ?? 0) + 1)
      return { place, total: 0, failure }
    }
    const { located, ...answer } = found.value
    if (!answer.indexed) this.first.add(located)
    return { place, ...answer }
  }
}

const skipped = () =>
  unavailable(
    `not asked: ${MOST_TIMEOUTS} places of its instance did not answer within ${PLACE_MS / 1_000} s`,
    {
      reason: 'InstanceTimeouts',
    },
  )

import { deadline, type Reasons } from '../../../ports/cancellation.js'
import { deadlineExceeded, Failure, unavailable } from '../../errors/failure.js'
import { toFailure } from '../../errors/to-failure.js'
import { type Cursor, cursorAfter } from '../../objects/cursor.js'
import type { Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { sideCall } from '../../objects/side-call.js'
import { someAtOnce } from '../concurrency/some-at-once.js'
import { withinPatience } from '../concurrency/within-patience.js'
import { CLUSTER } from '../kind/object-types.js'
import { askPlace } from './ask-place.js'
import { comparePlaces, FirstOf, type Located } from './fleet-order.js'
import type { FleetQuery, PlaceAnswer } from './fleet-query.js'
import { inTurns } from './in-turns.js'
import { type AcrossResult, type IndexedPlace, pageAcross } from './page-across.js'

/** Places that are asked at once. */
const AT_ONCE = 8
/** One instance has several members: they must not keep the others waiting. */
const BOUNDS = { atOnce: AT_ONCE, ofOne: 2 }
/** After so many places of an instance that did not answer in time, its other members are not asked. */
const MOST_TIMEOUTS = 3
const PLACE_TIMEOUT = 'PlaceTimeout'
const LIST_TIMEOUT = 'ListTimeout'
/** How long one place has to answer: one that hangs costs this much, and its error says so. */
const PLACE_MS = 5_000
/** How long all places have. Those that were not asked by then have an error, too. */
const ALL_MS = 20_000

/** One page of the whole list, and each place that it is about, by name. */
export interface FleetList {
  readonly page: readonly Located[]
  readonly places: readonly PlaceAnswer[]
  /** How many objects come before a page that begins after a cursor. */
  readonly start: number
  /** Where the next page begins; absent on the last one. */
  readonly next?: Cursor
}

/** The member that stands for all members of an instance that could not be listed. */
export const ALL_MEMBERS = '*'

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
    let mostOfIndex = places.length > 1 ? Math.max(1, Math.floor(query.size / places.length)) : undefined
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

/** The places that a list is about, and those whose members could not be listed. */
async function placesOf(
  objects: Objects,
  within: ObjectCall,
  instances: readonly string[],
  query: FleetQuery,
): Promise<{ readonly places: readonly Place[]; readonly failed: readonly PlaceAnswer[] }> {
  const failed: PlaceAnswer[] = []
  const members = query.scope.members
    ? await someAtOnce(instances, AT_ONCE, async instance => {
        const found = await attempt(within, quick => membersOf(objects, quick, instance, query))
        if ('value' in found) return found.value
        failed.push({ place: { instance, cluster: ALL_MEMBERS }, total: 0, failure: found.failure })
        return []
      })
    : []
  const controlPlanes = query.scope.controlPlanes ? instances.map((instance): Place => ({ instance })) : []
  return { places: [...controlPlanes, ...members.flat()], failed }
}

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

/** The outcome of some work for one place, within the place's time, also where the work does not heed its signal. */
async function attempt<T>(
  call: ObjectCall,
  work: (call: ObjectCall) => Promise<T>,
): Promise<{ readonly value: T } | { readonly failure: Failure }> {
  let wasAsked = false
  const reasons: Reasons = {
    late: () => deadlineExceeded(`no answer within ${PLACE_MS / 1_000} s`, { reason: PLACE_TIMEOUT }),
    // The time of the list was over: this place was asked before.
    caller: reason =>
      wasAsked && reason instanceof Failure && reason.details.reason === LIST_TIMEOUT
        ? deadlineExceeded(`no answer within the ${ALL_MS / 1_000} s that one list has`, {
            reason: PLACE_TIMEOUT,
          })
        : reason,
  }
  try {
    const value = await withinPatience(call, PLACE_MS, reasons, quick => {
      wasAsked = true
      return work(quick)
    })
    return { value }
  } catch (error) {
    return { failure: toFailure(error) }
  }
}

const skipped = () =>
  unavailable(
    `not asked: ${MOST_TIMEOUTS} places of its instance did not answer within ${PLACE_MS / 1_000} s`,
    {
      reason: 'InstanceTimeouts',
    },
  )

async function membersOf(
  objects: Objects,
  call: ObjectCall,
  instance: string,
  { clusters }: FleetQuery,
): Promise<readonly Place[]> {
  const all = { page: 1, pageSize: 0, names: clusters }
  const { items } = await objects.list(call, { instance }, CLUSTER, all)
  return items.map(({ metadata }) => ({ instance, cluster: metadata.name }))
}

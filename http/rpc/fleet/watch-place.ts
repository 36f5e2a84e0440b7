import type { KubeObject } from '../../../manifests/kube.js'
import { deadline, orAborted } from '../../../ports/cancellation.js'
import { deadlineExceeded, type Failure, reasonOf } from '../../errors/failure.js'
import { toFailure } from '../../errors/to-failure.js'
import type { ListMark } from '../../objects/list-mark.js'
import type { Place } from '../../objects/object-type.js'
import type { ObjectCall, ObjectEvent, Objects } from '../../objects/objects.js'
import { sideCall } from '../../objects/side-call.js'
import { pauseFor } from '../../objects/watch/changes-since.js'
import { refuseNamespace } from './ask-place.js'
import { type FleetItem, itemOf } from './fleet-item.js'
import type { FleetQuery } from './fleet-query.js'
import { typeIn } from './fleet-type.js'
import type { PlaceGate } from './place-gate.js'

/** How long a place has until its list begins: one that hangs keeps others waiting, and is named then. */
const PLACE_MS = 20_000
/** Until a place that cannot be read is tried again: twice as long each time. */
const FIRST_PAUSE_MS = 2_000
/** The longest such pause. A place that was followed for as long begins with the first one again. */
const LONGEST_PAUSE_MS = 60_000

/** Where objects of watches are from. */
const WATCHED = { source: 'karmada', reason: 'Watch' } as const

/** What of a fleet is followed. */
export interface Followed {
  readonly objects: Objects
  readonly call: ObjectCall
  readonly query: Pick<FleetQuery, 'resource' | 'filter' | 'withData'> & {
    /** Objects are sent when they change, and the list is not. */
    readonly changesOnly?: boolean
  }
  /** Places wait here to be listed. */
  readonly gate: PlaceGate
}

/** One step of one place, with how many of its objects match after it. */
export type PlaceStep = { readonly place: Place; readonly total: number } & (
  | { readonly type: 'RESET' | 'PLACE_READ' | 'PLACE_GONE' }
  | { readonly type: 'PLACE_FAILED'; readonly failure: Failure }
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'LEFT'; readonly item: FleetItem }
)

/** Where the stream of a place stands. */
interface Standing {
  /** The state after the last step, to go on after. */
  mark: ListMark | undefined
  total: number
}

/**
 * Follows the list of one place until the signal aborts. A failure is a step: it is tried again, with longer and longer pauses, and goes on
 * where it was if the place still knows the changes since. A failure like the one before is not repeated.
 * @throws the signal's reason
 */
export async function* watchPlace(
  of: Followed,
  place: Place,
  signal: AbortSignal,
): AsyncGenerator<PlaceStep, void> {
  const standing: Standing = { mark: undefined, total: 0 }
  let named = ''
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const leave = await of.gate.enter(place.instance, signal)
    const begun = performance.now()
    try {
      for await (const step of oneWatch(of, place, signal, standing)) {
        if (step.type === 'PLACE_READ') {
          leave()
          named = ''
        }
        yield step
      }
    } catch (error) {
      signal.throwIfAborted()
      const failure = toFailure(error)
      const name = `${failure.code} ${reasonOf(failure)}`
      if (name !== named) yield { type: 'PLACE_FAILED', place, failure, total: standing.total }
      named = name
    } finally {
      leave()
    }
    if (performance.now() - begun >= LONGEST_PAUSE_MS) pauseMs = FIRST_PAUSE_MS
    await pauseFor(pauseMs, { signal })
  }
}

/** The steps of one watch, of which those that the reader has received are left out. @throws what ends it */
async function* oneWatch(
  { objects, call, query: { resource, filter, withData, changesOnly } }: Followed,
  place: Place,
  signal: AbortSignal,
  standing: Standing,
): AsyncGenerator<PlaceStep, void> {
  const opening = deadline([signal], PLACE_MS, {
    late: () => deadlineExceeded(`no list within ${PLACE_MS / 1_000} s`, { reason: 'PlaceTimeout' }),
  })
  const within = { ...sideCall(call), signal: opening.signal }
  let events: AsyncIterator<ObjectEvent<KubeObject>> | undefined
  let isRead = false
  try {
    const type = await orAborted(typeIn(objects, within, place, resource), opening.signal)
    refuseNamespace(type, filter)
    const query = { ...filter, page: 1, pageSize: 0 }
    const steps = changesOnly
      ? objects.changes(within, place, type, filter)
      : objects.watch(within, place, type, query, standing.mark)
    events = steps[Symbol.asyncIterator]()
    for (;;) {
      const { done, value: event } = await orAborted(events.next(), opening.signal)
      opening.disarm()
      if (done) return
      const { total } = event
      if (event.type === 'BOOKMARK') {
        standing.total = total
        if (!isRead) yield { type: 'PLACE_READ', place, total }
        isRead = true
      } else if (!event.known) {
        standing.total = total
        if ('object' in event) {
          yield { type: event.type, place, total, item: itemOf(event.object, place, WATCHED, withData) }
        } else {
          isRead = false
          standing.mark = undefined
          yield { type: 'RESET', place, total }
        }
      }
      if (event.mark) standing.mark = event.mark
    }
  } finally {
    opening.clear()
    // Not awaited: what it waits for ends with the signal.
    events?.return?.().catch(() => undefined)
  }
}

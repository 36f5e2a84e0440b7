import type { GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import { deadline, type Reasons } from '../../../ports/cancellation.js'
import type { AnsweredFrom } from '../../answered-from.js'
import { toFailure } from '../../errors.js'
import { deadlineExceeded, Failure, invalidFields, unavailable } from '../../failure.js'
import { comparison } from '../../objects/list/select.js'
import type { ListQuery, ObjectPage } from '../../objects/list-query.js'
import type { ObjectType, Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { CLUSTER } from '../distribution/read-distributions.js'
import { text } from '../kind/object-meta.js'
import { sideCall } from '../side-call.js'
import { someAtOnce } from '../some-at-once.js'
import { withinPatience } from '../within-patience.js'
import { itemOf } from './fleet-item.js'
import { comparePlaces, FirstOf, type FleetOrder, type Located } from './fleet-order.js'
import { typeIn } from './fleet-type.js'
import { inTurns } from './in-turns.js'

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
  /** How many objects are wanted, from the first on. */
  readonly most: number
  /** Whether more than the metadata of objects is wanted. */
  readonly withData: boolean
}

/** What one place answered: how many match and where that was read, or why it could not. */
export interface PlaceAnswer {
  readonly place: Place
  readonly total: number
  readonly from?: AnsweredFrom
  readonly failure?: Failure
}

/** The first objects of the whole list, and each place that it is about, by name. */
export interface FleetList {
  readonly first: readonly Located[]
  readonly places: readonly PlaceAnswer[]
}

/** The member that stands for all members of an instance that could not be listed. */
export const ALL_MEMBERS = '*'

/**
 * Lists one type over instances and members. Each place is asked for as many of its first objects as are wanted in all, and for how
 * many it has. What one place cannot answer is its own failure.
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
  const first = new FirstOf(query.most, query.order.compare)
  try {
    const failed: PlaceAnswer[] = []
    const members = query.scope.members
      ? await someAtOnce(instances, AT_ONCE, async instance => {
          const found = await attempt(within, quick => membersOf(objects, quick, instance, query))
          if ('value' in found) return found.value
          failed.push({ place: { instance, cluster: ALL_MEMBERS }, total: 0, failure: found.failure })
          return []
        })
      : []
    const places = [
      ...(query.scope.controlPlanes ? instances.map((instance): Place => ({ instance })) : []),
      ...members.flat(),
    ]
    const timeouts = new Map<string, number>()
    const answers = await inTurns(places, BOUNDS, async (place): Promise<PlaceAnswer> => {
      const { instance } = place
      if (place.cluster && (timeouts.get(instance) ?? 0) >= MOST_TIMEOUTS)
        return { place, total: 0, failure: skipped() }
      const found = await attempt(within, quick => answerOf(objects, quick, place, query))
      if (!('value' in found)) {
        const { failure } = found
        if (failure.details.reason === PLACE_TIMEOUT)
          timeouts.set(instance, (timeouts.get(instance) ?? 0) + 1)
        return { place, total: 0, failure }
      }
      const { located, total, from } = found.value
      first.add(located)
      return { place, total, from }
    })
    call.signal.throwIfAborted()
    const all = [...answers, ...failed]
    return { first: first.items, places: all.sort((a, b) => comparePlaces(a.place, b.place)) }
  } finally {
    overall.clear()
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

/** What one place has, ready to be sent: what cannot be made of its objects is its own failure. */
async function answerOf(objects: Objects, call: ObjectCall, place: Place, query: FleetQuery) {
  const { items, pagination, answered: from } = await pageOf(objects, call, place, query)
  const located = items.map(
    (object): Located => ({
      ...{ object: slim(object), place },
      item: itemOf(object, place, from, query.withData),
    }),
  )
  return { located, total: Math.min(pagination.total, MOST_COUNTED), from }
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

/**
 * The first objects of one place, in our order.
 * @throws Failure UNAVAILABLE where it answers with fewer than it says to have: what is missing may belong anywhere on the page
 */
async function pageOf(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  { resource, filter, order: { within }, most }: FleetQuery,
): Promise<ObjectPage<KubeObject>> {
  const type = await typeIn(objects, call, place, resource)
  refuseNamespace(type, filter)
  const list = (pageSize: number) =>
    objects.list<KubeObject>(call, place, type, { ...filter, sort: within, page: 1, pageSize })
  for (let attempt = 1; ; attempt += 1) {
    let page = await list(most)
    // A database that sorts as a language does would not merge: all of the place are read then, and sorted here.
    if (!isSorted(page.items, comparison(within))) page = await list(0)
    const { items, pagination } = page
    if (items.length >= Math.min(most, pagination.total)) return { ...page, items: items.slice(0, most) }
    // An index counts after it has read: what changes in between is right the next time.
    if (attempt === 2)
      throw unavailable(`it answered with ${items.length} objects of ${pagination.total}`, {
        reason: 'Incomplete',
      })
  }
}

const isSorted = <T>(items: readonly T[], compare: (a: T, b: T) => number): boolean =>
  items.every((item, index) => index === 0 || compare(items[index - 1] as T, item) <= 0)

/** @throws Failure INVALID_ARGUMENT for a namespace of what has none */
function refuseNamespace({ namespaced, resource }: ObjectType, { namespace }: FleetQuery['filter']): void {
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

import { setMaxListeners } from 'node:events'
import { joined } from '../../../ports/cancellation.js'
import type { Call } from '../../call/call.js'
import { cancelled, type Failure, invalidFields, resourceExhausted } from '../../errors/failure.js'
import { duplicateRefusal } from '../../instances/duplicate.js'
import type { FeedEvent, InstanceFeed } from '../../instances/instance-feed.js'
import type { InstanceReading, ShownInstance } from '../../instances/instance-reading.js'
import type { Place } from '../../objects/object-type.js'
import { pauseFor } from '../../objects/watch/changes-since.js'
import { CHECK_MS } from '../concurrency/checks.js'
import { LiveMerge } from '../concurrency/live-merge.js'
import { comparePlaces } from './fleet-order.js'
import type { FleetQuery } from './fleet-query.js'
import { duplicates, nameOf, placesOf, unknown } from './places-of.js'
import { ReportedFailures } from './reported-failures.js'
import { UsableInstances, uidOf } from './usable-instances.js'
import { type Followed, type PlaceStep, watchPlace } from './watch-place.js'

/** Places that one stream follows: each holds a stream of its instance, and the keys of its objects. */
export const MOST_PLACES = 50
/** Instances that came or went are looked for after this time, together. */
const GATHER_MS = 500
/** Checks in a row that may fail before the stream does. */
const MOST_FAILED_CHECKS = 4

/** Which objects of which places a stream follows. */
export interface FleetWatch extends Omit<Followed, 'call' | 'query'> {
  readonly call: Call
  readonly query: Pick<FleetQuery, 'scope' | 'clusters'> & Followed['query']
  /** Only these; empty for all. */
  readonly named: readonly string[]
  readonly instances: Pick<InstanceReading, 'all'>
  readonly feed: Pick<InstanceFeed, 'read'>
  /** The refusal of a request about more places than one stream follows. @param what how many of what, in words */
  readonly tooMany?: (what: string) => Failure
}

/** A step of a place, or BOOKMARK once every place of the start was read or has failed. */
export type FleetStep = PlaceStep | { readonly type: 'BOOKMARK' }

/** A place that is followed. */
interface Entry {
  readonly uid: string
  readonly place: Place
  /** It is no longer wanted. */
  readonly dropped: AbortController
}

/**
 * Follows the places of a fleet, and takes in and drops those that come and go, until the call's signal aborts.
 * @throws Failure INVALID_ARGUMENT for more places than one stream follows; what a check of rights or of instances throws at the start, or
 * several times in a row; the reason of the call's signal
 */
export async function* followFleet(of: FleetWatch): AsyncGenerator<FleetStep, void> {
  const over = new AbortController()
  const { signal, clear } = joined([of.call.signal, over.signal])
  setMaxListeners(0, signal) // every place listens
  try {
    yield* new FleetFollower({ ...of, call: { ...of.call, signal } }).steps()
  } finally {
    over.abort(cancelled('the stream is over'))
    clear()
  }
}

class FleetFollower {
  readonly #merge = new LiveMerge<FleetStep>()
  readonly #followed = new Map<string, Entry>()
  /** Places of the start that were neither read nor have failed. */
  readonly #awaited = new Set<string>()
  readonly #failures = new ReportedFailures()
  /** Those that the caller may use, as they were last. */
  #instances = ''
  /** Places are compared though no instance came or went. */
  #isDue = true
  #isComplete = false
  #feedFailure: { readonly error: unknown } | undefined
  #hasNews = false
  #wake: () => void = () => undefined

  /** Instances that the caller may use. */
  readonly #usable: UsableInstances<ShownInstance>

  constructor(readonly of: FleetWatch) {
    const { call, instances, named } = of
    this.#usable = new UsableInstances(call, async () =>
      (await instances.all(call)).filter(({ name }) => named.length === 0 || named.includes(name)),
    )
  }

  get #signal(): AbortSignal {
    return this.of.call.signal
  }

  steps(): AsyncGenerator<FleetStep, void> {
    this.#merge.add(this.#plan())
    return this.#merge.items()
  }

  async *#plan(): AsyncGenerator<FleetStep, void> {
    // Before the first look, so that nothing is missed in between.
    this.#readFeed().catch(error => {
      this.#feedFailure = { error }
      this.#wakeUp()
    })
    let failedChecks = 0
    for (let isFirst = true; ; isFirst = false) {
      try {
        yield* this.#look(isFirst)
        failedChecks = 0
      } catch (error) {
        this.#signal.throwIfAborted()
        failedChecks += 1
        if (isFirst || failedChecks >= MOST_FAILED_CHECKS) throw error
      }
      await this.#untilNews()
      if (!this.#hasNews) this.#isDue = true
      else await pauseFor(GATHER_MS, this.of.call)
      this.#hasNews = false
      if (this.#feedFailure) throw this.#feedFailure.error
    }
  }

  /** Compares the places that there are with those that are followed. */
  async *#look(isFirst: boolean): AsyncGenerator<FleetStep, void> {
    const { call, objects, query, named, tooMany = tooManyPlaces } = this.of
    const usable = await this.#usable.read()
    const refused = duplicates([...usable.values()])
    const uids = new Map([...usable].map(([name, one]) => [name, uidOf(one)]))
    for (const { place } of refused) uids.delete(place.instance)
    if (isFirst && uids.size > MOST_PLACES) throw tooMany(`${uids.size} instances`)
    // Other instances come and go, and members are not listed each time.
    const instances = JSON.stringify([[...uids], refused.map(({ place }) => place.instance)])
    if (!this.#isDue && instances === this.#instances) return
    this.#isDue = false
    this.#instances = instances
    const read = await placesOf(objects, call, [...uids.keys()], query)
    this.#signal.throwIfAborted()
    if (isFirst && read.places.length > MOST_PLACES) throw tooMany(`${read.places.length} places`)
    const isListed = ({ instance }: Place) => !read.failed.some(({ place }) => place.instance === instance)
    const wanted = new Map(read.places.map(place => [nameOf(place), place]))
    for (const [name, { uid, place, dropped }] of this.#followed) {
      const isKept = wanted.has(name) || (place.cluster !== undefined && !isListed(place))
      if (uids.get(place.instance) !== uid || !isKept) dropped.abort(cancelled('the place has gone'))
    }
    const failures = [
      ...(isFirst ? unknown(named, [...usable.keys()]) : []),
      // One that is still followed is left first.
      ...refused.filter(({ place }) => !this.#followed.has(nameOf(place))),
      ...read.failed,
    ]
    const news = [...wanted.values()].filter(place => !this.#followed.has(nameOf(place))).sort(comparePlaces)
    const added = news.slice(0, Math.max(0, MOST_PLACES - this.#followed.size))
    for (const place of news.slice(added.length)) failures.push({ place, total: 0, failure: isFull() })
    yield* this.#failures.added(failures)
    for (const place of added) {
      const entry = { uid: uids.get(place.instance) ?? '', place, dropped: new AbortController() }
      this.#followed.set(nameOf(place), entry)
      if (isFirst) this.#awaited.add(nameOf(place))
      this.#merge.add(this.#follow(entry))
    }
    yield* this.#failures.recovered(failures, {
      isUsable: instance => usable.has(instance),
      isFollowed: place => this.#followed.has(nameOf(place)),
    })
    if (isFirst) yield* this.#completed()
  }

  async *#follow({ place, dropped }: Entry): AsyncGenerator<FleetStep, void> {
    const { signal, clear } = joined([this.#signal, dropped.signal])
    const name = nameOf(place)
    try {
      for await (const step of watchPlace(this.of, place, signal)) {
        yield step
        if (step.type === 'PLACE_READ' || step.type === 'PLACE_FAILED') yield* this.#completed(name)
      }
    } catch (error) {
      this.#signal.throwIfAborted()
      if (!dropped.signal.aborted) throw error
      yield { type: 'PLACE_GONE', place, total: 0 }
      yield* this.#completed(name)
    } finally {
      clear()
      this.#followed.delete(name)
      // One of the same name may be there again.
      this.#isDue = true
      this.#wakeUp()
    }
  }

  /** The reader has received what this place says first. */
  async *#completed(name?: string): AsyncGenerator<FleetStep, void> {
    if (name !== undefined) this.#awaited.delete(name)
    if (this.#isComplete || this.#awaited.size > 0) return
    this.#isComplete = true
    yield { type: 'BOOKMARK' }
  }

  /** Instances that come and go, or become duplicates, are looked at soon. */
  async #readFeed(): Promise<void> {
    let hasBegun = false
    for await (const event of this.of.feed.read('', this.#signal)) {
      if (hasBegun && isNews(event)) this.#wakeUp()
      hasBegun ||= event.type === 'BOOKMARK'
    }
  }

  #wakeUp(): void {
    this.#hasNews = true
    this.#wake()
  }

  /** @throws the signal's reason */
  async #untilNews(): Promise<void> {
    if (this.#hasNews) return
    const news = new Promise<void>(resolve => {
      this.#wake = resolve
    })
    await pauseFor(CHECK_MS, this.of.call, news)
  }
}

/** Whether an instance came or went, or is a duplicate now, or none any more. */
function isNews(event: FeedEvent): boolean {
  if (!('view' in event)) return false
  const { type, view, before } = event
  if (type !== 'MODIFIED') return true
  return (duplicateRefusal(view) === undefined) !== (!before || duplicateRefusal(before) === undefined)
}

const tooManyPlaces = (what: string): Failure =>
  invalidFields([
    {
      field: 'instances',
      description: `the request is about ${what}, but one stream follows ${MOST_PLACES} control planes and members: name fewer instances or clusters, or choose another scope`,
    },
  ])

const isFull = (): Failure =>
  resourceExhausted(
    `the stream follows ${MOST_PLACES} control planes and members already: it follows this one when another has gone`,
  )

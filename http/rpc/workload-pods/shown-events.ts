import type { MessageInitShape } from '@bufbuild/protobuf'
import {
  WatchWorkloadEventsResponse_Type as Type,
  type WatchWorkloadEventsResponseSchema,
} from '../../../proto/gen/kairship/workload_pods_pb.js'
import { failedPrecondition } from '../../errors/failure.js'
import type { Place } from '../../objects/object-type.js'
import { type Event, eventMessage } from '../core/event.js'
import type { WholeOrChange } from './whole-or-change.js'

/** A message of a watch of a workload's events. */
export type EventStep = MessageInitShape<typeof WatchWorkloadEventsResponseSchema>

interface Shown {
  readonly version: string
  readonly message: ReturnType<typeof eventMessage>
}

/** Events that one stream shows at once: it holds each, because a message has it once more when it is gone. */
export const MOST_EVENTS = 5_000

/** The events that a stream has shown, by cluster and name: what a step of one place's list changes in them. */
export class ShownEvents {
  readonly #places = new Map<string, Map<string, Shown>>()
  #total = 0

  get total(): number {
    return this.#total
  }

  /** @throws Failure FAILED_PRECONDITION for more than are held */
  *step(place: Place, step: WholeOrChange<Event>): Generator<EventStep, void> {
    if (!('whole' in step)) {
      const { object, isGone } = step
      if (isGone) yield* this.#drop(place.cluster, object.metadata.name, Type.DELETED)
      else yield* this.#show(place, object)
      return
    }
    const present = new Set(step.whole.map(({ metadata }) => metadata.name))
    for (const name of [...(this.#places.get(place.cluster ?? '')?.keys() ?? [])])
      if (!present.has(name)) yield* this.#drop(place.cluster, name, Type.DELETED)
    for (const event of step.whole) yield* this.#show(place, event)
  }

  /** Forgets a cluster. */
  *leave(cluster: string): Generator<EventStep, void> {
    for (const name of [...(this.#places.get(cluster)?.keys() ?? [])])
      yield* this.#drop(cluster, name, Type.LEFT)
    this.#places.delete(cluster)
  }

  *#show(place: Place, event: Event): Generator<EventStep, void> {
    const { cluster = '' } = place
    const { name, resourceVersion: version = '' } = event.metadata
    const events = this.#places.get(cluster) ?? new Map<string, Shown>()
    this.#places.set(cluster, events)
    const before = events.get(name)
    if (before && version && before.version === version) return
    if (!before && this.#total === MOST_EVENTS) throw tooMany()
    if (!before) this.#total += 1
    const message = eventMessage(event, place)
    events.set(name, { version, message })
    yield { type: before ? Type.MODIFIED : Type.ADDED, event: message, total: this.#total }
  }

  *#drop(cluster = '', name: string, type: Type): Generator<EventStep, void> {
    const shown = this.#places.get(cluster)?.get(name)
    if (!shown) return
    this.#places.get(cluster)?.delete(name)
    this.#total -= 1
    yield { type, event: shown.message, total: this.#total }
  }
}

const tooMany = () =>
  failedPrecondition(
    `the workload has more than ${MOST_EVENTS} events, and so many are followed at once: choose clusters or types`,
    { reason: 'TooManyEvents' },
  )
